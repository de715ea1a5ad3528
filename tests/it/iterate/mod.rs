//! Feedback loops against plain loops, by every way, on every device.

use cubefold::iterate::{Feedback, FeedbackExpand, Iteration, Moment, Way, recall, total};
use cubefold::prelude::*;
use cubefold::rng::Random;
use cubefold::{Error, Profile};

use crate::devices::{devices, gpus, limited, private, ways, with_planes};

mod operators;
mod ways;

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

/// What an item is at a step, whatever the shared state is.
#[cube]
fn word(item: u32, setting: u32, step: u32) -> u32 {
    item ^ setting ^ (step << 20u32)
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
        scrambled(word(item, setting, now.step) ^ shared)
    }
    fn prepare(&self, item: u32, setting: u32, now: Moment) -> Random {
        Random {
            a: word(item, setting, now.step),
            b: word(item, setting, now.step + 1u32),
            c: word(item, setting, now.step + 2u32),
            d: word(item, setting, now.step + 3u32),
        }
    }
    fn respond_prepared(&self, _item: u32, prepared: u32, _setting: u32, shared: u32, _now: Moment) -> u32 {
        scrambled(prepared ^ shared)
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
            for way in ways(device) {
                let found = run(device, len, &op, &Iteration { steps, keys, way, ..Iteration::default() });
                assert_eq!(found, expected, "{name}, {way:?}, {len} items, {keys} keys, lag {lag}");
            }
        }
    }
}

#[test]
fn a_loop_of_no_steps_is_its_start() {
    for (name, device) in devices() {
        for way in ways(device) {
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
            for way in ways(&device) {
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
