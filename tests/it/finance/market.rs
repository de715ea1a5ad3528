//! The market against its closed forms, and against its agents one by one in f64.

use cubefold::Device;
use cubefold::finance::{MarketOptions, market};
use cubefold::primitives::rng::{Key, Random, normal_pair, philox};

use super::{assert_near, rejects};
use crate::devices::{devices, gpus};

/// What is allowed on log prices near 1.
const TOLERANCE: f64 = 1e-6;

fn run(device: &Device, options: &MarketOptions) -> Vec<f64> {
    let run = market(device, options).unwrap();
    assert_eq!((run.steps, run.log_price.len()), (options.steps, options.steps as usize + 1));
    assert_eq!(run.device, device.label());
    run.log_price
}

/// Only fundamentalists and trend followers, half of each.
fn quiet() -> MarketOptions {
    MarketOptions { agents: 1000, mix: [0.5, 0.5, 0.0], steps: 120, initial_log_price: 0.5, ..MarketOptions::default() }
}

/// The demand of a noise trader.
fn noise(options: &MarketOptions, agent: u32, step: u32) -> f64 {
    let key = Key { low: options.seed as u32, high: (options.seed >> 32) as u32 };
    let words = philox(key, Random { a: agent, b: step / 4, c: 0, d: u32::from_be_bytes(*b"MARK") });
    let (front, back) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
    0.1 * options.strength[2] * f64::from([front.first, front.second, back.first, back.second][(step % 4) as usize])
}

/// The history in f64, one agent after another.
fn one_by_one(options: &MarketOptions) -> Vec<f64> {
    let ([fundamentalists, followers, _], [c, d, _]) = (options.counts(), options.strength);
    let mut history = vec![options.initial_log_price];
    for step in 0..options.steps {
        let now = history[step as usize];
        let lagged = history[step.saturating_sub(options.lag) as usize];
        let demand = |agent| match agent {
            agent if agent < fundamentalists => c * (options.log_fundamental - now),
            agent if agent < fundamentalists + followers => d * (now - lagged),
            agent => noise(options, agent, step),
        };
        let total: f64 = (0..options.agents).map(demand).sum();
        history.push(now + (options.lambda * total / f64::from(options.agents)).clamp(-0.2, 0.2));
    }
    history
}

#[test]
fn fundamentalists_alone_close_a_tenth_of_the_gap_in_a_step() {
    // O28: x_t = 1 − 0.9^t.
    let options = MarketOptions {
        agents: 1000,
        steps: 20,
        mix: [1.0, 0.0, 0.0],
        lambda: 0.2,
        log_fundamental: 1.0,
        ..MarketOptions::default()
    };
    let expected: Vec<f64> = (0..=20).map(|step| 1.0 - 0.9f64.powi(step)).collect();
    for (name, device) in devices() {
        let history = run(device, &options);
        assert_near(&history, &expected, TOLERANCE, name);
        assert_near(&history[20..], &[0.8784233454], TOLERANCE, name);
    }
}

#[test]
fn a_step_is_clamped_at_exactly_a_fifth_either_way() {
    // O28: F = ±5 and λ c = 1.
    for (name, device) in devices() {
        for (fundamental, most) in [(5.0, 0.2f32), (-5.0, -0.2)] {
            let options = MarketOptions {
                agents: 100,
                steps: 20,
                mix: [1.0, 0.0, 0.0],
                strength: [1.0; 3],
                lambda: 1.0,
                log_fundamental: fundamental,
                ..MarketOptions::default()
            };
            let mut price = 0.0f32;
            for (step, found) in run(device, &options).into_iter().enumerate() {
                assert_eq!(found, f64::from(price), "{name}, F = {fundamental}, step {step}");
                price += most;
            }
        }
    }
}

#[test]
fn trend_followers_look_back_by_the_lag_and_to_the_first_price_before_that() {
    for (name, device) in devices() {
        for lag in [0, 1, 2, 5, 20, 119, 120, 121, 1000, u32::MAX] {
            let options = MarketOptions { lag, ..quiet() };
            let case = format!("{name}, lag {lag}");
            assert_near(&run(device, &options), &one_by_one(&options), TOLERANCE, &case);
        }
    }
}

#[test]
fn a_price_bubbles_or_settles_as_the_largest_root_says() {
    // O28: x' = (1 − a + b) x − b x_(t−k), a = λ·share·c = 0.06: largest root 0.8557, 0.9412 and 1.3108.
    let last = |device: &Device, lag, trend: f64| {
        let strength = [0.12 / 0.5, 2.0 * trend / 0.5, 0.0];
        let options = MarketOptions { lag, strength, agents: 10, steps: 200, initial_log_price: 0.1, ..quiet() };
        let history = run(device, &options);
        history[180..].iter().fold(0.0f64, |most, price| most.max(price.abs()))
    };
    for (name, device) in devices() {
        assert!(last(device, 1, 0.5) < 1e-4, "{name}: b = 0.5, k = 1 settles");
        assert!(last(device, 5, 0.15) < 1e-4, "{name}: b = 0.15, k = 5 settles");
        assert!(last(device, 5, 0.5) > 0.2, "{name}: b = 0.5, k = 5 bubbles");
    }
}

#[test]
fn every_kind_of_agent_demands_what_its_formula_says() {
    for (name, device) in devices() {
        for agents in [1, 2, 3, 5, 10, 257, 4099] {
            for mix in [[0.4, 0.3, 0.3], [0.0, 0.0, 1.0], [0.0, 0.5, 0.5]] {
                let options = MarketOptions {
                    agents,
                    mix,
                    steps: 23,
                    lag: 3,
                    strength: [0.5, 0.7, -0.9],
                    log_fundamental: 0.3,
                    seed: 0x1234_5678_9abc,
                    ..MarketOptions::default()
                };
                let case = format!("{name}, {agents} agents, mix {mix:?}");
                assert_near(&run(device, &options), &one_by_one(&options), TOLERANCE, &case);
            }
        }
    }
}

#[test]
fn host_and_device_agree_bit_for_bit_without_noise_and_to_a_millionth_with_it() {
    for (name, device) in gpus() {
        for lag in [1, 5, 20] {
            let options = MarketOptions { lag, lambda: 1.7, log_fundamental: 0.123, ..quiet() };
            let (host, found) = (run(&Device::host(), &options), run(device, &options));
            let different = host.iter().zip(&found).position(|(left, right)| left.to_bits() != right.to_bits());
            assert_eq!(different, None, "{name}, lag {lag}: the first step that differs");
        }
        let noisy = MarketOptions { agents: 5000, steps: 100, ..MarketOptions::default() };
        assert_near(&run(device, &noisy), &run(&Device::host(), &noisy), TOLERANCE, name);
    }
}

#[test]
fn many_small_demands_are_not_lost() {
    // A demand of 4.9e-7 rounds to 0 millionths: the seed's total was 0. λ = 1, so that the move is the mean demand.
    for (name, device) in devices() {
        for (strength, fundamental, steps) in [(4.9e-7, 1.0, 1), (0.5, 9.8e-7, 1), (0.5, 9.8e-7, 20)] {
            let options = MarketOptions {
                agents: 100_000,
                steps,
                mix: [1.0, 0.0, 0.0],
                strength: [strength, 0.0, 0.0],
                lambda: 1.0,
                log_fundamental: fundamental,
                ..MarketOptions::default()
            };
            let moved = run(device, &options)[1];
            let case = format!("{name}, strength {strength}, {steps} steps");
            assert!((moved / 4.9e-7 - 1.0).abs() < 0.01, "{case}: {moved:e} is not 4.9e-7");
        }
    }
}

#[test]
fn small_demands_are_rounded_without_bias() {
    // Truncation to millionths halved a total of 100,000 draws of N(0, 3e-6)'s scale.
    let options = MarketOptions {
        agents: 100_000,
        steps: 1,
        mix: [0.0, 0.0, 1.0],
        strength: [0.0, 0.0, 3e-5],
        lambda: 1e6,
        ..MarketOptions::default()
    };
    let expected = one_by_one(&options);
    for (name, device) in devices() {
        assert_near(&run(device, &options), &expected, TOLERANCE, name);
    }
}

#[test]
fn a_large_total_does_not_wrap() {
    // The seed's sum of millionths in an i32 wraps above 2147; here it is 100,000.
    for (name, device) in devices() {
        for demand in [1.0, -1.0] {
            let options = MarketOptions {
                agents: 100_000,
                steps: 1,
                mix: [1.0, 0.0, 0.0],
                strength: [1.0; 3],
                lambda: 0.1,
                log_fundamental: demand,
                ..MarketOptions::default()
            };
            assert_near(&run(device, &options), &[0.0, 0.1 * demand], TOLERANCE, name);
        }
    }
}

#[test]
fn the_largest_numbers_that_are_accepted_stay_finite() {
    for (name, device) in devices() {
        for sign in [1.0, -1.0] {
            let options = MarketOptions {
                agents: 1000,
                steps: 5,
                strength: [1e9 * sign; 3],
                lambda: 1e9,
                log_fundamental: 1e9,
                initial_log_price: -1e9,
                lag: 2,
                ..MarketOptions::default()
            };
            let history = run(device, &options);
            assert!(history.iter().all(|price| price.is_finite()), "{name}: {history:?}");
        }
    }
}

#[test]
fn no_steps_leave_the_initial_price_alone() {
    for (name, device) in devices() {
        let options = MarketOptions { steps: 0, initial_log_price: 0.25, ..MarketOptions::default() };
        assert_eq!(run(device, &options), [0.25], "{name}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_another_history() {
    for (name, device) in devices() {
        let history = |seed| run(device, &MarketOptions { agents: 1000, steps: 30, seed, ..MarketOptions::default() });
        let first = history(1);
        assert_eq!(history(1), first, "{name}");
        for other in [2, 1 + (1 << 32)] {
            assert_ne!(history(other), first, "{name}, seed {other}");
        }
    }
}

#[test]
fn the_comparison_with_the_agents_rejects_a_wrong_lag_and_agents_that_were_dropped() {
    let options = MarketOptions { agents: 512, steps: 40, ..MarketOptions::default() };
    let expected = one_by_one(&options);
    for (name, device) in devices() {
        let rejected = |wrong: &[f64]| rejects(|| assert_near(wrong, &expected, TOLERANCE, name));
        let right = run(device, &options);
        assert!(!rejected(&right), "{name}: the result itself");
        assert!(rejected(&run(device, &MarketOptions { lag: 19, ..options })), "{name}: another lag");
        // A tile of 256 agents that demand nothing.
        assert!(rejected(&run(device, &MarketOptions { agents: 256, ..options })), "{name}: a dropped tile");
        let mut swapped = right.clone();
        swapped.swap(20, 21);
        assert!(rejected(&swapped), "{name}: a swapped pair");
    }
}
