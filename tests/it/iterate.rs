//! Feedback loops against closed forms and plain loops, by every way, on every device.

use cubefold::iterate::{Feedback, FeedbackExpand, Iteration, Moment, Way, recall, total};
use cubefold::prelude::*;
use cubefold::{Error, Profile};

use crate::devices::{devices, gpus, is_software, limited, observed, private, with_planes};

/// Every way that one loop can go.
const WAYS: [Way; 5] = [Way::Auto, Way::Launches, Way::Recorded, Way::OneCube, Way::Ensemble];

/// Whole numbers that mix: every item adds to the fold of its key a number that depends on the shared state and the step, and the
/// next shared state on all folds and on that of some steps ago.
#[derive(Clone, Debug, Operator)]
struct Mixing {
    keys: u32,
    lag: u32,
}

#[cube]
fn scrambled(value: u32) -> u32 {
    let mixed = cubefold::wrapping_mul(value ^ (value >> 15u32), 0x2c1b_3c6du32.runtime());
    mixed ^ (mixed >> 12u32)
}

#[cube]
impl Monoid for Mixing {
    type State = u32;
    fn identity(&self) -> u32 {
        0u32.runtime()
    }
    fn combine(&self, left: u32, right: u32) -> u32 {
        cubefold::wrapping_add(left, right)
    }
}

impl Commutative for Mixing {}

#[cube]
impl Feedback<u32> for Mixing {
    type Setting = u32;
    type Shared = u32;
    fn setting(&self, member: u32) -> u32 {
        scrambled(member + 7u32)
    }
    fn start(&self, setting: u32) -> u32 {
        setting
    }
    /// One more than there are: some items are left out.
    fn key(&self, item: u32, _setting: u32, shared: u32, _now: Moment) -> u32 {
        (item ^ (shared >> 9u32)) % (self.keys + 1u32)
    }
    fn respond(&self, item: u32, setting: u32, shared: u32, now: Moment) -> u32 {
        scrambled(item ^ shared ^ setting ^ (now.step << 20u32))
    }
    fn update(&self, totals: &[u32], history: &[u32], setting: u32, _shared: u32, now: Moment) -> u32 {
        let earlier =
            recall::<u32>(history, now, select(now.step > self.lag, now.step - min(self.lag, now.step), 0u32));
        let mut mixed = setting ^ earlier;
        for key in 0..self.keys {
            mixed = scrambled(mixed) ^ total::<u32>(totals, key);
        }
        mixed
    }
}

/// The same loop in plain Rust.
fn plain(items: &[u32], op: &Mixing, steps: u32, member: u32) -> Vec<u32> {
    let scrambled = |value: u32| {
        let mixed = (value ^ (value >> 15)).wrapping_mul(0x2c1b_3c6d);
        mixed ^ (mixed >> 12)
    };
    let setting = scrambled(member + 7);
    let mut history = vec![setting];
    for step in 0..steps {
        let shared = history[step as usize];
        let mut totals = vec![0u32; op.keys as usize + 1];
        for &item in items {
            let key = (item ^ (shared >> 9)) % (op.keys + 1);
            totals[key as usize] = totals[key as usize].wrapping_add(scrambled(item ^ shared ^ setting ^ (step << 20)));
        }
        let mut mixed = setting ^ history[step.saturating_sub(op.lag) as usize];
        (0..op.keys as usize).for_each(|key| mixed = scrambled(mixed) ^ totals[key]);
        history.push(mixed);
    }
    history
}

fn items(len: u32) -> Vec<u32> {
    (0..len).map(|index| index.wrapping_mul(2_654_435_761) >> 3).collect()
}

fn run(device: &Device, len: u32, op: &Mixing, iteration: &Iteration) -> Vec<u32> {
    let items = device.upload(&items(len)).unwrap();
    device.iterate(&items, op, iteration).unwrap().to_vec().unwrap()
}

#[test]
fn loops_of_whole_numbers_are_those_of_a_plain_loop_by_every_way() {
    // No items, one, a cube's, one more, several cubes' with a tail; one step and many; a lag of none, some, all.
    let cases = [
        (0, 3, 1, 0),
        (1, 5, 1, 1),
        (31, 9, 3, 2),
        (512, 4, 3, 9),
        (513, 4, 8, 1),
        (5_003, 6, 3, 3),
        (40_001, 3, 2, 1),
    ];
    for (name, device) in devices() {
        for (len, steps, keys, lag) in cases {
            let op = Mixing { keys, lag };
            let expected = plain(&items(len), &op, steps, 0);
            for way in WAYS {
                let found = run(device, len, &op, &Iteration { steps, keys, way, ..Iteration::default() });
                assert_eq!(found, expected, "{name}, {way:?}, {len} items, {keys} keys, lag {lag}");
            }
        }
    }
}

#[test]
fn a_loop_of_no_steps_is_its_start() {
    for (name, device) in devices() {
        for way in WAYS {
            let op = Mixing { keys: 1, lag: 0 };
            let found = run(device, 100, &op, &Iteration { steps: 0, way, ..Iteration::default() });
            assert_eq!(found, plain(&[], &op, 0, 0), "{name}, {way:?}");
        }
    }
}

#[test]
fn every_member_of_an_ensemble_is_a_loop_of_its_own() {
    for (name, device) in devices() {
        let (op, steps) = (Mixing { keys: 3, lag: 2 }, 5);
        let found = run(device, 300, &op, &Iteration { steps, keys: 3, members: 70, way: Way::Auto });
        for (member, history) in found.chunks_exact(steps as usize + 1).enumerate() {
            assert_eq!(history, plain(&items(300), &op, steps, member as u32), "{name}, member {member}");
        }
    }
}

#[test]
fn lesser_devices_give_the_same_loops() {
    let (op, steps) = (Mixing { keys: 3, lag: 2 }, 6);
    let expected = plain(&items(2_000), &op, steps, 0);
    for (name, device) in gpus() {
        type Limit = fn(&mut Profile);
        let limits: [(&str, Limit); 3] = [
            ("small cubes", |profile| profile.max_units = 64),
            ("little shared memory", |profile| profile.shared_bytes = 2048),
            ("short loops", |profile| profile.max_loop = 20),
        ];
        let lesser = limits.map(|(what, limit)| (what, limited(device, limit)));
        let planes = with_planes(device).map(|device| ("planes", device));
        for (what, device) in lesser.into_iter().chain(planes) {
            for way in WAYS {
                let found = run(&device, 2_000, &op, &Iteration { steps, keys: 3, way, ..Iteration::default() });
                assert_eq!(found, expected, "{name} with {what}, {way:?}");
            }
        }
    }
}

#[test]
fn planes_share_out_any_number_of_keys() {
    for (name, device) in gpus() {
        let Some(device) = device.profile().and_then(|profile| match profile.plane {
            Some(_) => Some(private(device)),
            None => with_planes(device),
        }) else {
            eprintln!("{name}: left out, for it has no planes");
            continue;
        };
        // One, even and odd numbers, as many as a small plane has units, and one more.
        for keys in [1, 2, 5, 8, 9] {
            let (op, steps) = (Mixing { keys, lag: 1 }, 3);
            for way in [Way::Launches, Way::OneCube] {
                let found = run(&device, 1_500, &op, &Iteration { steps, keys, way, ..Iteration::default() });
                assert_eq!(found, plain(&items(1_500), &op, steps, 0), "{name}, {way:?}, {keys} keys");
            }
        }
    }
}

#[test]
fn each_way_is_the_one_that_runs() {
    for (name, device) in gpus() {
        let steps = 4;
        let stays = device.profile().is_some_and(|profile| profile.multiprocessors.is_some());
        let resident = stays.then_some((Way::Resident, "iterate::resident", 1));
        for (way, kernel, launches) in [
            (Way::Launches, "iterate::step", 5),
            (Way::Recorded, "iterate::step", 5),
            (Way::OneCube, "iterate::whole", 1),
            (Way::Ensemble, "iterate::whole", 1),
        ]
        .into_iter()
        .chain(resident)
        {
            let device = private(device);
            let seen = observed(&device);
            run(&device, 1_000, &Mixing { keys: 1, lag: 0 }, &Iteration { steps, way, ..Iteration::default() });
            let seen = seen.lock().unwrap();
            assert_eq!(*seen, vec![(kernel, way.name()); launches], "{name}");
        }
        let (few, many) = if stays { (2_048, "Resident") } else { (16_384, "Launches") };
        for (len, members, way) in [(few, 1, "OneCube"), (few + 1, 1, many), (few + 1, 2, "Ensemble")] {
            let device = private(device);
            let seen = observed(&device);
            run(&device, len, &Mixing { keys: 1, lag: 0 }, &Iteration { steps, members, ..Iteration::default() });
            assert!(seen.lock().unwrap().iter().all(|launch| launch.1 == way), "{name}, {len} items, {members} loops");
        }
    }
}

/// A fold that cannot be asked for an item of no key: it would divide by zero.
#[derive(Clone, Debug, Operator)]
struct Picky {
    keys: u32,
}

#[cube]
impl Monoid for Picky {
    type State = u32;
    fn identity(&self) -> u32 {
        0u32.runtime()
    }
    fn combine(&self, left: u32, right: u32) -> u32 {
        cubefold::wrapping_add(left, right)
    }
}

impl Commutative for Picky {}

#[cube]
impl Feedback<u32> for Picky {
    type Setting = u32;
    type Shared = u32;
    fn setting(&self, member: u32) -> u32 {
        member
    }
    fn start(&self, _setting: u32) -> u32 {
        0u32.runtime()
    }
    fn key(&self, item: u32, _setting: u32, _shared: u32, _now: Moment) -> u32 {
        item % (self.keys + 2u32)
    }
    fn respond(&self, item: u32, _setting: u32, _shared: u32, _now: Moment) -> u32 {
        (item * 100u32) / (self.keys - min(item % (self.keys + 2u32), self.keys))
    }
    fn update(&self, totals: &[u32], _history: &[u32], _setting: u32, shared: u32, _now: Moment) -> u32 {
        let mut sum = shared;
        for key in 0..self.keys {
            sum = cubefold::wrapping_add(sum, total::<u32>(totals, key));
        }
        sum
    }
}

#[test]
fn items_without_a_key_are_never_asked() {
    let keys = 3u32;
    let items: Vec<u32> = (0..5_000).collect();
    let of_step = items.iter().filter(|&&item| item % (keys + 2) < keys);
    let of_step = of_step.fold(0u32, |sum, &item| sum.wrapping_add(item * 100 / (keys - item % (keys + 2))));
    for (name, device) in devices() {
        let held = device.upload(&items).unwrap();
        for way in WAYS {
            let iteration = Iteration { steps: 3, keys, way, ..Iteration::default() };
            let found = device.iterate(&held, &Picky { keys }, &iteration).unwrap().to_vec().unwrap();
            let expected: Vec<u32> = (0..4).map(|step| of_step.wrapping_mul(step)).collect();
            assert_eq!(found, expected, "{name}, {way:?}");
        }
    }
}

/// Prints what a step costs beside its items: the folds of one number an item, by every way.
#[test]
#[ignore = "prints times; for a GPU"]
fn what_steps_cost_alone() {
    for (name, device) in gpus() {
        let stays = device.profile().is_some_and(|profile| profile.multiprocessors.is_some());
        for len in [1_000, 10_000, 100_000, 1_000_000] {
            let items = device.upload(&vec![6u32; len]).unwrap();
            let ways = [Way::OneCube, Way::Recorded, Way::Launches].into_iter().chain(stays.then_some(Way::Resident));
            for way in ways.filter(|way| *way != Way::OneCube || len <= 10_000) {
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

#[test]
fn a_recording_is_played_for_the_steps_after_it() {
    for (name, device) in gpus() {
        let op = Mixing { keys: 3, lag: 40 };
        let items = device.upload(&items(3_001)).unwrap();
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
        let stays = device.profile().is_some_and(|profile| profile.multiprocessors.is_some());
        for way in WAYS.into_iter().chain(stays.then_some(Way::Resident)) {
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
        let iteration = Iteration { steps, keys: 2, way: Way::Recorded, ..Iteration::default() };
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
            for device in with_cubes(name, device, 1) {
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

#[test]
fn the_comparison_rejects_a_lost_item_another_lag_and_another_member() {
    for (name, device) in devices() {
        let (op, iteration) = (Mixing { keys: 3, lag: 2 }, Iteration { steps: 5, keys: 3, ..Iteration::default() });
        let expected = plain(&items(1_000), &op, 5, 0);
        assert_eq!(run(device, 1_000, &op, &iteration), expected, "{name}");
        assert_ne!(run(device, 999, &op, &iteration), expected, "{name}: a lost item");
        assert_ne!(run(device, 1_000, &Mixing { lag: 1, ..op.clone() }, &iteration), expected, "{name}: another lag");
        assert_ne!(plain(&items(1_000), &op, 5, 1), expected, "{name}: another member");
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    for (name, device) in devices() {
        let run =
            |iteration: Iteration| device.iterate(&items(10), &Mixing { keys: 1, lag: 0 }, &iteration).map(|_| ());
        for keys in [0, 33] {
            let refused = run(Iteration { keys, ..Iteration::default() });
            assert_eq!(refused, Err(Error::Keys { keys, limit: 32 }), "{name}");
        }
        let long = device.iterate(&Counter::new(1 << 32), &Count, &Iteration::default()).map(|_| ());
        assert!(matches!(long, Err(Error::TooLong { .. })), "{name}: {long:?}");
    }
    for (name, device) in gpus() {
        for way in [Way::Launches, Way::OneCube, Way::Resident] {
            let many = Iteration { members: 2, way, ..Iteration::default() };
            let refused = device.iterate(&items(10), &Mixing { keys: 1, lag: 0 }, &many).map(|_| ());
            assert!(matches!(refused, Err(Error::NoOption { .. })), "{name}: {refused:?}");
        }
        let long = Iteration { steps: u32::MAX, ..Iteration::default() };
        let refused = device.iterate(&items(10), &Mixing { keys: 1, lag: 0 }, &long).map(|_| ());
        assert!(
            matches!(refused, Err(Error::BindingTooLarge { .. } | Error::OutOfMemory { .. })),
            "{name}: {refused:?}"
        );
    }
}

/// How many items there are.
#[derive(Clone, Debug, Operator)]
struct Count;

#[cube]
impl Monoid for Count {
    type State = u32;
    fn identity(&self) -> u32 {
        0u32.runtime()
    }
    fn combine(&self, left: u32, right: u32) -> u32 {
        cubefold::wrapping_add(left, right)
    }
}

impl Commutative for Count {}

#[cube]
impl Feedback<Wide> for Count {
    type Setting = u32;
    type Shared = u32;
    fn setting(&self, member: u32) -> u32 {
        member
    }
    fn start(&self, setting: u32) -> u32 {
        setting
    }
    fn key(&self, _item: Wide, _setting: u32, _shared: u32, _now: Moment) -> u32 {
        0u32.runtime()
    }
    fn respond(&self, _item: Wide, _setting: u32, _shared: u32, _now: Moment) -> u32 {
        1u32.runtime()
    }
    fn update(&self, totals: &[u32], _history: &[u32], _setting: u32, _shared: u32, _now: Moment) -> u32 {
        total::<u32>(totals, 0u32)
    }
}

/// A vector of four numbers, and its length before it was made 1.
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Direction {
    a: f32,
    b: f32,
    c: f32,
    d: f32,
    length: f32,
}

/// `v ← Σv / |Σv|` for a matrix of four rows, whose items are in the order of the rows: |Σv| becomes the largest eigenvalue.
#[derive(Clone, Debug, Operator)]
struct PowerIteration;

#[cube]
impl Monoid for PowerIteration {
    type State = f32;
    fn identity(&self) -> f32 {
        0.0f32.runtime()
    }
    fn combine(&self, left: f32, right: f32) -> f32 {
        left + right
    }
}

impl Commutative for PowerIteration {}

#[cube]
impl Feedback<Both<Wide, f32>> for PowerIteration {
    type Setting = u32;
    type Shared = Direction;
    fn setting(&self, member: u32) -> u32 {
        member
    }
    fn start(&self, _setting: u32) -> Direction {
        let half = 0.5f32.runtime();
        Direction { a: half, b: half, c: half, d: half, length: 0.0f32.runtime() }
    }
    fn key(&self, item: Both<Wide, f32>, _setting: u32, _shared: Direction, _now: Moment) -> u32 {
        item.left.low / 4u32
    }
    fn respond(&self, item: Both<Wide, f32>, _setting: u32, v: Direction, _now: Moment) -> f32 {
        let column = item.left.low % 4u32;
        let front = select(column == 0u32, v.a, v.b);
        let back = select(column == 2u32, v.c, v.d);
        item.right * select(column < 2u32, front, back)
    }
    fn update(&self, totals: &[u32], _history: &[u32], _setting: u32, _v: Direction, _now: Moment) -> Direction {
        let (a, b) = (total::<f32>(totals, 0u32), total::<f32>(totals, 1u32));
        let (c, d) = (total::<f32>(totals, 2u32), total::<f32>(totals, 3u32));
        let length = (a * a + b * b + c * c + d * d).sqrt();
        Direction { a: a / length, b: b / length, c: c / length, d: d / length, length }
    }
}

#[test]
fn power_iteration_finds_the_top_eigenvalue_of_a_covariance() {
    // Equal variances 2 and covariances 0.5: 2 + 3 · 0.5, along (1, 1, 1, 1); then one asset alone, whose variance is 9.
    let even: Vec<f32> = (0..16).map(|index| if index % 5 == 0 { 2.0 } else { 0.5 }).collect();
    let alone: Vec<f32> =
        (0..16).map(|index| [0.0, [1.0, 9.0, 2.0, 3.0][index / 4]][usize::from(index % 5 == 0)]).collect();
    for (name, device) in devices() {
        for way in WAYS {
            for (matrix, expected) in [(&even, 3.5), (&alone, 9.0)] {
                let source = Counter::new(16).zip(device.upload(matrix).unwrap());
                let iteration = Iteration { steps: 40, keys: 4, way, ..Iteration::default() };
                let found = device.iterate(&source, &PowerIteration, &iteration).unwrap().get(40).unwrap();
                assert!((found.length - expected).abs() < 1e-4, "{name}, {way:?}: {found:?}, not {expected}");
            }
        }
    }
}
