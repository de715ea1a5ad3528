//! How far an estimate is pulled towards `μ I`, with `μ` its average variance; of `n` equally weighted rows of `p` columns,
//! whose covariance with divisor `n` is `S`.

use super::Shrinkage;

/// What both formulas are made of.
pub struct Rows<'a> {
    /// `Σ_t x_t x_tᵀ` of the centred rows, row-major.
    pub products: &'a [f64],
    /// `|x_t|²` of each.
    pub norms: &'a [f64],
    /// Columns.
    pub assets: usize,
}

impl Rows<'_> {
    /// How far, from 0 for not at all to 1.
    pub fn intensity(&self, shrinkage: Shrinkage) -> f64 {
        match shrinkage {
            Shrinkage::None => 0.0,
            Shrinkage::LedoitWolf => self.ledoit_wolf(),
            Shrinkage::Oas => self.oas(),
        }
    }

    /// `Σ_ij S_ij² / p` and `μ`.
    fn square_and_mean(&self) -> (f64, f64) {
        let (rows, assets) = (self.norms.len() as f64, self.assets as f64);
        let square = self.products.iter().map(|product| (product / rows).powi(2)).sum::<f64>() / assets;
        let trace: f64 = (0..self.assets).map(|asset| self.products[asset * (self.assets + 1)] / rows).sum();
        (square, trace / assets)
    }

    /// `min(β, δ) / δ`, with `δ = Σ S² / p − μ²` the estimate's distance from its target and `β = Σ_t |x_t x_tᵀ − S|² / (p n²)`
    /// how far it is from what it estimates. 0 where it is its target.
    fn ledoit_wolf(&self) -> f64 {
        let (rows, assets) = (self.norms.len() as f64, self.assets as f64);
        let (square, mean) = self.square_and_mean();
        let fourth = self.norms.iter().map(|norm| norm * norm).sum::<f64>() / (assets * rows);
        let distance = square - mean * mean;
        let error = ((fourth - square) / rows).clamp(0.0, distance.max(0.0));
        if error > 0.0 { error / distance } else { 0.0 }
    }

    /// `(Σ S² / p² + μ²) / ((n + 1)(Σ S² / p² − μ² / p))`, 1 at most.
    fn oas(&self) -> f64 {
        let (rows, assets) = (self.norms.len() as f64, self.assets as f64);
        let (square, mean) = self.square_and_mean();
        let (square, mean) = (square / assets, mean * mean);
        let from_target = (rows + 1.0) * (square - mean / assets);
        if from_target > 0.0 { ((square + mean) / from_target).min(1.0) } else { 1.0 }
    }
}

/// The estimate pulled by `intensity`.
pub fn shrink(covariance: &mut [f64], assets: usize, intensity: f64) {
    let mean = (0..assets).map(|asset| covariance[asset * (assets + 1)]).sum::<f64>() / assets as f64;
    for (place, entry) in covariance.iter_mut().enumerate() {
        *entry *= 1.0 - intensity;
        if place % (assets + 1) == 0 {
            *entry += intensity * mean;
        }
    }
}
