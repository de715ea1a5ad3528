//! Calls the `matrixmultiply` crate, which takes pointers.

use std::any::TypeId;

/// A factor of plain floats in memory: `(row, column)` is item `row · strides[0] + column · strides[1]`.
#[derive(Debug, Clone, Copy)]
pub struct Factor<'a, F> {
    pub items: &'a [F],
    pub strides: [usize; 2],
}

impl<F> Factor<'_, F> {
    /// Whether the elements of a matrix of `rows × columns` are all inside.
    fn holds(&self, rows: usize, columns: usize) -> bool {
        rows == 0 || columns == 0 || (rows - 1) * self.strides[0] + (columns - 1) * self.strides[1] < self.items.len()
    }
}

/// Items whose type the caller knows at run time, as what they are.
pub fn items_as<T: 'static, F: 'static>(items: &[T]) -> Option<&[F]> {
    // SAFETY: both types are the same.
    (TypeId::of::<T>() == TypeId::of::<F>())
        .then(|| unsafe { std::slice::from_raw_parts(items.as_ptr().cast(), items.len()) })
}

/// A scalar that the crate multiplies.
pub trait PlainFloat: Copy + Default + Send + Sync + 'static {
    /// The product of two factors, row after row; `[rows, depth, columns]`.
    fn gemm(left: Factor<'_, Self>, right: Factor<'_, Self>, shape: [usize; 3]) -> Vec<Self>;
}

macro_rules! plain_float {
    ($float:ty, $call:path) => {
        impl PlainFloat for $float {
            fn gemm(left: Factor<'_, Self>, right: Factor<'_, Self>, [rows, depth, columns]: [usize; 3]) -> Vec<Self> {
                let mut result = vec![0.0; rows * columns];
                assert!(left.holds(rows, depth) && right.holds(depth, columns), "factors hold their elements");
                let [left_strides, right_strides] =
                    [left.strides, right.strides].map(|each| each.map(|one| one as isize));
                // SAFETY: the elements of both factors are inside their items, and the result holds `rows · columns`.
                unsafe {
                    $call(
                        rows,
                        depth,
                        columns,
                        1.0,
                        left.items.as_ptr(),
                        left_strides[0],
                        left_strides[1],
                        right.items.as_ptr(),
                        right_strides[0],
                        right_strides[1],
                        0.0,
                        result.as_mut_ptr(),
                        columns as isize,
                        1,
                    );
                }
                result
            }
        }
    };
}

plain_float!(f32, matrixmultiply::sgemm);
plain_float!(f64, matrixmultiply::dgemm);
