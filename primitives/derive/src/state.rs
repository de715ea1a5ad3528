//! `#[derive(State)]`: expand type, assignment, and the packing into 32-bit words.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::fields::Struct;

pub fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let target = Struct::parse(input, "State")?;
    if target.values().next().is_none() {
        return Err(syn::Error::new_spanned(input, "a state needs at least one field with a value"));
    }
    let expand_type = target.expand_type();
    let assignment = assignment(&target);
    let packing = packing(&target);
    Ok(quote!(#expand_type #assignment #packing))
}

fn assignment(target: &Struct) -> TokenStream {
    let prelude = target.prelude();
    let expand = &target.expand;
    let (generics, names, bounds) = target.generics.split_for_impl();
    let assigned = target.values().map(|field| &field.name);
    let fresh = target.literal(quote!(Self), |field| {
        let name = &field.name;
        quote!(#prelude::RuntimeAssign::init_mut(&self.#name, scope))
    });
    quote! {
        impl #generics ::core::clone::Clone for #expand #names #bounds {
            fn clone(&self) -> Self { *self }
        }
        impl #generics ::core::marker::Copy for #expand #names #bounds {}
        impl #generics #prelude::Assign for #expand #names #bounds {
            fn __expand_assign_method(&mut self, scope: &#prelude::Scope, value: Self) {
                #(#prelude::Assign::__expand_assign_method(&mut self.#assigned, scope, value.#assigned);)*
            }
        }
        impl #generics #prelude::RuntimeAssign for #expand #names #bounds {
            fn init_mut(&self, scope: &#prelude::Scope) -> Self { #fresh }
        }
    }
}

fn packing(target: &Struct) -> TokenStream {
    let (root, prelude) = (&target.root, target.prelude());
    let (name, expand) = (target.name, &target.expand);
    let (generics, names, bounds) = target.generics.split_for_impl();
    let types: Vec<_> = target.values().map(|field| &field.ty).collect();
    let fields: Vec<_> = target.values().map(|field| &field.name).collect();
    let offsets: Vec<_> = (0..types.len())
        .map(|index| {
            let before = &types[..index];
            quote!((0 #(+ <#before as #root::State>::WORDS)*))
        })
        .collect();
    let state = quote!(#root::State);
    let unpack = target.literal(quote!(Self), |field| {
        let index = fields.iter().position(|name| **name == field.name).unwrap_or(0);
        let (ty, offset) = (&field.ty, &offsets[index]);
        quote!(<#ty as #state>::unpack(words, offset + #offset))
    });
    let expand_unpack = target.literal(quote!(#expand), |field| {
        let index = fields.iter().position(|name| **name == field.name).unwrap_or(0);
        let (ty, offset) = (&field.ty, &offsets[index]);
        quote!(<#ty as #state>::__expand_unpack(scope, words, offset + #offset))
    });
    quote! {
        impl #generics #state for #name #names #bounds {
            const WORDS: usize = 0 #(+ <#types as #state>::WORDS)*;

            #[inline]
            fn pack(self, words: &mut [u32], offset: usize) {
                #(<#types as #state>::pack(self.#fields, words, offset + #offsets);)*
            }
            #[inline]
            fn unpack(words: &[u32], offset: usize) -> Self { #unpack }
            fn wide_fields(found: &mut #root::WideFields) {
                #(<#types as #state>::wide_fields(found);)*
            }
            fn gap(self, other: Self) -> f64 {
                0.0f64 #(.max(<#types as #state>::gap(self.#fields, other.#fields)))*
            }
            fn __expand_pack(
                scope: &#prelude::Scope,
                state: <Self as #prelude::CubeType>::ExpandType,
                words: &mut #root::WordsExpand,
            ) {
                #(<#types as #state>::__expand_pack(scope, state.#fields, words);)*
            }
            fn __expand_unpack(
                scope: &#prelude::Scope,
                words: &#root::WordsExpand,
                offset: usize,
            ) -> <Self as #prelude::CubeType>::ExpandType {
                #expand_unpack
            }
        }
    }
}
