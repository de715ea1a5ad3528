//! What both derives read of a struct, and the part of the expand type they share.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, Generics, Ident, Type, Visibility};

/// A field by name.
pub struct Field {
    pub visibility: Visibility,
    pub name: Ident,
    pub ty: Type,
    /// `PhantomData` is carried as it is: it has no value on the device.
    pub marker: bool,
}

/// The struct that a derive stands on.
pub struct Struct<'a> {
    pub visibility: &'a Visibility,
    pub name: &'a Ident,
    pub expand: Ident,
    pub generics: &'a Generics,
    pub fields: Vec<Field>,
    /// The path of `cubefold_primitives`, from wherever the derive is used.
    pub root: TokenStream,
}

impl<'a> Struct<'a> {
    pub fn parse(input: &'a DeriveInput, derive: &str) -> syn::Result<Self> {
        let Data::Struct(data) = &input.data else {
            let message = format!("`{derive}` is derived for structs");
            return Err(syn::Error::new_spanned(input, message));
        };
        let fields = match &data.fields {
            Fields::Named(named) => named.named.iter().cloned().collect(),
            Fields::Unit => Vec::new(),
            Fields::Unnamed(_) => {
                let message = format!("`{derive}` needs named fields");
                return Err(syn::Error::new_spanned(&data.fields, message));
            }
        };
        let fields = fields
            .into_iter()
            .filter_map(|field| {
                let marker = is_phantom(&field.ty);
                field.ident.map(|name| Field { visibility: field.vis, name, ty: field.ty, marker })
            })
            .collect();
        Ok(Struct {
            visibility: &input.vis,
            name: &input.ident,
            expand: format_ident!("{}Expand", input.ident),
            generics: &input.generics,
            fields,
            root: root_path(),
        })
    }

    /// `cubecl::prelude`, as the primitives re-export it.
    pub fn prelude(&self) -> TokenStream {
        let root = &self.root;
        quote!(#root::cubecl::prelude)
    }

    /// The fields with a value on the device.
    pub fn values(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.marker)
    }

    /// A literal `path { … }` whose values come from `value`; markers are filled in.
    pub fn literal(&self, path: TokenStream, value: impl Fn(&Field) -> TokenStream) -> TokenStream {
        let entries = self.fields.iter().map(|field| {
            let name = &field.name;
            if field.marker {
                quote!(#name: ::core::marker::PhantomData)
            } else {
                let value = value(field);
                quote!(#name: #value)
            }
        });
        quote!(#path { #(#entries),* })
    }

    /// The expand type and the traits that every `CubeType` owes CubeCL.
    pub fn expand_type(&self) -> TokenStream {
        let prelude = self.prelude();
        let (name, expand, visibility) = (self.name, &self.expand, self.visibility);
        let (generics, names, bounds) = self.generics.split_for_impl();
        let definitions = self.fields.iter().map(|field| {
            let (visibility, name, ty) = (&field.visibility, &field.name, &field.ty);
            if field.marker {
                quote!(#visibility #name: #ty)
            } else {
                quote!(#visibility #name: <#ty as #prelude::CubeType>::ExpandType)
            }
        });
        let declared = self.generics;
        let clone = self.literal(quote!(Self), |field| {
            let name = &field.name;
            quote!(#prelude::ExpandTypeClone::clone_unchecked(&self.#name))
        });
        let mutable = self.literal(quote!(Self), |field| {
            let name = &field.name;
            quote!(#prelude::IntoMut::into_mut(self.#name, scope))
        });
        quote! {
            #[doc(hidden)]
            #[allow(missing_docs, missing_debug_implementations)]
            #visibility struct #expand #declared #bounds { #(#definitions),* }

            impl #generics #prelude::CubeType for #name #names #bounds {
                type ExpandType = #expand #names;
            }
            impl #generics #prelude::ExpandTypeClone for #expand #names #bounds {
                fn clone_unchecked(&self) -> Self { #clone }
            }
            #[allow(unused_variables)]
            impl #generics #prelude::IntoMut for #expand #names #bounds {
                fn into_mut(self, scope: &#prelude::Scope) -> Self { #mutable }
            }
            impl #generics #prelude::IntoExpand for #expand #names #bounds {
                type Expand = Self;
                fn into_expand(self, _: &#prelude::Scope) -> Self { self }
            }
            impl #generics #prelude::CubeDebug for #expand #names #bounds {}
            impl #generics #prelude::AsRefExpand for #expand #names #bounds {
                fn __expand_ref_method(&self, _: &#prelude::Scope) -> &Self { self }
            }
            impl #generics #prelude::AsMutExpand for #expand #names #bounds {
                fn __expand_ref_mut_method(&mut self, _: &#prelude::Scope) -> &mut Self { self }
            }
        }
    }
}

fn is_phantom(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
}

fn root_path() -> TokenStream {
    let found = |name: &str| crate_name(name).ok();
    match (found("cubefold-primitives"), found("cubefold")) {
        (Some(FoundCrate::Name(name)), _) => {
            let name = Ident::new(&name, Span::call_site());
            quote!(::#name)
        }
        (None, Some(FoundCrate::Name(name))) => {
            let name = Ident::new(&name, Span::call_site());
            quote!(::#name::primitives)
        }
        (None, Some(FoundCrate::Itself)) => quote!(::cubefold::primitives),
        (Some(FoundCrate::Itself), _) | (None, None) => quote!(::cubefold_primitives),
    }
}
