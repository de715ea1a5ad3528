//! Calls the `matrixmultiply` crate, which takes pointers.

macro_rules! gemm {
    ($name:ident, $float:ty, $call:path) => {
        /// The product of two row-major matrices; `[rows, depth, columns]`.
        pub fn $name(left: &[$float], right: &[$float], [rows, depth, columns]: [usize; 3]) -> Vec<$float> {
            let mut result = vec![0.0; rows * columns];
            let across = columns as isize;
            // SAFETY: the slices hold `rows · depth`, `depth · columns` and `rows · columns` elements, row after row.
            unsafe {
                $call(
                    rows,
                    depth,
                    columns,
                    1.0,
                    left.as_ptr(),
                    depth as isize,
                    1,
                    right.as_ptr(),
                    across,
                    1,
                    0.0,
                    result.as_mut_ptr(),
                    across,
                    1,
                );
            }
            result
        }
    };
}

gemm!(sgemm, f32, matrixmultiply::sgemm);
gemm!(dgemm, f64, matrixmultiply::dgemm);
