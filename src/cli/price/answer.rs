//! An estimate as it is printed.

use cubefold_finance::{Estimate, GreekEstimate, Greeks};
use serde::Serialize;

use super::super::error::CliError;
use super::super::output::{Answer, cell, csv_bytes};
use crate::report::table::{Side, TextTable, duration, grouped, significant};

/// An estimate, and the price by formula where there is one.
#[derive(Debug, Serialize)]
pub struct PriceAnswer {
    #[serde(flatten)]
    estimate: Estimate,
    #[serde(skip)]
    closed_form: Option<(&'static str, f64)>,
}

impl PriceAnswer {
    /// `closed_form` is the formula's name and price.
    pub fn new(estimate: Estimate, closed_form: Option<(&'static str, f64)>) -> Self {
        PriceAnswer { estimate, closed_form }
    }

    /// Distance from the closed form in standard errors; none where the error is 0.
    fn distance(&self, closed_form: f64) -> Option<f64> {
        let distance = (self.estimate.value - closed_form) / self.estimate.std_error;
        distance.is_finite().then_some(distance)
    }

    fn greeks(&self) -> Vec<(&'static str, GreekEstimate)> {
        let named = |greeks: &Greeks<GreekEstimate>| greeks.named().map(|(name, greek)| (name, *greek)).to_vec();
        self.estimate.greeks.as_ref().map_or_else(Vec::new, named)
    }
}

impl Answer for PriceAnswer {
    const NAME: &'static str = "price";

    fn table(&self) -> String {
        let estimate = &self.estimate;
        let [low, high] = estimate.ci95.map(|end| significant(end, 8));
        let mut table = TextTable::new([("value", Side::Left), (&significant(estimate.value, 8), Side::Left)]);
        table.row(["standard error", &significant(estimate.std_error, 4)]);
        table.row(["95 % interval", &format!("{low} to {high}")]);
        if let Some((name, closed_form)) = self.closed_form {
            let away = self.distance(closed_form).map(|distance| format!(", {distance:+.2} standard errors away"));
            table.row([name, &format!("{}{}", significant(closed_form, 8), away.unwrap_or_default())]);
        }
        for (name, greek) in self.greeks() {
            table.row([name, &format!("{} ± {}", significant(greek.value, 6), significant(greek.std_error, 2))]);
        }
        if let Some(reduction) = estimate.variance_reduction {
            table.row(["variance reduction", &format!("{} ×", significant(reduction, 3))]);
        }
        table.row(["paths", &grouped(estimate.paths)]);
        table.row(["seed", &estimate.seed.to_string()]);
        table.row(["device", &estimate.device]);
        table.row(["first call", &duration(estimate.seconds_cold)]);
        table.row(["later call", &duration(estimate.seconds_warm)]);
        table.render()
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let estimate = &self.estimate;
        let header = "value,std_error,ci95_low,ci95_high,paths,seed,device,seconds_cold,seconds_warm";
        let mut header: Vec<String> = header.split(',').map(str::to_owned).collect();
        let mut row = vec![
            cell(estimate.value),
            cell(estimate.std_error),
            cell(estimate.ci95[0]),
            cell(estimate.ci95[1]),
            estimate.paths.to_string(),
            estimate.seed.to_string(),
            estimate.device.clone(),
            cell(estimate.seconds_cold),
            cell(estimate.seconds_warm),
        ];
        if let Some(reduction) = estimate.variance_reduction {
            header.push("variance_reduction".to_owned());
            row.push(cell(reduction));
        }
        for (name, greek) in self.greeks() {
            header.extend([name.to_owned(), format!("{name}_std_error")]);
            row.extend([cell(greek.value), cell(greek.std_error)]);
        }
        csv_bytes([header, row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_without_error_has_no_distance_and_null_is_printed_for_nan() {
        let estimate = Estimate {
            value: 5.0,
            std_error: 0.0,
            ci95: [f64::NAN, 5.0],
            paths: 1,
            seed: 0,
            device: "host".to_owned(),
            seconds_cold: 0.0,
            seconds_warm: 0.0,
            variance_reduction: None,
            greeks: None,
        };
        let answer = PriceAnswer::new(estimate, Some(("Black–Scholes", 5.0)));
        assert_eq!(answer.distance(5.0), None);
        let json = serde_json::to_string(&answer).expect("numbers are JSON");
        assert!(json.contains("\"ci95\":[null,5.0]") && !json.contains("closed_form"), "{json}");
        assert!(answer.table().contains("95 % interval   – to 5.0000000"));
    }
}
