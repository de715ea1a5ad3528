//! The edge of a cloud: of portfolios with so much return or more, the one of least volatility.
//!
//! Returns are cut into bins. The calmest portfolio of each is an arg-reduction of a row of all portfolios; a scan of the
//! bins from the largest return down keeps the calmest so far, so that what another portfolio beats on both sides drops out.

use cubecl::prelude::*;
use cubefold_primitives::ops::{ArgMinimum, Resume};
use cubefold_primitives::views::{Dense, Mapping, MappingExpand, Matrix};
use cubefold_primitives::{Both, Buffer, Counter, Device, Operator, Real, ScanOptions, State, Wide};

use super::evaluate::Evaluated;
use crate::error::FinanceError;

/// The numbers of the portfolios on the edge of `points` in ascending order of return: for each of `bins` equal stretches of
/// returns from `lowest` to `highest` the calmest that returns its lower end or more. Each portfolio comes once, and there
/// may be fewer than bins.
pub(super) fn edge<T: Real>(
    device: &Device,
    points: &Buffer<Evaluated<T>>,
    [lowest, highest]: [f64; 2],
    bins: u32,
) -> Result<Vec<u32>, FinanceError> {
    let portfolios = points.len() as u32;
    let end = |bin: u32| lowest + (highest - lowest) * f64::from(bin) / f64::from(bins);
    let bin = |bin: u32| Bin {
        from: T::constant(end(bin)),
        // Whatever lies past the last end by rounding is in the last bin.
        to: if bin + 1 == bins { T::HIGHEST } else { T::constant(end(bin + 1)) },
    };
    let stretches: Vec<Bin<T>> = (0..bins).map(bin).collect();
    let stretches = device.upload(&stretches)?;
    let numbers = Dense::repeated_row(Counter::new(u64::from(portfolios)), bins)?;
    let beside = Dense::repeated_row(points, bins)?.zip_elements(Dense::repeated_column(&stretches, portfolios)?)?;
    let within = beside.zip_elements(numbers)?.map_elements(Within { outside: T::HIGHEST });
    let calmest = device.reduce_rows(&within, &ArgMinimum::<T>::new())?;
    let options = ScanOptions { reverse: true, ..ScanOptions::default() };
    let edge = device.scan_with(&calmest, &Resume::new(ArgMinimum::<T>::new()), &options)?.to_vec()?;
    let there = edge.iter().filter(|best| best.value < T::HIGHEST).filter_map(|best| best.index());
    let mut numbers: Vec<u32> = there.map(|number| number as u32).collect();
    numbers.dedup();
    Ok(numbers)
}

/// A stretch of returns.
#[derive(Debug, Clone, Copy, State)]
struct Bin<T: Real> {
    from: T,
    to: T,
}

/// The volatility of a portfolio whose return is in a bin, else `outside`; and its number.
#[derive(Debug, Clone, Operator)]
struct Within<T: Real> {
    outside: T,
}

#[cube]
impl<T: Real> Mapping<Both<Both<Evaluated<T>, Bin<T>>, Wide>> for Within<T> {
    type Output = Both<T, Wide>;

    fn map(&self, item: Both<Both<Evaluated<T>, Bin<T>>, Wide>) -> Both<T, Wide> {
        let (point, bin) = (item.left.left, item.left.right);
        let below = select(point.ret < bin.to, point.volatility, self.outside);
        Both::<T, Wide> { left: select(point.ret >= bin.from, below, self.outside), right: item.right }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::covariance::Covariance;
    use crate::frontier::evaluate::Evaluator;

    #[test]
    fn the_edge_is_what_no_other_portfolio_beats() {
        // Portfolios of one asset each: return and volatility are the asset's.
        let assets: [(f64, f64); 7] =
            [(0.02, 0.3), (0.05, 0.1), (0.08, 0.15), (0.09, 0.12), (0.15, 0.4), (0.16, 0.2), (0.2, 0.5)];
        let count = assets.len();
        let mut covariance = vec![0.0; count * count];
        let mut identity = vec![0.0; count * count];
        for (asset, (_, volatility)) in assets.iter().enumerate() {
            covariance[asset * (count + 1)] = volatility * volatility;
            identity[asset * (count + 1)] = 1.0;
        }
        let estimate = Covariance {
            assets: (0..count).map(|asset| asset.to_string()).collect(),
            periods: 9,
            ddof: 1,
            mean: assets.iter().map(|(ret, _)| *ret).collect(),
            covariance,
            shrinkage: 0.0,
        };
        let device = Device::host();
        let weights = device.upload(&identity).unwrap();
        let evaluator = Evaluator::<f64>::new(&device, &estimate, 0.02).unwrap();
        let points = evaluator.points(&device, &Dense::new(&weights, 7, 7).unwrap()).unwrap();
        let found = |ends, bins| edge(&device, &points, ends, bins).unwrap();
        assert_eq!(found([0.05, 0.2], 300), [1, 3, 5, 6], "fine bins find all that are efficient");
        assert_eq!(found([0.05, 0.2], 1), [1]);
        assert_eq!(found([0.05, 0.2], 2), [1, 5], "one a bin");
        assert!(found([0.3, 0.4], 4).is_empty(), "no portfolio returns so much");
        assert_eq!(found([0.2, 0.2], 3), [6], "bins of no width");
    }
}
