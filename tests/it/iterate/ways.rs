//! Each way by itself: which kernel runs, how often, who is told, and what is left when cubes do not run together.

use cubefold::iterate::{Iteration, Way};
use cubefold::prelude::*;
use cubefold::{Error, Feature};

use super::operators::Picky;
use super::{Mixing, items, plain, run};
use crate::devices::{devices, gpus, is_software, limited, observed, private, ways, with_planes};

#[test]
fn each_way_is_the_one_that_runs() {
    for (name, device) in gpus() {
        let steps = 4;
        let stays = device.profile().is_some_and(|profile| profile.multiprocessors.is_some());
        for way in ways(device).into_iter().filter(|way| *way != Way::Auto) {
            let (kernel, launches) = match way {
                Way::Launches | Way::Recorded => ("iterate::step", 5),
                Way::Resident => ("iterate::resident", 1),
                _ => ("iterate::whole", 1),
            };
            let device = private(device);
            let seen = observed(&device);
            run(&device, 1_000, &Mixing { keys: 1, lag: 0 }, &Iteration { steps, way, ..Iteration::default() });
            let seen = seen.lock().unwrap();
            assert_eq!(*seen, vec![(kernel, way.name()); launches], "{name}");
        }
        let (few, many) = if stays { (1_024, "Resident") } else { (16_384, "Launches") };
        for (len, members, way) in [(few, 1, "OneCube"), (few + 1, 1, many), (few + 1, 2, "Ensemble")] {
            let device = private(device);
            let seen = observed(&device);
            run(&device, len, &Mixing { keys: 1, lag: 0 }, &Iteration { steps, members, ..Iteration::default() });
            assert!(seen.lock().unwrap().iter().all(|launch| launch.1 == way), "{name}, {len} items, {members} loops");
        }
    }
}

#[test]
fn a_recording_is_played_for_the_steps_after_it() {
    for (name, device) in gpus() {
        let op = Mixing { keys: 3, lag: 40 };
        let items = device.upload(&items(3_001)).unwrap();
        if !device.profile().unwrap().recordings {
            let iteration = Iteration { steps: 333, keys: 3, way: Way::Recorded, ..Iteration::default() };
            let refused = device.iterate(&items, &op, &iteration).map(|_| ());
            assert!(
                matches!(refused, Err(Error::Unsupported { feature: Feature::Recordings, .. })),
                "{name}: {refused:?}"
            );
            continue;
        }
        // Too few to record, one round played, some with and without launches before them, and as many again.
        for steps in [1, 62, 63, 64, 95, 96, 127, 333] {
            let device = private(device);
            let iteration = Iteration { steps, keys: 3, way: Way::Recorded, ..Iteration::default() };
            let seen = observed(&device);
            for round in 0..2 {
                seen.lock().unwrap().clear();
                let found = device.iterate(&items, &op, &iteration).unwrap().to_vec().unwrap();
                assert_eq!(found, plain(&items.to_vec().unwrap(), &op, steps, 0), "{name}, {steps} steps, {round}");
                let launches = vec![("iterate::step", "Recorded"); steps as usize + 1];
                assert_eq!(*seen.lock().unwrap(), launches, "{name}, {steps} steps");
            }
        }
    }
}

#[test]
fn a_watcher_is_told_of_every_few_steps() {
    for (name, device) in devices() {
        let (op, steps) = (Mixing { keys: 2, lag: 5 }, 230);
        let items = device.upload(&items(900)).unwrap();
        let expected = plain(&items.to_vec().unwrap(), &op, steps, 0);
        for way in ways(device) {
            let iteration = Iteration { steps, keys: 2, way, ..Iteration::default() };
            for every in [1, 50, 1000] {
                let mut told = Vec::new();
                let mut tell = |step: u32, shared: u32| told.push((step, shared));
                let found = device.iterate_watched(&items, &op, &iteration, every, &mut tell).unwrap();
                assert_eq!(found.to_vec().unwrap(), expected, "{name}, {way:?}, every {every}");
                assert!(told.iter().all(|&(step, shared)| expected[step as usize] == shared), "{name}, {way:?}");
                let apart = told.iter().map(|&(step, _)| step / every).collect::<Vec<_>>();
                assert!(apart.windows(2).all(|pair| pair[0] < pair[1]), "{name}, {way:?}: {told:?}");
                // A recording is told of as a whole.
                let least = if every == 1 && way != Way::OneCube { 6 } else { steps / every };
                assert!(told.len() as u32 >= least, "{name}, {way:?}, every {every}: {told:?}");
                assert!(told.len() as u32 <= steps / every, "{name}, {way:?}, every {every}: {told:?}");
            }
        }
    }
}

#[test]
fn threads_record_beside_other_work() {
    for (name, device) in gpus() {
        let (op, steps) = (Mixing { keys: 2, lag: 3 }, 200);
        let recordings = device.profile().unwrap().recordings;
        let way = if recordings { Way::Recorded } else { Way::Launches };
        let iteration = Iteration { steps, keys: 2, way, ..Iteration::default() };
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let op = &op;
                scope.spawn(move || {
                    for round in 0..4 {
                        let len = 1_000 + 300 * thread;
                        let items = items(len);
                        let held = device.upload(&items).unwrap();
                        let found = device.iterate(&held, op, &iteration).unwrap();
                        let sum = device.reduce(&held, &cubefold::ops::Sum::<u32>::new()).unwrap();
                        assert_eq!(found.to_vec().unwrap(), plain(&items, op, steps, 0), "{name}, {thread}, {round}");
                        let expected = items.iter().fold(0u32, |sum, &item| sum.wrapping_add(item));
                        assert_eq!(sum.get(0).unwrap(), expected, "{name}, {thread}, {round}");
                    }
                });
            }
        });
    }
}

/// Devices of as many cubes at a time that run at the same time, or are said to: by shuffles and without.
fn with_cubes(name: &str, device: &Device, cubes: u32) -> Vec<Device> {
    if device.profile().is_some_and(|profile| profile.multiprocessors.is_some()) {
        return vec![private(device), limited(device, |profile| profile.plane = None)];
    }
    let software = is_software(name).then(|| private(device));
    let both = software.into_iter().chain(with_planes(device));
    both.map(|device| limited(&device, |profile| profile.multiprocessors = Some(cubes))).collect()
}

/// The device, and where it has 64-bit atomics, one that has none.
fn by_either_atomic(device: Device) -> Vec<Device> {
    let broad = device.profile().is_some_and(|profile| profile.atomic_u64);
    let narrow = broad.then(|| limited(&device, |profile| profile.atomic_u64 = false));
    narrow.into_iter().chain([device]).collect()
}

#[test]
fn cubes_that_tell_one_another_give_the_same_loops_or_give_up() {
    for (name, device) in gpus() {
        let (op, steps) = (Mixing { keys: 3, lag: 2 }, 4);
        let iteration = Iteration { steps, keys: 3, way: Way::Resident, ..Iteration::default() };
        // One cube waits for nobody; two may meet on a processor; of 64 most wait in vain where it runs them in turn.
        for (cubes, len) in [(1, 100), (1, 5_000), (2, 1_000), (64, 40_001)] {
            let found = with_cubes(name, device, cubes);
            if found.is_empty() {
                let refused = device.iterate(&items(len), &op, &iteration).map(|_| ());
                assert!(matches!(refused, Err(Error::Unsupported { .. })), "{name}: {refused:?}");
            }
            for device in found {
                let seen = observed(&device);
                assert_eq!(
                    run(&device, len, &op, &iteration),
                    plain(&items(len), &op, steps, 0),
                    "{name}, {len} items"
                );
                let seen = seen.lock().unwrap();
                let fell_back = vec![("iterate::step", "Launches"); steps as usize + 1];
                assert_eq!(seen[0], ("iterate::resident", "Resident"), "{name}");
                let may_give_up = cubes > 1 && is_software(name);
                assert!(seen.len() == 1 || (may_give_up && seen[1..] == fell_back), "{name}, {len} items: {seen:?}");
            }
        }
    }
}

#[test]
fn cubes_that_tell_one_another_stay_for_many_steps() {
    for (name, device) in gpus() {
        let (op, steps) = (Mixing { keys: 3, lag: 7 }, 1_000);
        let iteration = Iteration { steps, keys: 3, way: Way::Resident, ..Iteration::default() };
        // From one cube to as many as there are, each with a tail.
        for len in [100, 2_049, 5_003, 70_001].into_iter().filter(|len| *len < 1_000 || !is_software(name)) {
            for device in with_cubes(name, device, 1).into_iter().flat_map(by_either_atomic) {
                // Three iterations a step: 200 steps a launch.
                let short = is_software(name).then(|| limited(&device, |profile| profile.max_loop = 600));
                for (device, launches) in [(Some(device), 1), (short, 5)] {
                    let Some(device) = device else { continue };
                    let seen = observed(&device);
                    assert_eq!(
                        run(&device, len, &op, &iteration),
                        plain(&items(len), &op, steps, 0),
                        "{name}, {len} items"
                    );
                    assert_eq!(*seen.lock().unwrap(), vec![("iterate::resident", "Resident"); launches], "{name}");
                }
            }
        }
    }
}

/// Prints what a step costs beside its items: the folds of one number an item, by every way.
#[test]
#[ignore = "prints times; for a GPU"]
fn what_steps_cost_alone() {
    for (name, device) in gpus() {
        for len in [1_000, 10_000, 100_000, 1_000_000] {
            let items = device.upload(&vec![6u32; len]).unwrap();
            let told = |way: &Way| match way {
                Way::OneCube => len <= 10_000,
                way => !matches!(way, Way::Auto | Way::Ensemble),
            };
            for way in ways(device).into_iter().filter(told) {
                let iteration = Iteration { steps: 500, keys: 1, way, ..Iteration::default() };
                let mut seconds: Vec<f64> = (0..60)
                    .map(|_| {
                        let start = std::time::Instant::now();
                        let found = device.iterate(&items, &Picky { keys: 1 }, &iteration).unwrap();
                        // Reads the last state alone, which waits for all.
                        found.get(500).unwrap();
                        start.elapsed().as_secs_f64()
                    })
                    .collect();
                seconds.sort_by(f64::total_cmp);
                println!("{name}: {len} items, 500 steps, {way:?}: {:.3} ms", seconds[seconds.len() / 2] * 1e3);
            }
        }
    }
}
