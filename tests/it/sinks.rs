//! Results that go into existing buffers, or parts of them.

use cubefold::prelude::*;
use cubefold::{Captured, Error, ScanOptions, Strategy};

use crate::devices::{devices, gpus, private};
use crate::oracle::{self, assert_same};
use crate::samples::{MatrixProduct, integers};

const STRATEGIES: [Strategy; 3] = [Strategy::HillisSteele, Strategy::Blelloch, Strategy::DecoupledLookback];

/// The item at an index that is read from a captured table.
#[derive(Debug, Clone, Operator)]
struct Looked {
    table: Captured<u32>,
}

#[cube]
impl Mapping<u32> for Looked {
    type Output = u32;

    fn map(&self, item: u32) -> u32 {
        self.table[item as usize]
    }
}

#[test]
fn a_scan_goes_into_a_column_and_leaves_its_neighbours_alone() {
    let (rows, columns) = (5003usize, 3usize);
    for (name, device) in devices() {
        for strategy in STRATEGIES {
            let options = ScanOptions { strategy, ..ScanOptions::default() };
            let items = integers(rows, 1);
            let mut matrix = device.upload(&vec![7u32; rows * columns]).unwrap();
            let mut column = matrix.strided(1, columns as i64, rows as u64).unwrap();
            device.scan_into(&items, &ops::Sum::<u32>::new(), &mut column, &options).unwrap();
            let sums = oracle::scan(&items, &ops::Sum::<u32>::new(), false);
            let expected: Vec<u32> = sums.iter().flat_map(|&sum| [7, sum, 7]).collect();
            assert_same(&matrix.to_vec().unwrap(), &expected, &format!("{name}, {strategy:?}"));
        }
    }
}

#[test]
fn a_scan_goes_backwards_into_a_part() {
    for (name, device) in devices() {
        let items = integers(4097, 2);
        let mut room = device.upload(&vec![[9u32; 4]; 5000].concat()).unwrap();
        let mut part = room.strided(4999, -1, 4097).unwrap();
        device.scan_into(&items, &ops::Sum::<u32>::new(), &mut part, &ScanOptions::default()).unwrap();
        let mut expected = vec![9u32; 20_000];
        for (index, sum) in oracle::scan(&items, &ops::Sum::<u32>::new(), false).into_iter().enumerate() {
            expected[4999 - index] = sum;
        }
        assert_same(&room.to_vec().unwrap(), &expected, name);
    }
}

#[test]
fn wide_results_go_into_whole_and_strided_buffers() {
    for (name, device) in devices() {
        let items = integers(1030, 3);
        let expected = oracle::scan(&items, &MatrixProduct, false);
        let mut whole = device.scan(&items, &MatrixProduct).unwrap();
        device.scan_into(&items, &MatrixProduct, &mut whole, &ScanOptions::default()).unwrap();
        assert_same(&whole.to_vec().unwrap(), &expected, name);
        let mut spread = device.collect(&Counter::new(2060)).unwrap();
        device.collect_into(&Counter::new(1030), &mut spread.strided(1, 2, 1030).unwrap()).unwrap();
        let spread: Vec<u64> = spread.to_vec().unwrap().into_iter().map(u64::from).collect();
        let expected: Vec<u64> = (0..2060).map(|index| if index % 2 == 1 { index / 2 } else { index }).collect();
        assert_eq!(spread, expected, "{name}");
    }
}

#[test]
fn what_lies_behind_a_short_buffer_is_kept() {
    for (name, device) in gpus() {
        for len in [1, 5, 6, 1023, 4097] {
            let original = device.upload(&vec![3u32; len + 3]).unwrap();
            let handle = original.handle().expect("it lives on the device").clone();
            let mut short = cubefold::Buffer::<u32>::from_handle(device, handle, len).unwrap();
            device.scan_into(&vec![1u32; len], &ops::Sum::new(), &mut short, &ScanOptions::default()).unwrap();
            let expected: Vec<u32> = (1..=len as u32).chain([3; 3]).collect();
            assert_same(&original.to_vec().unwrap(), &expected, &format!("{name}, {len} items"));
        }
    }
}

#[test]
fn results_over_the_items_they_come_from_are_refused() {
    for (name, device) in gpus() {
        let mut items = device.upload(&integers(100, 4)).unwrap();
        let clone = items.clone();
        let sum = ops::Sum::<u32>::new();
        let options = ScanOptions::default();
        let error = device.scan_into(&clone, &sum, &mut items, &options).unwrap_err();
        assert_eq!(error, Error::Overlap, "{name}");
        let part = (&clone).slice(0, 50).unwrap();
        let error = device.scan_into(&part, &sum, &mut items.strided(50, 1, 50).unwrap(), &options).unwrap_err();
        assert_eq!(error, Error::Overlap, "{name}: a slice");
        let memory = items.handle().expect("it lives on the device").clone();
        let pairs = Counter::new(100).zip(vec![0u32; 100]);
        assert!(!pairs.reads(&memory), "{name}: neither has anything to do with it");
        assert!(pairs.zip((&clone).reversed()).reads(&memory), "{name}: one of a pair");
        let looked = vec![0u32; 100].map(Looked { table: clone.clone().into() });
        assert_eq!(device.collect_into(&looked, &mut items).unwrap_err(), Error::Overlap, "{name}: a captured table");
        let other = vec![1u32; 100];
        device.scan_into(&other, &sum, &mut items, &options).unwrap();
        assert_eq!(clone.get(99).unwrap(), 100, "{name}: clones share the memory");
    }
    // The host computes all results before it puts any.
    let host = Device::host();
    let mut items = host.upload(&[1u32, 2, 3]).unwrap();
    let clone = items.clone();
    host.scan_into(&clone, &ops::Sum::new(), &mut items, &ScanOptions::default()).unwrap();
    assert_eq!((items.to_vec().unwrap(), clone.to_vec().unwrap()), (vec![1, 3, 6], vec![1, 2, 3]));
}

#[test]
fn a_sink_of_another_length_is_refused() {
    for (name, device) in devices() {
        let mut room = device.upload(&[0u32; 10]).unwrap();
        let sum = ops::Sum::<u32>::new();
        let options = ScanOptions::default();
        for len in [9, 11] {
            let error = device.scan_into(&vec![1u32; len], &sum, &mut room, &options).unwrap_err();
            assert_eq!(error, Error::Length { what: "the sink", got: 10, expected: len as u64 }, "{name}");
        }
        assert!(device.scan_into(&vec![1u32; 10], &sum, &mut room, &options).is_ok(), "{name}");
        assert!(room.strided(9, -3, 4).is_ok(), "{name}");
        assert_eq!(room.strided(8, -3, 4).unwrap_err(), Error::OutOfBounds { index: u64::MAX, len: 10 }, "{name}");
        assert_eq!(room.strided(1, 3, 4).unwrap_err(), Error::OutOfBounds { index: 10, len: 10 }, "{name}");
        assert_eq!(room.strided(10, 1, 1).unwrap_err(), Error::OutOfBounds { index: 10, len: 10 }, "{name}");
        assert!(room.strided(3, 0, 1).is_ok(), "{name}");
        assert!(room.strided(3, 0, 2).is_err(), "{name}: two results in one place");
        assert!(room.strided(10, 1, 0).is_ok(), "{name}: room for nothing is anywhere");
    }
}

#[test]
fn a_sink_that_lives_elsewhere_is_refused() {
    for (name, device) in gpus() {
        let items = integers(10, 5);
        let sum = ops::Sum::<u32>::new();
        let mut there = device.upload(&items).unwrap();
        let mut here = Device::host().upload(&items).unwrap();
        let options = ScanOptions::default();
        let error = Device::host().scan_into(&items, &sum, &mut there, &options).unwrap_err();
        assert_eq!(error, Error::NotOnHost { home: device.label() }, "{name}");
        let error = device.scan_into(&items, &sum, &mut here, &options).unwrap_err();
        assert!(matches!(error, Error::ForeignBuffer { .. }), "{name}: {error}");
        let mut nowhere = Device::host().upload::<u32>(&[]).unwrap();
        let error = device.scan_into(&[][..], &sum, &mut nowhere, &options).unwrap_err();
        assert!(matches!(error, Error::ForeignBuffer { .. }), "{name}: not even nothing: {error}");
        let error = device.collect_into::<[u32], _>(&[], &mut nowhere).unwrap_err();
        assert!(matches!(error, Error::ForeignBuffer { .. }), "{name}: not even nothing: {error}");
    }
}

#[test]
fn nothing_is_allocated_for_results_that_have_a_place() {
    for (_, device) in gpus() {
        let device = private(device);
        let items = device.upload(&integers(100_000, 6)).unwrap();
        let mut room = device.upload(&vec![0u32; 100_000]).unwrap();
        let options = ScanOptions::default();
        device.scan_into(&items, &ops::Sum::<u32>::new(), &mut room, &options).unwrap();
        let before = device.allocations();
        for _ in 0..3 {
            device.scan_into(&items, &ops::Sum::<u32>::new(), &mut room, &options).unwrap();
            device.collect_into(&items, &mut room).unwrap();
        }
        assert_eq!(device.allocations(), before);
    }
}

#[test]
fn what_another_thread_writes_is_there_for_the_one_that_made_the_buffer() {
    for (name, device) in gpus() {
        let mut room = device.upload(&vec![0u32; 1 << 20]).unwrap();
        for round in 1..=4 {
            let items = vec![round; 1 << 20];
            let options = ScanOptions::default();
            std::thread::scope(|scope| {
                scope.spawn(|| device.scan_into(&items, &ops::Sum::<u32>::new(), &mut room, &options).unwrap());
            });
            assert_eq!(room.get((1 << 20) - 1).unwrap(), round << 20, "{name}, round {round}");
        }
    }
}
