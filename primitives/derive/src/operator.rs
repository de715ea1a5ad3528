//! `#[derive(Operator)]`: expand type, launch argument, and the way from a host value to that argument.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::DeriveInput;

use crate::fields::Struct;

pub fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let target = Struct::parse(input, "Operator")?;
    let expand_type = target.expand_type();
    let launch = launch(&target);
    let root = &target.root;
    let bind = bind(&target, &lightness(input, &quote!(#root))?);
    Ok(quote!(#expand_type #launch #bind))
}

/// What `#[operator(…)]` says of the combine: `light`, or that it is `like` that of another operator.
fn lightness(input: &DeriveInput, root: &TokenStream) -> syn::Result<TokenStream> {
    let mut light = quote!(false);
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("operator")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("light") {
                light = quote!(true);
            } else if meta.path.is_ident("like") {
                let other: syn::Type = meta.value()?.parse()?;
                light = quote!(<#other as #root::Operator>::LIGHT);
            } else {
                return Err(meta.error("an operator is `light`, or `like` another one"));
            }
            Ok(())
        })?;
    }
    Ok(light)
}

pub fn derive_argument(input: &DeriveInput) -> syn::Result<TokenStream> {
    let target = Struct::parse(input, "Argument")?;
    let expand_type = target.expand_type();
    let launch = launch(&target);
    Ok(quote!(#expand_type #launch))
}

/// The arguments are tuples of the fields' arguments, so they need no types of their own.
fn launch(target: &Struct) -> TokenStream {
    let prelude = target.prelude();
    let (name, expand) = (target.name, &target.expand);
    let (generics, names, bounds) = target.generics.split_for_impl();
    let types: Vec<_> = target.values().map(|field| &field.ty).collect();
    let locals: Vec<_> = (0..types.len()).map(|index| format_ident!("field_{index}")).collect();
    let fields: Vec<_> = target.values().map(|field| &field.name).collect();
    let literal = target.literal(quote!(#expand), |field| {
        let index = fields.iter().position(|name| **name == field.name).unwrap_or(0);
        let (ty, local) = (&field.ty, &locals[index]);
        quote!(<#ty as #prelude::LaunchArg>::expand(#local, builder))
    });
    quote! {
        #[allow(unused_variables, clippy::unused_unit)]
        impl #generics #prelude::LaunchArg for #name #names #bounds {
            type RuntimeArg = (#(<#types as #prelude::LaunchArg>::RuntimeArg,)*);
            type CompilationArg = (#(<#types as #prelude::LaunchArg>::CompilationArg,)*);

            fn register(
                argument: Self::RuntimeArg,
                launcher: &mut #prelude::KernelLauncher,
            ) -> Self::CompilationArg {
                let (#(#locals,)*) = argument;
                (#(<#types as #prelude::LaunchArg>::register(#locals, launcher),)*)
            }

            fn expand(
                argument: &Self::CompilationArg,
                builder: &mut #prelude::KernelBuilder,
            ) -> <Self as #prelude::CubeType>::ExpandType {
                let (#(#locals,)*) = argument;
                #literal
            }
        }
    }
}

fn bind(target: &Struct, light: &TokenStream) -> TokenStream {
    let (root, prelude) = (&target.root, target.prelude());
    let name = target.name;
    let (generics, names, bounds) = target.generics.split_for_impl();
    let types: Vec<_> = target.values().map(|field| &field.ty).collect();
    let fields: Vec<_> = target.values().map(|field| &field.name).collect();
    quote! {
        #[allow(unused_variables)]
        impl #generics #root::Operator for #name #names #bounds {
            const LIGHT: bool = #light;

            fn bind(
                &self,
                device: &#root::Device,
            ) -> ::core::result::Result<<Self as #prelude::LaunchArg>::RuntimeArg, #root::Error> {
                ::core::result::Result::Ok((#(<#types as #root::Operator>::bind(&self.#fields, device)?,)*))
            }
            fn check_host(&self) -> ::core::result::Result<(), #root::Error> {
                #(<#types as #root::Operator>::check_host(&self.#fields)?;)*
                ::core::result::Result::Ok(())
            }
            fn reads(&self, memory: &#root::cubecl::server::Handle) -> bool {
                false #(|| <#types as #root::Operator>::reads(&self.#fields, memory))*
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn an_operator_is_light_or_like_another_one() {
        let said = |input: DeriveInput| lightness(&input, &quote!(root)).map(|tokens| tokens.to_string());
        assert_eq!(
            said(parse_quote!(
                struct Sum;
            ))
            .expect("no attribute"),
            "false"
        );
        assert_eq!(
            said(parse_quote!(
                #[operator(light)]
                struct Sum;
            ))
            .expect("it is known"),
            "true"
        );
        let like = said(parse_quote!(
            #[operator(like = M)]
            struct Wrapped<M> {
                op: M,
            }
        ))
        .expect("it is known");
        assert_eq!(like, "< M as root :: Operator > :: LIGHT");
        let error = said(parse_quote!(
            #[operator(heavy)]
            struct Sum;
        ))
        .expect_err("there is no such attribute");
        assert_eq!(error.to_string(), "an operator is `light`, or `like` another one");
    }
}
