//! [`Operator`]: a value with run-time parameters that travels to a device.

use cubecl::prelude::*;
use cubecl::server::Handle;

use crate::{Device, Error};

/// What `#[derive(Operator)]` gives: a host value that a kernel can be launched with.
///
/// Scalars and [`Captured`](crate::Captured) arrays are operators too, so that they can be fields.
///
/// `#[operator(light)]` beside the derive says that a combine takes no more than a few instructions; `#[operator(like = M)]`
/// that it is that of the operator inside.
pub trait Operator: LaunchArg + Clone + Send + Sync + 'static {
    /// Whether a combine takes no more than a few instructions: tiles may then combine more often, for the sake of how memory
    /// is read. Only the speed depends on it.
    const LIGHT: bool = false;

    /// The launch argument that carries this value to `device`.
    ///
    /// # Errors
    ///
    /// A captured array that is longer than the device can bind.
    fn bind(&self, device: &Device) -> Result<Self::RuntimeArg, Error>;

    /// Whether the host can evaluate this value.
    ///
    /// # Errors
    ///
    /// [`Error::NotOnHost`] where a captured array lives on a device.
    fn check_host(&self) -> Result<(), Error>;

    /// Whether a captured array lies in this memory, which a primitive is about to write to.
    fn reads(&self, memory: &Handle) -> bool;
}

macro_rules! scalars {
    ($($scalar:ty),*) => {$(
        impl Operator for $scalar {
            fn bind(&self, _: &Device) -> Result<Self::RuntimeArg, Error> { Ok(*self) }
            fn check_host(&self) -> Result<(), Error> { Ok(()) }
            fn reads(&self, _: &Handle) -> bool { false }
        }
    )*};
}

scalars!(u32, i32, f32, u64, i64, f64);
