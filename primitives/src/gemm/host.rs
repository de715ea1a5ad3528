//! The host's product: the `matrixmultiply` crate for plain floats, tiles in registers for every other semiring.

use std::any::Any;
use std::ops::Range;

use rayon::prelude::*;

use super::HostGemm;
use super::launch_floats::{Factor, PlainFloat, items_as};
use crate::launch_vectors::{Loop, run_widest};
use crate::ops::{MaxPlus, MinPlus, PlusTimes};
use crate::views::{HostMatrix, Matrix, Stored};
use crate::{CommutativeProduct, Error, Lower, Monoid, Semiring, State};

/// Rows of a tile of sums. 4 × 8 sums of f32 or f64 and what they are made of fit in the sixteen vector registers of x86.
const HEIGHT: usize = 4;

/// Columns of a tile; of results with few columns they are tiles of their own.
const WIDTH: usize = 8;

/// Products that are folded into a tile before the next one has its turn: the lines of a panel stay in the first cache.
const STEP: usize = 256;

/// Panels of either factor whose tiles are one task.
const TASK: [usize; 2] = [16, 32];

/// Multiplies `count` pairs of matrices that lie below one another in `a` and `b`; results row by row.
pub fn multiply<A: Matrix, B: Matrix, O: Semiring<A::Item, B::Item> + Lower>(
    a: &A,
    b: &B,
    op: &O,
    count: u32,
) -> Result<Vec<O::Output>, Error> {
    let (left, right) = (a.on_host()?, b.on_host()?);
    let shape = [a.rows() / count.max(1), a.columns(), b.columns()].map(|side| side as usize);
    let product = |index: usize| one(&left, &right, op, index, shape);
    if count == 1 {
        return Ok(product(0));
    }
    let products: Vec<Vec<O::Output>> = (0..count as usize).into_par_iter().map(product).collect();
    Ok(products.concat())
}

/// How products of so many columns run.
pub fn plan<O: Monoid>(op: &O, columns: u32) -> HostGemm {
    let threads = rayon::current_num_threads();
    let any: &dyn Any = op;
    if any.is::<PlusTimes<f32>>() || any.is::<PlusTimes<f64>>() {
        return HostGemm { threads, tile: None, step: 0 };
    }
    let width = if is_narrow(columns as usize) || is_heavy::<O>() { 1 } else { WIDTH };
    HostGemm { threads, tile: Some((HEIGHT as u32, width as u32)), step: STEP as u32 }
}

/// Whether a state is no scalar: many of them do not fit in registers.
const fn is_heavy<O: Monoid>() -> bool {
    <O::State as State>::WORDS > 2
}

/// Whether tiles of one column waste less.
fn is_narrow(columns: usize) -> bool {
    columns < WIDTH / 2
}

/// The product of the `index`-th pair.
fn one<A: HostMatrix, B: HostMatrix, O: Semiring<A::Item, B::Item> + Lower>(
    left: &A,
    right: &B,
    op: &O,
    index: usize,
    shape: [usize; 3],
) -> Vec<O::Output> {
    let any: &dyn Any = op;
    if any.is::<PlusTimes<f32>>() {
        return floats::<_, _, _, f32>(left, right, index, shape);
    }
    if any.is::<PlusTimes<f64>>() {
        return floats::<_, _, _, f64>(left, right, index, shape);
    }
    // The first half is decided while compiling: heavy operators have no code for wide tiles.
    if const { !is_heavy::<O>() } && !is_narrow(shape[2]) {
        tiled::<_, _, _, WIDTH>(left, right, op, index, shape)
    } else {
        tiled::<_, _, _, 1>(left, right, op, index, shape)
    }
}

/// `XᵀX`, exactly symmetric. Plain floats that are computed are written to memory once, for both factors.
pub fn gram<M: Matrix, O: CommutativeProduct<M::Item> + Lower>(x: &M, op: &O) -> Result<Vec<O::Output>, Error> {
    let any: &dyn Any = op;
    let shape = [x.rows(), x.columns()].map(|side| side as usize);
    let results = if any.is::<PlusTimes<f32>>() {
        float_gram::<_, _, f32>(&x.on_host()?, shape)
    } else if any.is::<PlusTimes<f64>>() {
        float_gram::<_, _, f64>(&x.on_host()?, shape)
    } else {
        multiply(&x.transposed(), x, op, 1)?
    };
    Ok(mirrored(results, shape[1]))
}

/// A square matrix whose lower half is its upper one: sums of two orders may have been rounded apart.
fn mirrored<T: Copy>(mut results: Vec<T>, side: usize) -> Vec<T> {
    for row in 1..side {
        for column in 0..row {
            results[row * side + column] = results[column * side + row];
        }
    }
    results
}

/// A factor in the order in which tiles need it: panel after panel of `WIDTH` rows (columns), depth after depth.
struct Panels<T, const WIDTH: usize> {
    lines: Vec<[T; WIDTH]>,
    depth: usize,
}

impl<T: State, const WIDTH: usize> Panels<T, WIDTH> {
    /// `element(place, depth)` of the `places` along the result. The last of them fills the last panel: what comes of it
    /// there is not a result.
    fn new(places: usize, depth: usize, element: impl Fn(usize, usize) -> T + Sync) -> Self {
        let line = |line: usize| {
            let first = line / depth * WIDTH;
            std::array::from_fn(|place| element((first + place).min(places - 1), line % depth))
        };
        Panels { lines: (0..places.div_ceil(WIDTH) * depth).into_par_iter().map(line).collect(), depth }
    }

    fn lines(&self, panel: usize, depths: Range<usize>) -> &[[T; WIDTH]] {
        &self.lines[panel * self.depth..][depths]
    }
}

/// Sums of a row and a column of panels.
type Tile<S, const WIDTH: usize> = [[S; WIDTH]; HEIGHT];

/// The product in tiles.
fn tiled<A: HostMatrix, B: HostMatrix, O: Semiring<A::Item, B::Item> + Lower, const WIDTH: usize>(
    left: &A,
    right: &B,
    op: &O,
    index: usize,
    [rows, depth, columns]: [usize; 3],
) -> Vec<O::Output> {
    if rows == 0 || columns == 0 {
        return Vec::new();
    }
    let (above, before) = (index * rows, index * depth);
    let down = Panels::<_, HEIGHT>::new(rows, depth, |row, at| left.element((above + row) as u32, at as u32));
    let across =
        Panels::<_, WIDTH>::new(columns, depth, |column, at| right.element((before + at) as u32, column as u32));
    let tasks = Tasks { panels: [rows.div_ceil(HEIGHT), columns.div_ceil(WIDTH)], depth };
    let tiles = compiled(op, &down, &across, tasks).unwrap_or_else(|| tasks.run(op, &down, &across));
    let mut results = vec![op.lower(op.identity()); rows * columns];
    results.par_chunks_mut(columns).enumerate().for_each(|(row, results)| {
        for (panel, results) in results.chunks_mut(WIDTH).enumerate() {
            let sums = &tasks.tile(&tiles, row / HEIGHT, panel)[row % HEIGHT];
            results.iter_mut().zip(sums).for_each(|(result, &sum)| *result = op.lower(sum));
        }
    });
    results
}

/// How the tiles of a product are dealt to threads.
#[derive(Debug, Clone, Copy)]
struct Tasks {
    /// Panels of the left and of the right factor.
    panels: [usize; 2],
    depth: usize,
}

impl Tasks {
    /// Tasks from left to right.
    fn across(self) -> usize {
        self.panels[1].div_ceil(TASK[1])
    }

    /// The panels of a task.
    fn panels(self, task: usize) -> [Range<usize>; 2] {
        let at = [task / self.across(), task % self.across()];
        [0, 1].map(|side| at[side] * TASK[side]..((at[side] + 1) * TASK[side]).min(self.panels[side]))
    }

    /// The tiles of all tasks, row after row within each.
    fn run<L: State, R: State, O: Semiring<L, R>, const WIDTH: usize>(
        self,
        op: &O,
        left: &Panels<L, HEIGHT>,
        right: &Panels<R, WIDTH>,
    ) -> Vec<Vec<Tile<O::State, WIDTH>>> {
        let tasks = self.panels[0].div_ceil(TASK[0]) * self.across();
        (0..tasks).into_par_iter().map(|task| self.fold(op, left, right, task)).collect()
    }

    /// The tiles of one task. Products meet in the order of the depth, whatever the steps.
    fn fold<L: State, R: State, O: Semiring<L, R>, const WIDTH: usize>(
        self,
        op: &O,
        left: &Panels<L, HEIGHT>,
        right: &Panels<R, WIDTH>,
        task: usize,
    ) -> Vec<Tile<O::State, WIDTH>> {
        let [down, across] = self.panels(task);
        let mut tiles = vec![[[op.identity(); WIDTH]; HEIGHT]; down.len() * across.len()];
        for start in (0..self.depth).step_by(STEP) {
            let depths = start..(start + STEP).min(self.depth);
            for column in across.clone() {
                let lines = right.lines(column, depths.clone());
                for row in down.clone() {
                    let tile = &mut tiles[(row - down.start) * across.len() + column - across.start];
                    run_widest(Products { op, left: left.lines(row, depths.clone()), right: lines, tile });
                }
            }
        }
        tiles
    }

    /// The tile of two panels.
    fn tile<S, const WIDTH: usize>(self, tiles: &[Vec<Tile<S, WIDTH>>], row: usize, column: usize) -> &Tile<S, WIDTH> {
        let task = row / TASK[0] * self.across() + column / TASK[1];
        let across = self.panels(task)[1].len();
        &tiles[task][row % TASK[0] * across + column % TASK[1]]
    }
}

/// The products of some depths, folded into a tile that stays in registers.
struct Products<'a, L, R, O: Semiring<L, R>, const WIDTH: usize>
where
    L: State,
    R: State,
{
    op: &'a O,
    left: &'a [[L; HEIGHT]],
    right: &'a [[R; WIDTH]],
    tile: &'a mut Tile<O::State, WIDTH>,
}

impl<L: State, R: State, O: Semiring<L, R>, const WIDTH: usize> Loop for Products<'_, L, R, O, WIDTH> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // see below
    fn run(self) {
        let mut sums = *self.tile;
        for (left, right) in self.left.iter().zip(self.right) {
            // By index: of the loops that were tried, these became vectors for every semiring.
            for row in 0..HEIGHT {
                for column in 0..WIDTH {
                    sums[row][column] = self.op.accumulate(sums[row][column], left[row], right[column]);
                }
            }
        }
        *self.tile = sums;
    }
}

type Rows<T> = Panels<T, HEIGHT>;
type Columns<T> = Panels<T, WIDTH>;
type Tiles<S> = Vec<Vec<Tile<S, WIDTH>>>;

/// The tiles of a semiring of the catalogue, by code that is compiled with this crate: a program's own profile may leave
/// vectors out.
fn compiled<L: State, R: State, O: Semiring<L, R>, const WIDTH: usize>(
    op: &O,
    left: &Panels<L, HEIGHT>,
    right: &Panels<R, WIDTH>,
    tasks: Tasks,
) -> Option<Vec<Vec<Tile<O::State, WIDTH>>>> {
    let (any, rows, columns): (&dyn Any, &dyn Any, &dyn Any) = (op, left, right);
    macro_rules! try_each {
        ($($name:ident: $op:ty, $scalar:ty);* $(;)?) => {$(
            fn $name(op: &$op, left: &Rows<$scalar>, right: &Columns<$scalar>, tasks: Tasks) -> Tiles<$scalar> {
                tasks.run(op, left, right)
            }
            if let (Some(op), Some(left), Some(right)) = (any.downcast_ref(), rows.downcast_ref(), columns.downcast_ref()) {
                return Some(same($name(op, left, right, tasks)));
            }
        )*};
    }
    try_each! {
        min_plus_f32: MinPlus<f32>, f32;
        min_plus_f64: MinPlus<f64>, f64;
        max_plus_f32: MaxPlus<f32>, f32;
        max_plus_f64: MaxPlus<f64>, f64;
    }
    None
}

/// A product of plain floats, whose types the caller has found out at run time. Factors in memory stay where they are.
fn floats<A: HostMatrix, B: HostMatrix, C: 'static, F: PlainFloat>(
    left: &A,
    right: &B,
    index: usize,
    shape: [usize; 3],
) -> Vec<C> {
    let [rows, depth, columns] = shape;
    let (mut left_copy, mut right_copy) = (Vec::new(), Vec::new());
    let left = factor::<A, F>(left, &mut left_copy, index * rows, [rows, depth]);
    let right = factor::<B, F>(right, &mut right_copy, index * depth, [depth, columns]);
    same(F::gemm(left, right, shape))
}

/// The same of a matrix of `[rows, columns]` and its transpose.
fn float_gram<M: HostMatrix, C: 'static, F: PlainFloat>(matrix: &M, [rows, columns]: [usize; 2]) -> Vec<C> {
    let mut copy = Vec::new();
    let right = factor::<M, F>(matrix, &mut copy, 0, [rows, columns]);
    let [down, across] = right.strides;
    same(F::gemm(Factor { strides: [across, down], ..right }, right, [columns, rows, columns]))
}

/// The rows from `above` on, as `[rows, columns]` floats.
fn factor<'a, M: HostMatrix, F: PlainFloat>(
    matrix: &'a M,
    copy: &'a mut Vec<M::Item>,
    above: usize,
    [rows, columns]: [usize; 2],
) -> Factor<'a, F> {
    let Stored { items, row_stride, column_stride } = match matrix.stored() {
        Some(stored) => Stored { items: stored.items.get(above * stored.row_stride..).unwrap_or_default(), ..stored },
        None => {
            let element = |place: usize| matrix.element((above + place / columns) as u32, (place % columns) as u32);
            *copy = (0..rows * columns).into_par_iter().map(element).collect();
            Stored { items: copy, row_stride: columns, column_stride: 1 }
        }
    };
    let items = items_as(items).expect("plus-times multiplies scalars of its own type");
    Factor { items, strides: [row_stride, column_stride] }
}

fn same<A: 'static, B: 'static>(values: Vec<A>) -> Vec<B> {
    let values: Box<dyn Any> = Box::new(values);
    *values.downcast().expect("a semiring of the catalogue gives states and results of its own type")
}
