//! [`Fixed`]: a parameter that kernels are compiled for.

use std::fmt::Debug;
use std::hash::Hash;

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::Operator;
use crate::{Device, Error};

/// A parameter that kernels are compiled for, one kernel a value: a choice between formulas, which then costs nothing at run
/// time. A body reads it as `comptime!(self.field.0)`.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::cubecl::prelude::*;
/// use cubefold_primitives::views::{Mapping, MappingExpand};
/// use cubefold_primitives::{Device, Fixed, Operator, Source, cubecl};
///
/// #[derive(Clone, Operator)]
/// struct Power {
///     squared: Fixed<bool>,
/// }
///
/// #[cube]
/// impl Mapping<f32> for Power {
///     type Output = f32;
///     fn map(&self, item: f32) -> f32 {
///         if comptime!(self.squared.0) { item * item } else { item }
///     }
/// }
///
/// let squares = Device::host().collect(&vec![2.0f32, 3.0].map(Power { squared: Fixed(true) }))?;
/// assert_eq!(squares.to_vec()?, [4.0, 9.0]);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Fixed<T>(pub T);

/// What a kernel can be compiled for.
pub trait Choice: Copy + Eq + Hash + Debug + Send + Sync + 'static {}

impl<T: Copy + Eq + Hash + Debug + Send + Sync + 'static> Choice for T {}

impl<T: Choice> CubeType for Fixed<T> {
    type ExpandType = Self;
}

impl<T: Choice> ExpandTypeClone for Fixed<T> {
    fn clone_unchecked(&self) -> Self {
        *self
    }
}

impl<T: Choice> IntoMut for Fixed<T> {
    fn into_mut(self, _: &Scope) -> Self {
        self
    }
}

impl<T: Choice> IntoExpand for Fixed<T> {
    type Expand = Self;

    fn into_expand(self, _: &Scope) -> Self {
        self
    }
}

impl<T: Choice> CubeDebug for Fixed<T> {}

impl<T: Choice> AsRefExpand for Fixed<T> {
    fn __expand_ref_method(&self, _: &Scope) -> &Self {
        self
    }
}

impl<T: Choice> AsMutExpand for Fixed<T> {
    fn __expand_ref_mut_method(&mut self, _: &Scope) -> &mut Self {
        self
    }
}

impl<T: Choice> LaunchArg for Fixed<T> {
    type RuntimeArg = Self;
    type CompilationArg = Self;

    fn register(argument: Self, _: &mut KernelLauncher) -> Self {
        argument
    }

    fn expand(argument: &Self, _: &mut KernelBuilder) -> Self {
        *argument
    }
}

impl<T: Choice> Operator for Fixed<T> {
    fn bind(&self, _: &Device) -> Result<Self, Error> {
        Ok(*self)
    }

    fn check_host(&self) -> Result<(), Error> {
        Ok(())
    }

    fn reads(&self, _: &Handle) -> bool {
        false
    }
}
