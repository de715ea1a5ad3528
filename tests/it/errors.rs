//! What cannot be done is a typed error with its numbers.

use cubefold::prelude::*;
use cubefold::{Error, Feature, GemmStrategy, ScanOptions, Strategy};

use crate::devices::{devices, gpus, limited};
use crate::samples::integers;

#[test]
fn a_buffer_over_the_binding_limit_is_refused_at_the_first_word_too_many() {
    for (name, device) in gpus() {
        let small = limited(device, |profile| profile.max_binding = 4000);
        assert!(small.upload(&integers(1000, 1)).is_ok(), "{name}");
        let error = small.upload(&integers(1001, 1)).unwrap_err();
        let expected = Error::BindingTooLarge { device: small.label(), bytes: 4004, limit: 4000 };
        assert_eq!(error, expected, "{name}");
        let error = small.scan(&Counter::new(501), &ops::Count).unwrap_err();
        assert!(matches!(error, Error::BindingTooLarge { bytes: 4008, .. }), "{name}: {error}");
    }
}

#[test]
fn more_than_the_devices_memory_is_refused() {
    for (name, device) in gpus() {
        let small = limited(device, |profile| profile.max_memory = Some(1000));
        let error = small.upload(&integers(251, 1)).unwrap_err();
        assert_eq!(error, Error::OutOfMemory { device: small.label(), bytes: 1004 }, "{name}");
    }
}

#[test]
fn a_feature_that_the_device_lacks_is_named() {
    for (name, device) in gpus() {
        let bare = limited(device, |profile| {
            profile.wide = cubefold::WideFieldsSupport::default();
            profile.atomic_u32 = false;
            profile.max_units = 128;
        });
        let error = bare.reduce(&vec![1.0f64], &ops::Sum::<f64>::new()).unwrap_err();
        assert_eq!(error, Error::Unsupported { device: bare.label(), feature: Feature::Float64 }, "{name}");
        let options = ScanOptions { strategy: Strategy::DecoupledLookback, ..ScanOptions::default() };
        let error = bare.scan_with(&integers(9, 1), &ops::Sum::<u32>::new(), &options).unwrap_err();
        assert_eq!(error, Error::Unsupported { device: bare.label(), feature: Feature::Atomic32 }, "{name}");
        let matrix = Dense::new(integers(4, 1), 2, 2).unwrap();
        let product = ops::PlusTimes::<u32>::new();
        let error = bare.tiled_gemm_with(&matrix, &matrix, &product, GemmStrategy::Tiled16).unwrap_err();
        assert_eq!(error, Error::Unsupported { device: bare.label(), feature: Feature::Units(256) }, "{name}");
        assert!(bare.tiled_gemm_with(&matrix, &matrix, &product, GemmStrategy::Tiled8).is_ok(), "{name}");
    }
}

#[test]
fn sixty_four_bit_scalars_work_where_they_are() {
    for (name, device) in devices() {
        if device.profile().is_some_and(|profile| profile.lacks::<f64>().is_some()) {
            eprintln!("{name} has no f64: left out");
            continue;
        }
        let items: Vec<f64> = (0..5000).map(f64::from).collect();
        let sum = device.reduce(&items, &ops::Sum::<f64>::new()).unwrap().get(0).unwrap();
        assert_eq!(sum, 12_497_500.0, "{name}");
        let items: Vec<i64> = (0..5000).map(|item| item << 32).collect();
        let sums = device.scan(&items, &ops::Sum::<i64>::new()).unwrap().get(4999).unwrap();
        assert_eq!(sums, 12_497_500 << 32, "{name}");
    }
}

#[test]
fn items_that_live_elsewhere_are_refused() {
    for (name, device) in gpus() {
        let there = device.upload(&integers(10, 1)).unwrap();
        let error = Device::host().reduce(&there, &ops::Sum::<u32>::new()).unwrap_err();
        assert_eq!(error, Error::NotOnHost { home: device.label() }, "{name}");
    }
}

#[test]
fn sizes_that_do_not_fit_together_are_refused() {
    let error = Dense::new(vec![1u32; 5], 2, 3).unwrap_err();
    assert_eq!(error, Error::Length { what: "the matrix's source", got: 5, expected: 6 });
    assert!(Dense::strided(vec![1u32; 6], 2, 3, 3, 1).is_ok());
    let error = Dense::strided(vec![1u32; 5], 2, 3, 3, 1).unwrap_err();
    assert_eq!(error, Error::OutOfBounds { index: 5, len: 5 });
    assert!(vec![1u32; 5].slice(2, 3).is_ok());
    assert_eq!(vec![1u32; 5].slice(2, 4).unwrap_err(), Error::OutOfBounds { index: 6, len: 5 });
    for (name, device) in devices() {
        let items = device.upload(&integers(5, 1)).unwrap();
        assert!(items.get(4).is_ok(), "{name}");
        assert_eq!(items.get(5).unwrap_err(), Error::OutOfBounds { index: 5, len: 5 }, "{name}");
    }
}

#[test]
fn a_cubecl_handle_is_wrapped_without_a_copy() {
    for (name, device) in gpus() {
        let items = integers(1000, 2);
        let original = device.upload(&items).unwrap();
        let handle = original.handle().expect("it lives on the device").clone();
        let wrapped = cubefold::Buffer::<u32>::from_handle(device, handle.clone(), 1000).unwrap();
        assert_eq!(wrapped.to_vec().unwrap(), items, "{name}");
        let error = cubefold::Buffer::<u32>::from_handle(device, handle, 1001).unwrap_err();
        assert_eq!(error, Error::Length { what: "the handle", got: 1000, expected: 1001 }, "{name}");
    }
}

#[test]
fn unknown_and_missing_devices_say_why() {
    let unknown = Device::by_name("gpu").unwrap_err().to_string();
    assert!(unknown.starts_with("unknown device 'gpu'"), "{unknown}");
    let missing = Device::by_name("cuda:99").unwrap_err().to_string();
    assert!(missing.starts_with("no device 'cuda:99'"), "{missing}");
    assert!(Device::available().iter().any(|device| device.name == "host" && device.state.is_ok()));
}
