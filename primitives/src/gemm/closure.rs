//! `closure`: every path through a matrix, by repeated squaring.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::views::{Dense, Flat, Mapping, MappingExpand, Matrix, same_length};
use crate::{Both, Buffer, Device, Error, Idempotent, Lower, Monoid, MonoidExpand, Semiring, Source};

/// What was known before, and what one more squaring has found.
#[derive(Debug, Clone, Operator)]
struct Either<O: Monoid> {
    op: O,
}

#[cube]
impl<O: Monoid> Mapping<Both<O::State, O::State>> for Either<O> {
    type Output = O::State;

    fn map(&self, item: Both<O::State, O::State>) -> O::State {
        self.op.combine(item.left, item.right)
    }
}

impl Device {
    /// `A ⊕ A² ⊕ A³ ⊕ …` of a square matrix of edges: the best of all paths of one edge and more, from every vertex to every
    /// other one, row after row.
    ///
    /// Over [`MinPlus`](crate::ops::MinPlus) these are the shortest paths (no cycle may be of negative length), over
    /// [`OrAnd`](crate::ops::OrAnd) what can be reached, over [`MaxTimes`](crate::ops::MaxTimes) the most probable paths, over
    /// [`ArgMinPlus`](crate::ops::ArgMinPlus) the shortest ones with their first edges. A vertex is at itself without an edge
    /// where the diagonal says so: give it the length 0.
    ///
    /// Each squaring doubles the edges of a path, so that `⌈log₂(n − 1)⌉` of them find all paths that visit no vertex twice:
    /// work n³ log n. Nothing returns to the host in between.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] for a matrix that is not square, else as [`tiled_gemm_with`](Device::tiled_gemm_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::MinPlus, views::Dense};
    ///
    /// let far = f32::INFINITY;
    /// let edges = Dense::new(vec![0.0, 2.0, 9.0, far, 0.0, 3.0, 1.0, far, 0.0], 3, 3)?;
    /// let paths = Device::host().closure(&edges, &MinPlus::new())?;
    /// assert_eq!(paths.to_vec()?, [0.0, 2.0, 5.0, 4.0, 0.0, 3.0, 1.0, 3.0, 0.0]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn closure<M, O>(&self, edges: &M, op: &O) -> Result<Buffer<M::Item>, Error>
    where
        M: Matrix,
        O: Idempotent + Semiring<M::Item, M::Item> + Lower<State = M::Item, Output = M::Item>,
    {
        let side = edges.rows();
        same_length("the row of a square matrix", edges.columns(), side)?;
        let mut paths = self.collect(&Flat::new(edges))?;
        for _ in 0..squarings(side) {
            let matrix = Dense::new(&paths, side, side)?;
            let longer = self.tiled_gemm(&matrix, &matrix, op)?;
            paths = self.collect(&(&paths).zip(longer).map(Either { op: op.clone() }))?;
        }
        Ok(paths)
    }
}

/// How often paths of one edge double until they have `side − 1`.
fn squarings(side: u32) -> u32 {
    side.saturating_sub(1).max(1).next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_squarings_as_a_path_through_all_vertices_needs() {
        let expected =
            [(0, 0), (1, 0), (2, 0), (3, 1), (4, 2), (5, 2), (6, 3), (9, 3), (10, 4), (1025, 10), (1026, 11)];
        for (side, count) in expected {
            assert_eq!(squarings(side), count, "{side} vertices");
        }
    }
}
