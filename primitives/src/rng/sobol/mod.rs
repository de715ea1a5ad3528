//! Scrambled Sobol points: quasi-random numbers that fill a cube of up to 64 dimensions more evenly than independent ones.
//!
//! Like a random number a point is a value, `f(dimension, index)`: no state, no order of calls. Points come in the order of the
//! Gray code, as SciPy's and cuRAND's do; every aligned block of 2^k of them is a net, whatever the order within.
//!
//! I. M. Sobol, "On the distribution of points in a cube and the approximate evaluation of integrals", USSR Comput. Math. Math.
//! Phys. 7 (1967). Directions: see [`directions`]. Scrambling is Owen's nested uniform one ("Randomly permuted (t,m,s)-nets and
//! (t,s)-sequences", 1995) by a hash: B. Burley, "Practical hash-based Owen scrambling", JCGT 9 (2020), after S. Laine and T.
//! Karras (2011), with the constants of N. Vegdahl, "Building a better LK hash" (2021).
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

mod directions;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use super::{Key, Random, philox};
use crate::{Captured, Device, Error, Fixed, wrapping_add, wrapping_mul};
use directions::{BITS, POLYNOMIALS, directions};

/// Bits of an index that are looked up at a time.
const DIGIT: usize = 4;

/// Words of a dimension: what each digit of the index adds, then the seed of its scrambling.
const STRIDE: u32 = ((BITS / DIGIT) << DIGIT) as u32 + 1;

/// Sets these seeds apart from all other draws of the same key.
const DOMAIN: u32 = 0x536f_626c;

/// A Sobol sequence, to be a field of an operator that reads its points.
///
/// A point is 32 bits in each dimension: [`uniform()`](super::uniform()) and [`normal_from()`](super::normal_from()) make numbers of
/// them. A point takes 8 reads of a table of 129 words a dimension, which every launch uploads; [`on`](Sobol::on) does so once.
///
/// Averages over the first 2^k points of a smooth function err by about 2^(−3k/2) when scrambled, where independent ones err by
/// 2^(−k/2). The plain sequence begins with 0 in every dimension and has no error estimate; averages over several seeds do.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::rng::{Sobol, uniform};
///
/// let sobol = Sobol::scrambled(2, 42)?;
/// let inside = |index: &u32| uniform(sobol.point(*index, 0)).hypot(uniform(sobol.point(*index, 1))) < 1.0;
/// let quarter = (0..4096).filter(inside).count() as f64 / 4096.0;
/// assert!((4.0 * quarter - std::f64::consts::PI).abs() < 0.01);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Operator)]
pub struct Sobol {
    table: Captured<u32>,
    scrambled: Fixed<bool>,
}

impl Sobol {
    /// How many dimensions there are at most.
    pub const DIMENSIONS: u32 = POLYNOMIALS.len() as u32;

    /// The sequence itself.
    ///
    /// # Errors
    ///
    /// [`Error::Dimensions`] for none or more than 64.
    pub fn new(dimensions: u32) -> Result<Self, Error> {
        Ok(Sobol { table: table(dimensions, 0)?.into(), scrambled: Fixed(false) })
    }

    /// The sequence, every dimension scrambled on its own. Every point is then uniform on the cube, and a net remains a net.
    ///
    /// # Errors
    ///
    /// As [`new`](Sobol::new).
    pub fn scrambled(dimensions: u32, seed: u64) -> Result<Self, Error> {
        Ok(Sobol { table: table(dimensions, seed)?.into(), scrambled: Fixed(true) })
    }

    /// The same with its table uploaded to `device`, for many launches there.
    ///
    /// # Errors
    ///
    /// What goes wrong on the device, and [`Error::ForeignBuffer`] or [`Error::NotOnHost`] where the table is on another one.
    pub fn on(&self, device: &Device) -> Result<Self, Error> {
        Ok(Sobol { table: self.table.on(device)?, scrambled: self.scrambled })
    }
}

#[cube]
impl Sobol {
    /// Coordinate `dimension` of point `index`, in units of 2^−32. The dimension is one that the sequence was made for.
    pub fn point(&self, index: u32, dimension: u32) -> u32 {
        let first = dimension * comptime!(STRIDE);
        let gray = index ^ (index >> 1u32);
        let mut point = 0u32.runtime();
        #[unroll]
        for digit in 0..comptime!((BITS / DIGIT) as u32) {
            let value = (gray >> comptime!(digit * DIGIT as u32)) & comptime!((1u32 << DIGIT) - 1u32);
            let place = first + comptime!(digit << DIGIT) + value;
            point ^= self.table[place as usize];
        }
        // The table has the bits in reverse.
        if comptime!(self.scrambled.0) {
            let seed = self.table[(first + comptime!(STRIDE - 1)) as usize];
            owen(point, seed).reverse_bits()
        } else {
            point.reverse_bits()
        }
    }
}

/// A permutation of the 32-bit integers in which a bit depends on the bits below it alone: in reverse, a nested scrambling.
#[cube]
fn owen(word: u32, seed: u32) -> u32 {
    let once = word ^ wrapping_mul(word, comptime!(0x3d20_adeau32).runtime());
    let seeded = wrapping_mul(wrapping_add(once, seed), (seed >> 16u32) | 1u32);
    let twice = seeded ^ wrapping_mul(seeded, comptime!(0x0552_6c56u32).runtime());
    twice ^ wrapping_mul(twice, comptime!(0x53a2_2864u32).runtime())
}

/// What every value of every digit of an index adds to a coordinate, bits in reverse, and the seeds.
fn table(dimensions: u32, seed: u64) -> Result<Vec<u32>, Error> {
    let limit = Sobol::DIMENSIONS;
    if dimensions == 0 || dimensions > limit {
        return Err(Error::Dimensions { got: dimensions, limit });
    }
    let mut table = Vec::with_capacity((dimensions * STRIDE) as usize);
    for dimension in 0..dimensions {
        for digit in directions(dimension as usize).chunks(DIGIT) {
            table.extend((0..1usize << DIGIT).map(|value| {
                let added = digit.iter().enumerate().filter(|(bit, _)| value >> bit & 1 == 1);
                added.fold(0, |sum, (_, direction)| sum ^ direction).reverse_bits()
            }));
        }
        let key = Key { low: seed as u32, high: (seed >> 32) as u32 };
        table.push(philox(key, Random { a: dimension, b: 0, c: 0, d: DOMAIN }).a);
    }
    Ok(table)
}

#[cfg(test)]
mod tests;
