//! Derives for `cubefold-primitives`.
//!
//! CubeCL's own derives cannot be called from another derive, so the types that a `#[cube]` body needs
//! (the expand type, the launch argument) are written out here, by the rules of `cubecl-macros` 0.11.

mod fields;
mod launched;
mod operator;
mod state;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemFn, parse_macro_input};

/// Makes a struct of scalars (or of other states) the state of a monoid, or an item of a buffer.
///
/// Write it beside `Clone, Copy` on a struct with named fields. The struct is laid out as the 32-bit words of
/// its fields in order; that one layout serves buffers, shared memory, plane shuffles and look-back words.
#[proc_macro_derive(State)]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    state::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a struct an operator that travels to the device with its run-time parameters.
///
/// Write it beside `Clone` on a unit struct or a struct with named fields. A field is a scalar, a
/// `Captured<T>` array, another operator, or `PhantomData`. `#[operator(light)]` says that a combine takes no more than a
/// few instructions, `#[operator(like = M)]` that it takes what that of the operator inside does.
#[proc_macro_derive(Operator, attributes(operator))]
pub fn derive_operator(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    operator::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes a struct a launch argument without a host value: the device's half of a source.
#[doc(hidden)]
#[proc_macro_derive(Argument)]
pub fn derive_argument(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    operator::derive_argument(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Adds `launch_<name>` to a `#[cube(launch_unchecked)]` kernel: its launch without the copy of everything known of the device
/// that CubeCL 0.11's own function makes at every call.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn launched(_: TokenStream, kernel: TokenStream) -> TokenStream {
    let kernel = parse_macro_input!(kernel as ItemFn);
    launched::expand(&kernel).unwrap_or_else(|error| error.to_compile_error()).into()
}
