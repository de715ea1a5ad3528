//! `#[launched]`: a kernel's launch function.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{FnArg, ItemFn, Pat, Type};

/// What CubeCL's own function does, but for the copy of all properties of the device, which its scope needs for generic scalars alone.
pub fn expand(kernel: &ItemFn) -> syn::Result<TokenStream> {
    let (vis, name, generics) = (&kernel.vis, &kernel.sig.ident, &kernel.sig.generics);
    let (parameters, names, bounds) = generics.split_for_impl();
    let names = names.as_turbofish();
    let (launch, ty) = (format_ident!("launch_{name}"), format_ident!("{}", pascal_case(&name.to_string())));
    let doc = format!("Launches `{name}`; its safety is that of `{name}::launch_unchecked`.");
    let (mut arguments, mut registers, mut locals, mut choices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for argument in &kernel.sig.inputs {
        let FnArg::Typed(argument) = argument else {
            return Err(syn::Error::new_spanned(argument, "a kernel has no `self`"));
        };
        let Pat::Ident(pattern) = &*argument.pat else {
            return Err(syn::Error::new_spanned(&argument.pat, "a kernel's argument is a name"));
        };
        let name = &pattern.ident;
        if argument.attrs.iter().any(|attribute| attribute.path().is_ident("comptime")) {
            let ty = &argument.ty;
            arguments.push(quote!(#name: #ty));
            choices.push(name);
            continue;
        }
        let (ty, io) = match &*argument.ty {
            Type::Reference(reference) if reference.mutability.is_none() => (&reference.elem, quote!(ReadOnly)),
            Type::Reference(reference) => (&reference.elem, quote!(ReadWrite)),
            _ => (&argument.ty, quote!(ReadWrite)),
        };
        arguments.push(quote!(#name: <#ty as ::cubecl::prelude::LaunchArg>::RuntimeArg));
        registers.push(quote! {
            __launcher.declare_io(::cubecl::prelude::BufferIOAttr::#io);
            let #name = <#ty as ::cubecl::prelude::LaunchArg>::register(#name, &mut __launcher);
        });
        locals.push(name);
    }
    Ok(quote! {
        #kernel

        #[doc = #doc]
        #[allow(clippy::too_many_arguments)]
        #vis unsafe fn #launch #parameters(
            __client: &::cubecl::client::Client,
            __cubes: ::cubecl::prelude::CubeCount,
            __units: ::cubecl::prelude::CubeDim,
            #(#arguments,)*
        ) #bounds {
            let __settings = ::cubecl::prelude::KernelSettings::new(
                __units.into(),
                ::cubecl::prelude::ExecutionMode::Unchecked,
                ::cubecl::prelude::AddressType::U32,
            );
            let mut __launcher = ::cubecl::prelude::KernelLauncher::new(__settings.clone());
            #(#registers)*
            let __kernel = #name::#ty #names::new(
                __settings,
                __client.properties_shared(),
                __client.target_properties_shared(),
                #(#locals,)*
                #(#choices,)*
            );
            __launcher.launch(__cubes, __kernel, __client);
        }
    })
}

/// `fold_once` as `FoldOnce`, the name of a kernel's type.
fn pascal_case(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}
