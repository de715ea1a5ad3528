//! Selections and histograms against plain loops.

use cubefold::prelude::*;
use cubefold::{Error, Feature, Outside};

use crate::devices::{devices, gpus, is_software, limited, with_planes};
use crate::oracle::{assert_same, lengths};
use crate::samples::{floats, integers};

/// Keeps items whose lowest bits are below a level of 256.
#[derive(Debug, Clone, Operator)]
struct Below {
    level: u32,
}

#[cube]
impl Mapping<u32> for Below {
    type Output = u32;

    fn map(&self, item: u32) -> u32 {
        select(item % 256u32 < self.level, 1u32, 0u32)
    }
}

/// Keeps pairs whose left side is above a level; any number but 0 keeps.
#[derive(Debug, Clone, Operator)]
struct Above {
    level: f32,
}

#[cube]
impl Mapping<Both<f32, u32>> for Above {
    type Output = u32;

    fn map(&self, item: Both<f32, u32>) -> u32 {
        select(item.left > self.level, 7u32, 0u32)
    }
}

#[test]
fn a_selection_keeps_what_satisfies_the_predicate_in_order() {
    for (name, device) in devices() {
        for (len, reason) in lengths() {
            let items = integers(len, 50);
            // None, few, about half, all but few, all.
            for level in [0, 3, 128, 253, 256] {
                let expected: Vec<u32> = items.iter().copied().filter(|item| item % 256 < level).collect();
                let selected = device.select(&items, &Below { level }).unwrap();
                let case = format!("{name}, {len} items ({reason}), {level} of 256");
                assert_same(&selected.to_vec().unwrap(), &expected, &case);
                assert_eq!(selected.count().to_vec().unwrap(), [expected.len() as u32], "{case}");
                assert_eq!(selected.is_empty().unwrap(), expected.is_empty(), "{case}");
            }
        }
    }
}

#[test]
fn a_selection_of_pairs_goes_on_as_a_buffer() {
    for (name, device) in devices() {
        for device in [Some(device.clone()), with_planes(device)].into_iter().flatten() {
            let prices = floats(20_001, 51);
            let pairs: Vec<_> = (0..).zip(&prices).map(|(right, &left)| Both { left, right }).collect();
            let kept = device.select(&pairs, &Above { level: 0.25 }).unwrap().into_buffer().unwrap();
            let expected: Vec<_> = pairs.iter().copied().filter(|pair| pair.left > 0.25).collect();
            assert_eq!(kept.len(), expected.len(), "{name}");
            assert_same(&kept.to_vec().unwrap(), &expected, name);
            let last = device.reduce(&kept, &ops::Last::<Both<f32, u32>>::new()).unwrap().get(0).unwrap();
            assert_eq!(last.get(), expected.last().copied(), "{name}");
        }
    }
}

#[test]
fn a_wrong_order_would_be_noticed() {
    let mut items = integers(1000, 52);
    let expected: Vec<u32> = items.iter().copied().filter(|item| item % 256 < 128).collect();
    let first = items.iter().position(|item| item % 256 < 128).unwrap();
    let last = items.iter().rposition(|item| item % 256 < 128).unwrap();
    items.swap(first, last);
    let found = Device::host().select(&items, &Below { level: 128 }).unwrap().to_vec().unwrap();
    assert!(std::panic::catch_unwind(|| assert_same(&found, &expected, "swapped")).is_err());
}

/// The highest bits of an item.
#[derive(Debug, Clone, Operator)]
struct High {
    shift: u32,
}

#[cube]
impl Mapping<u32> for High {
    type Output = u32;

    fn map(&self, item: u32) -> u32 {
        item >> self.shift
    }
}

fn counted(items: &[u32], shift: u32, bins: u32, outside: Outside) -> Vec<u64> {
    let mut counts = vec![0; bins as usize];
    for item in items {
        match (item >> shift, outside) {
            (bin, _) if bin < bins => counts[bin as usize] += 1,
            (_, Outside::Last) => counts[bins as usize - 1] += 1,
            _ => {}
        }
    }
    counts
}

#[test]
fn a_histogram_counts_every_item_once() {
    for (name, device) in devices() {
        for (len, reason) in lengths() {
            let items = integers(len, 53);
            // One bin, a few, as many as a cube has units, more than items; not all of them there are.
            for (shift, bins) in [(31, 1), (31, 2), (29, 7), (24, 256), (24, 200), (14, 1 << 18)] {
                for outside in [Outside::Ignore, Outside::Last] {
                    let counts = device.histogram(&items, &High { shift }, bins, outside).unwrap();
                    let found: Vec<u64> = counts.to_vec().unwrap().into_iter().map(u64::from).collect();
                    let case = format!("{name}, {len} items ({reason}), {bins} bins, {outside:?}");
                    assert!(found == counted(&items, shift, bins, outside), "{case}");
                }
                // A quarter of a million bins once are enough.
                if bins == 1 << 18 && len != 4097 {
                    break;
                }
            }
        }
    }
}

#[test]
fn items_outside_are_refused_with_their_number() {
    for (name, device) in devices() {
        let items = vec![5u32, 9, 10, 11, u32::MAX];
        let count =
            |bins| device.histogram(&items, &High { shift: 0 }, bins, Outside::Refuse).map(|counts| counts.len());
        assert_eq!(count(10), Err(Error::Outside { items: 3, bins: 10 }), "{name}");
        assert_eq!(count(0), Err(Error::Outside { items: 5, bins: 0 }), "{name}");
        let inside = device.histogram(&items[..4], &High { shift: 0 }, 12, Outside::Refuse).unwrap();
        let found: Vec<u64> = inside.to_vec().unwrap().into_iter().map(u64::from).collect();
        assert_eq!(found, [0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1], "{name}");
        let none = device.histogram(&items, &High { shift: 0 }, 0, Outside::Last).unwrap();
        assert!(none.is_empty(), "{name}");
        let limit = u64::from(u32::MAX - 2);
        let refused = device.histogram(&items, &High { shift: 0 }, u32::MAX, Outside::Ignore).unwrap_err();
        assert_eq!(refused, Error::TooLong { what: "a histogram", len: u64::from(u32::MAX), limit }, "{name}");
    }
}

#[test]
fn a_device_without_atomics_counts_nothing_and_selects_all_the_same() {
    for (name, device) in gpus() {
        let bare = limited(device, |profile| profile.atomic_u32 = false);
        let items = integers(5000, 54);
        let refused = bare.histogram(&items, &High { shift: 31 }, 2, Outside::Ignore).unwrap_err();
        assert_eq!(refused, Error::Unsupported { device: bare.label(), feature: Feature::Atomic32 }, "{name}");
        let expected: Vec<u32> = items.iter().copied().filter(|item| item % 256 < 128).collect();
        assert_same(&bare.select(&items, &Below { level: 128 }).unwrap().to_vec().unwrap(), &expected, name);
    }
}

/// A hash of an index, in `bits` bits.
#[derive(Debug, Clone, Operator)]
struct Hashed {
    bits: u32,
}

#[cube]
impl Mapping<Wide> for Hashed {
    type Output = u32;

    fn map(&self, index: Wide) -> u32 {
        cubefold::wrapping_mul(index.low, 0x9e37_79b1u32) >> (32u32 - self.bits)
    }
}

#[test]
fn a_computed_source_is_counted_without_memory_for_its_items() {
    for (name, device) in devices() {
        let few = is_software(name) || device.is_host();
        // An odd factor permutes the 32-bit numbers: every bin has as many of 2^32 items.
        let len: u64 = if few { 3_000_017 } else { 1 << 32 };
        let counts = device.histogram(&Counter::new(len), &Hashed { bits: 4 }, 16, Outside::Refuse).unwrap();
        let counts: Vec<u64> = counts.to_vec().unwrap().into_iter().map(u64::from).collect();
        assert_eq!(counts.iter().sum::<u64>(), len, "{name}");
        assert!(few || counts.iter().all(|&count| count == 1 << 28), "{name}: {counts:?}");
    }
}
