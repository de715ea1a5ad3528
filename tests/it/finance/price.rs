//! The Monte-Carlo price against Black and Scholes, and against its own paths one by one.

use cubefold::Device;
use cubefold::finance::{Estimate, European, MonteCarlo, Style, price};
use cubefold::primitives::rng::{Key, Random, normal_pair, philox};

use super::{assert_near, rejects};
use crate::devices::devices;

/// S = K = 100, r = 5 %, σ = 20 %, T = 1 (O2).
const AT_THE_MONEY: f64 = 10.450584;

/// The paths of the price at the money.
const PATHS: u64 = 20_000_000;

fn option(style: Style, spot: f64, strike: f64, dividend: f64, rate: f64, expiry: f64, vol: f64) -> European {
    European { spot, strike, rate, dividend, vol, expiry, style }
}

fn run(device: &Device, option: &European, paths: u64, seed: u64) -> Estimate {
    price(device, option, &MonteCarlo { paths, seed, ..MonteCarlo::default() }).unwrap()
}

fn assert_within_four_errors(estimate: &Estimate, expected: f64, case: &str) {
    let off = (estimate.value - expected) / estimate.std_error;
    assert!(off.abs() <= 4.0, "{case}: {} is {off:.2} standard errors from {expected}", estimate.value);
}

/// What the same paths may be worth on two devices, relative to it.
const ACROSS: f64 = 2e-6;

#[test]
fn the_price_at_the_money_is_black_scholes_within_four_standard_errors() {
    let mut first = None;
    for (name, device) in devices() {
        let estimate = run(device, &European::default(), PATHS, 42);
        let first = *first.get_or_insert(estimate.value);
        let apart = (estimate.value / first - 1.0).abs();
        assert!(apart <= ACROSS, "{name}: {} is {apart:e} from {first}", estimate.value);
        assert_within_four_errors(&estimate, AT_THE_MONEY, name);
        // The standard deviation of the discounted payoff is 14.71940 (O2).
        let closed = 14.71940 / (PATHS as f64).sqrt();
        assert!((estimate.std_error / closed - 1.0).abs() < 0.01, "{name}: {} is not {closed}", estimate.std_error);
        let half = 1.96 * estimate.std_error;
        assert_eq!(estimate.ci95, [estimate.value - half, estimate.value + half], "{name}");
        assert_eq!((estimate.paths, estimate.seed, &estimate.device), (PATHS, 42, &device.label()), "{name}");
        assert!(estimate.seconds_cold > 0.0 && estimate.seconds_warm > 0.0, "{name}");
    }
}

#[test]
fn calls_and_puts_with_and_without_a_dividend_are_the_textbooks() {
    let textbooks = [
        (option(Style::Put, 100.0, 100.0, 0.0, 0.05, 1.0, 0.2), 5.573526, "O2, put"),
        (option(Style::Call, 42.0, 40.0, 0.0, 0.1, 0.5, 0.2), 4.759422, "O1, Hull's call"),
        (option(Style::Put, 42.0, 40.0, 0.0, 0.1, 0.5, 0.2), 0.808599, "O1, Hull's put"),
        (option(Style::Put, 100.0, 95.0, 0.05, 0.1, 0.5, 0.2), 2.4648, "O3, Haug's put"),
        (option(Style::Call, 42.0, 40.0, 0.08, 0.04, 0.75, 0.35), 5.0975, "O3, Haug's call"),
    ];
    for (name, device) in devices() {
        for (option, expected, source) in textbooks {
            assert_within_four_errors(&run(device, &option, 1 << 18, 7), expected, &format!("{name}, {source}"));
        }
    }
}

#[test]
fn calls_and_puts_keep_parity_within_their_errors() {
    for (name, device) in devices() {
        for strike in [80.0, 100.0, 125.0] {
            let [call, put] = [Style::Call, Style::Put]
                .map(|style| run(device, &option(style, 100.0, strike, 0.03, 0.05, 2.0, 0.3), 1 << 18, 3));
            let parity = 100.0 * f64::exp(-0.03 * 2.0) - strike * f64::exp(-0.05 * 2.0);
            let (gap, error) = (call.value - put.value - parity, call.std_error + put.std_error);
            assert!(gap.abs() <= 4.0 * error, "{name}, strike {strike}: off by {gap} with an error of {error}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_another_price() {
    for (name, device) in devices() {
        let bits = |seed| {
            let estimate = run(device, &European::default(), 100_003, seed);
            (estimate.value.to_bits(), estimate.std_error.to_bits())
        };
        let first = bits(42);
        assert_eq!(bits(42), first, "{name}");
        for other in [43, 42 + (1 << 32)] {
            assert_ne!(bits(other).0, first.0, "{name}, seed {other}");
        }
    }
}

/// Value and standard error in f64, one path after another.
fn one_by_one(option: &European, paths: u64, seed: u64) -> [f64; 2] {
    let sign = if option.style == Style::Call { 1.0 } else { -1.0 };
    let drift = (option.rate - option.dividend - option.vol * option.vol / 2.0) * option.expiry;
    let payoff = |path: u64| {
        let key = Key { low: seed as u32, high: (seed >> 32) as u32 };
        let domain = u32::from_be_bytes(*b"EURO");
        let words = philox(key, Random { a: (path / 4) as u32, b: ((path / 4) >> 32) as u32, c: 0, d: domain });
        let (front, back) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
        let normal = f64::from([front.first, front.second, back.first, back.second][(path % 4) as usize]);
        let end = option.spot * (drift + option.vol * option.expiry.sqrt() * normal).exp();
        (-option.rate * option.expiry).exp() * (sign * (end - option.strike)).max(0.0)
    };
    let payoffs: Vec<f64> = (0..paths).map(payoff).collect();
    let mean = payoffs.iter().sum::<f64>() / paths as f64;
    let squares: f64 = payoffs.iter().map(|payoff| (payoff - mean) * (payoff - mean)).sum();
    [mean, (squares / (paths as f64 - 1.0) / paths as f64).sqrt()]
}

/// Absolute, in units of a spot of 100: f32, and a device's sine, cosine, logarithm and exponential.
const PATH_TOLERANCE: f64 = 1e-3;

#[test]
fn any_number_of_paths_is_the_mean_of_exactly_those_paths() {
    // In the money, so that every path counts.
    let call = option(Style::Call, 100.0, 60.0, 0.01, 0.05, 1.5, 0.2);
    let put = option(Style::Put, 100.0, 140.0, 0.01, 0.05, 0.5, 0.2);
    for (name, device) in devices() {
        for option in [call, put] {
            for paths in [1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 64, 65, 128, 1023, 4099] {
                for seed in [42, 0xdead_beef_0000_0007] {
                    let case = format!("{name}, {:?}, {paths} paths, seed {seed}", option.style);
                    let estimate = run(device, &option, paths, seed);
                    let [value, error] = one_by_one(&option, paths, seed);
                    assert_near(&[estimate.value], &[value], PATH_TOLERANCE, &case);
                    match paths {
                        1 => assert!(estimate.std_error.is_nan(), "{case}: one path has no error"),
                        _ => assert_near(&[estimate.std_error], &[error], PATH_TOLERANCE, &case),
                    }
                }
            }
        }
    }
}

#[test]
fn the_comparison_with_the_paths_rejects_one_path_too_few_or_another_seed() {
    let option = option(Style::Call, 100.0, 60.0, 0.01, 0.05, 1.5, 0.2);
    for (name, device) in devices() {
        for (paths, seed) in [(256, 42), (257, 43)] {
            let estimate = run(device, &option, paths, seed);
            let [value, _] = one_by_one(&option, 257, 42);
            assert!(
                rejects(|| assert_near(&[estimate.value], &[value], PATH_TOLERANCE, name)),
                "{name}, {paths} paths"
            );
        }
        let estimate = run(device, &European::default(), 1 << 18, 7);
        let wrong = AT_THE_MONEY + 8.0 * estimate.std_error;
        assert!(rejects(|| assert_within_four_errors(&estimate, wrong, name)), "{name}");
    }
}

#[test]
fn no_volatility_or_no_time_pays_the_intrinsic_value() {
    let certain = [
        (option(Style::Call, 100.0, 102.0, 0.02, 0.05, 1.0, 0.0), 0.994466, "O5, call"),
        (option(Style::Put, 100.0, 102.0, 0.02, 0.05, 1.0, 0.0), 0.0, "O5, put"),
        (option(Style::Call, 100.0, 100.0, 0.0, 0.05, 0.0, 0.2), 0.0, "at the money, no time"),
        (option(Style::Put, 100.0, 100.0, 0.0, 0.05, 0.0, 0.2), 0.0, "at the money, no time, put"),
        (option(Style::Call, 120.0, 100.0, 0.0, 0.05, 0.0, 0.2), 20.0, "in the money, no time"),
        (option(Style::Put, 80.0, 100.0, 0.0, 0.05, 0.0, 0.2), 20.0, "in the money, no time, put"),
        (option(Style::Call, 120.0, 100.0, 0.0, 0.0, 0.0, 0.0), 20.0, "neither"),
        (option(Style::Call, 100.0, 100.0, 0.0, 0.0, 1.0, 0.0), 0.0, "no volatility, no drift"),
        (option(Style::Put, 0.0, 100.0, 0.0, 0.0, 1.0, 0.2), 100.0, "a stock that is worth nothing"),
        (option(Style::Call, 0.0, 0.0, 0.0, 0.05, 1.0, 0.2), 0.0, "nothing for nothing"),
    ];
    for (name, device) in devices() {
        for (option, expected, reason) in certain {
            let case = format!("{name}, {reason}");
            let estimate = run(device, &option, 1001, 42);
            // Half a unit of the last of O5's printed digits.
            assert_near(&[estimate.value], &[expected], 5e-7, &case);
            assert_eq!(estimate.std_error, 0.0, "{case}");
            assert_eq!(estimate.ci95, [estimate.value; 2], "{case}");
        }
    }
}

#[test]
fn extreme_numbers_that_are_accepted_have_finite_prices() {
    let extremes = [
        option(Style::Call, 100.0, 100.0, 0.0, 0.05, 1.0, 1e30),
        option(Style::Put, 100.0, 100.0, 0.0, 0.05, 1.0, 1e300),
        option(Style::Call, 1e300, 1e300, 0.0, 0.05, 1.0, 0.2),
        option(Style::Call, 1e-300, 1e-300, 0.0, 0.05, 1.0, 0.2),
        option(Style::Call, 100.0, 100.0, 0.0, 700.0, 1.0, 0.2),
        option(Style::Put, 100.0, 100.0, 700.0, 0.0, 1.0, 0.2),
        option(Style::Call, 100.0, 0.0, 0.0, 0.05, 1.0, 0.2),
    ];
    for (name, device) in devices() {
        for option in extremes {
            let estimate = run(device, &option, 1001, 42);
            let largest = option.spot.max(option.strike);
            assert!((0.0..=2.0 * largest).contains(&estimate.value), "{name}: {} for {option:?}", estimate.value);
            assert!(estimate.std_error.is_finite(), "{name}: {} for {option:?}", estimate.std_error);
        }
    }
}
