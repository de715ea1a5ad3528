//! Markets from outside and many at once: every way of running, scenarios, spread strengths, ensembles against the theory.

use cubefold::finance::market::ensemble::{Axis, ensemble, histories};
use cubefold::finance::market::theory::largest_root;
use cubefold::finance::{FinanceError, MarketOptions, MarketRun, Scenario, Shock, market, market_with};
use cubefold::iterate::Way;
use cubefold::primitives::rng::{Key, Random, normal_pair, philox};
use cubefold::{Device, Error};

use super::assert_near;
use crate::devices::{devices, gpus, is_software, observed, private, ways};

/// Only fundamentalists and trend followers, that overshoot.
fn quiet() -> MarketOptions {
    MarketOptions {
        agents: 1000,
        mix: [0.5, 0.5, 0.0],
        steps: 60,
        lag: 5,
        lambda: 1.3,
        log_fundamental: 0.2,
        ..MarketOptions::default()
    }
}

fn bits(run: &MarketRun) -> Vec<u64> {
    let demand = run.excess_demand.iter().flatten();
    run.log_price.iter().chain(demand).map(|value| value.to_bits()).collect()
}

fn axis(text: &str) -> Axis {
    text.parse().unwrap()
}

/// A fundamental value that wanders, and two shocks.
fn eventful(steps: u32) -> Scenario {
    let path = (0..=steps).map(|step| 0.3 * (f64::from(step) * 0.2).sin());
    let shocks = vec![Shock { step: 7, size: -0.5 }, Shock { step: 20, size: 0.25 }];
    Scenario { log_fundamental: Some(path.collect()), shocks }
}

#[test]
fn every_way_gives_the_bits_of_the_host_without_noise() {
    for agents in [1, 777, 9_001] {
        let options = MarketOptions { agents, ..quiet() };
        for scenario in [Scenario::default(), eventful(options.steps)] {
            let host = market_with(&Device::host(), &options, &scenario, Way::Auto).unwrap();
            assert!(host.log_price.iter().any(|price| *price != 0.0));
            for (name, device) in gpus() {
                for way in ways(device) {
                    let found = market_with(device, &options, &scenario, way).unwrap();
                    assert!(bits(&found) == bits(&host), "{name}, {way:?}, {agents} agents");
                }
            }
        }
    }
}

#[test]
fn every_way_gives_the_same_bits_with_noise_and_so_do_a_hundred_runs() {
    let options = MarketOptions { agents: 2500, steps: 9, strength_spread: 0.3, ..MarketOptions::default() };
    for (name, device) in devices() {
        let first = bits(&market(device, &options).unwrap());
        for way in ways(device) {
            let found = market_with(device, &options, &Scenario::default(), way).unwrap();
            assert!(bits(&found) == first, "{name}, {way:?}");
        }
        for run in 0..100 {
            assert!(bits(&market(device, &options).unwrap()) == first, "{name}, run {run}");
        }
    }
}

#[test]
fn the_way_that_is_asked_for_is_the_one_that_runs() {
    for (name, device) in gpus() {
        for way in ways(device).into_iter().filter(|way| !matches!(way, Way::Auto | Way::Resident)) {
            let (kernel, launches) = match way {
                Way::Launches | Way::Recorded => ("iterate::step", 61),
                _ => ("iterate::whole", 1),
            };
            let device = private(device);
            let seen = observed(&device);
            market_with(&device, &quiet(), &Scenario::default(), way).unwrap();
            assert_eq!(*seen.lock().unwrap(), vec![(kernel, way.name()); launches], "{name}");
        }
    }
}

#[test]
fn demands_of_the_kinds_are_what_moves_the_price() {
    let options = MarketOptions { agents: 2000, steps: 30, log_fundamental: 0.3, ..MarketOptions::default() };
    for (name, device) in devices() {
        let scenario = eventful(options.steps);
        let run = market_with(device, &options, &scenario, Way::Auto).unwrap();
        let path = scenario.log_fundamental.as_ref().unwrap();
        assert_eq!(run.excess_demand.len(), 30);
        for (step, demand) in run.excess_demand.iter().enumerate() {
            let jump: f64 =
                scenario.shocks.iter().filter(|shock| shock.step == step as u32).map(|shock| shock.size).sum();
            let total: f64 = demand.iter().sum();
            let moved = (options.lambda * total / 2000.0).clamp(-0.2, 0.2) + jump;
            let case = format!("{name}, step {step}");
            assert_near(&[run.log_price[step + 1]], &[run.log_price[step] + moved], 1e-6, &case);
            let expected = 800.0 * 0.5 * (path[step] - run.log_price[step]);
            assert_near(&demand[..1], &[expected], 1e-3, &case);
        }
    }
}

#[test]
fn strengths_of_their_own_come_from_the_agents_numbers() {
    let (agents, spread, seed) = (3000u32, 0.4, 9u64);
    let options = MarketOptions {
        agents,
        steps: 1,
        mix: [1.0, 0.0, 0.0],
        log_fundamental: 0.1,
        lambda: 1.0,
        strength_spread: spread,
        seed,
        ..MarketOptions::default()
    };
    let strength = |agent| {
        let key = Key { low: seed as u32, high: (seed >> 32) as u32 };
        let words = philox(key, Random { a: agent, b: 0, c: 0, d: u32::from_be_bytes(*b"STRN") });
        (spread * (f64::from(normal_pair(words.a, words.b).first) - 0.5 * spread)).exp()
    };
    let total: f64 = (0..agents).map(|agent| 0.5 * strength(agent) * 0.1).sum();
    for (name, device) in devices() {
        let run = market(device, &options).unwrap();
        assert_near(&run.log_price, &[0.0, total / f64::from(agents)], 1e-6, name);
        // Alike, each would move the price by 0.05: their mean strength is near that of the kind, and not the same.
        let off = (run.log_price[1] / 0.05 - 1.0).abs();
        assert!(off > 1e-6 && off < 5.0 * spread / f64::from(agents).sqrt(), "{name}: {off}");
    }
}

#[test]
fn a_demand_without_room_is_one_error_and_never_a_wrong_price() {
    for (name, device) in devices() {
        // 0.5 · 1 · 2^30 fits, 2^31 does not; the gap widens to its double at the shock of step 3.
        let options = MarketOptions { mix: [1.0, 0.0, 0.0], log_fundamental: 1.0, lambda: 0.0, agents: 100, ..quiet() };
        let with = |bits, shocks: &[Shock]| {
            let scenario = Scenario { shocks: shocks.to_vec(), ..Scenario::default() };
            let options = MarketOptions { fraction_bits: Some(bits), ..options };
            let run = |way| market_with(device, &options, &scenario, way).map(|run| run.log_price);
            ways(device).into_iter().map(run).collect::<Vec<_>>()
        };
        let fell = [Shock { step: 3, size: -1.0 }];
        assert!(with(30, &[]).into_iter().all(|run| run.is_ok()), "{name}");
        for found in with(31, &[]) {
            assert!(matches!(found, Err(FinanceError::DemandOverflow { step: 0, bits: 31 })), "{name}: {found:?}");
        }
        for found in with(30, &fell) {
            assert!(matches!(found, Err(FinanceError::DemandOverflow { step: 4, bits: 30 })), "{name}: {found:?}");
        }
        assert!(with(29, &fell).into_iter().all(|run| run.is_ok()), "{name}");
        // Of many markets the first that lacks one is told.
        let fits = MarketOptions { fraction_bits: Some(30), ..options };
        let lacks = MarketOptions { fraction_bits: Some(31), ..options };
        let all = |markets: &[MarketOptions]| histories(device, markets, &Scenario::default());
        assert!(matches!(all(&[fits, lacks]), Err(FinanceError::DemandOverflow { step: 0, bits: 31 })), "{name}");
        assert_eq!(all(&[fits, fits]).map(|found| found.len()).ok(), Some(2), "{name}");
    }
}

#[test]
fn markets_of_nothing_and_of_nobody_who_wants_anything_stand_still() {
    for (name, device) in devices() {
        for options in [
            MarketOptions { strength: [0.0; 3], ..quiet() },
            MarketOptions { agents: 1, lambda: 0.0, ..MarketOptions::default() },
            MarketOptions { lag: u32::MAX, mix: [0.0, 1.0, 0.0], ..quiet() },
        ] {
            let run = market(device, &MarketOptions { initial_log_price: 0.25, steps: 20, ..options }).unwrap();
            assert_eq!(run.log_price, [0.25; 21], "{name}");
        }
        let wrong = MarketOptions { lambda: f64::NAN, ..quiet() };
        assert!(matches!(market(device, &wrong), Err(FinanceError::NotFinite { .. })), "{name}");
        let short = Scenario { log_fundamental: Some(vec![0.0; 60]), ..Scenario::default() };
        let found = market_with(device, &quiet(), &short, Way::Auto);
        assert!(matches!(found, Err(FinanceError::PathLength { given: 60, needed: 61 })), "{name}");
    }
}

#[test]
fn a_history_that_nothing_can_hold_is_refused() {
    for (name, device) in gpus() {
        let options = MarketOptions { agents: 1, steps: u32::MAX, ..MarketOptions::default() };
        let found = market(device, &options).map(|run| run.steps);
        let refused = matches!(
            found,
            Err(FinanceError::Primitive(
                Error::BindingTooLarge { .. } | Error::OutOfMemory { .. } | Error::TooLong { .. }
            ))
        );
        assert!(refused, "{name}: {found:?}");
    }
}

#[test]
fn many_millions_of_agents_follow_the_closed_form() {
    for (name, device) in gpus().filter(|(name, _)| !is_software(name)) {
        let options = MarketOptions {
            agents: 1 << 26,
            steps: 20,
            mix: [1.0, 0.0, 0.0],
            lambda: 0.2,
            log_fundamental: 1.0,
            ..MarketOptions::default()
        };
        let expected: Vec<f64> = (0..=20).map(|step| 1.0 - 0.9f64.powi(step)).collect();
        assert_near(&market(device, &options).unwrap().log_price, &expected, 1e-6, name);
    }
}

#[test]
fn every_market_of_an_ensemble_is_the_one_that_runs_alone() {
    let options = MarketOptions { agents: 200, steps: 25, log_fundamental: 0.2, ..MarketOptions::default() };
    for (name, device) in devices() {
        let found =
            ensemble(device, &options, &Scenario::default(), &[axis("mix.trend=0:0.9:4"), axis("lag=1:9:3")]).unwrap();
        assert_eq!(found.members.len(), 12);
        for member in &found.members {
            let [trend, lag] = member.values[..] else { panic!("two values") };
            let rest = (1.0 - trend) / 0.7;
            let alone = MarketOptions { mix: [0.4 * rest, trend, 0.3 * rest], lag: lag as u32, ..options };
            let run = market(device, &alone).unwrap();
            let statistics = cubefold::finance::market::statistics(&run.log_price, &run.log_fundamental);
            assert_eq!(member.statistics.volatility, statistics.volatility, "{name}, {:?}", member.values);
            assert_eq!(member.statistics.largest_bubble, statistics.largest_bubble, "{name}, {:?}", member.values);
        }
        let seeds = ensemble(device, &options, &Scenario::default(), &[axis("seed=1:3:3")]).unwrap();
        assert!(seeds.members.windows(2).all(|pair| pair[0].statistics != pair[1].statistics), "{name}");
    }
}

#[test]
fn bubbles_begin_where_the_largest_root_is_one() {
    // Without noise, from a distance so small that no move is clamped before it has grown.
    let options = MarketOptions {
        agents: 10,
        steps: 500,
        mix: [0.5, 0.5, 0.0],
        lambda: 1.0,
        strength: [0.12, 0.0, 0.0],
        log_fundamental: 0.5,
        initial_log_price: 0.49,
        ..MarketOptions::default()
    };
    for (name, device) in devices() {
        let axes = [axis("strength.trend=0:2.4:20"), axis("lag=1:20:20")];
        let found = ensemble(device, &options, &Scenario::default(), &axes).unwrap();
        let (mut bubbles, mut settled) = (0, 0);
        for member in &found.members {
            let root = member.largest_root.unwrap();
            if (root - 1.0).abs() < 0.01 {
                continue;
            }
            let bubbling = member.last_distance > 0.1;
            assert_eq!(
                bubbling,
                root > 1.0,
                "{name}: {:?} has root {root}, ends {} off",
                member.values,
                member.last_distance
            );
            assert!(bubbling || member.last_distance < 1e-3, "{name}: {:?}", member.values);
            if bubbling { bubbles += 1 } else { settled += 1 }
        }
        assert!(bubbles > 50 && settled > 50 && bubbles + settled > 350, "{name}: {bubbles} and {settled}");
    }
    assert!(largest_root(&options).unwrap() < 1.0);
}
