//! What plans say beforehand is what launches do.

use cubefold::iterate::{Iteration, Way};
use cubefold::ops::Sum;
use cubefold::prelude::*;
use cubefold::{ScanOptions, Strategy};

use crate::devices::{gpus, limited, observed, private};

type Items = Buffer<f32>;

#[test]
fn a_reduction_takes_the_launches_that_it_says() {
    for (name, device) in gpus() {
        for memory_scope in [false, device.profile().unwrap().memory_scope] {
            let device = limited(device, |profile| profile.memory_scope = memory_scope);
            let launches = observed(&device);
            let tile = device.explain_reduce::<Items, Sum<f32>>(1).unwrap().unwrap().tile as usize;
            // None, one tile, one more, and more cubes than one launch ends with.
            for len in [0, tile, tile + 1, 65 * tile] {
                launches.lock().unwrap().clear();
                let plan = device.explain_reduce::<Items, Sum<f32>>(len as u64).unwrap().unwrap();
                device.reduce(&device.upload(&vec![1.0f32; len]).unwrap(), &Sum::<f32>::new()).unwrap();
                assert_eq!(launches.lock().unwrap().len(), plan.launches as usize, "{name}, {len} items: {plan:?}");
            }
        }
    }
}

#[test]
fn a_scan_goes_by_the_strategy_that_it_says() {
    for (name, device) in gpus() {
        let device = private(device);
        let launches = observed(&device);
        for strategy in [Strategy::Auto, Strategy::HillisSteele, Strategy::Blelloch, Strategy::DecoupledLookback] {
            launches.lock().unwrap().clear();
            let options = ScanOptions { strategy, ..ScanOptions::default() };
            let plan = device.explain_scan::<Items, Sum<f32>>(5000, &options).map(Option::unwrap);
            let run = device.scan_with(&vec![1.0f32; 5000], &Sum::<f32>::new(), &options).map(drop);
            assert_eq!(plan.as_ref().err(), run.as_ref().err(), "{name}, {strategy:?}");
            if let Ok(plan) = plan {
                let last = launches.lock().unwrap().last().copied();
                assert_eq!(last.map(|(_, ran)| ran), Some(plan.strategy.name()), "{name}, {strategy:?}");
            }
        }
    }
}

#[test]
fn a_loop_is_refused_by_the_plan_as_by_the_launch() {
    for (name, device) in gpus() {
        let plan = |way, members, profile: &dyn Fn(&mut cubefold::Profile)| {
            let iteration = Iteration { steps: 10, keys: 1, members, way };
            limited(device, profile).explain_iterate::<f32>(1000, &iteration).map(|plan| plan.unwrap().way)
        };
        assert_eq!(plan(Way::Launches, 1, &|_| ()), Ok(Way::Launches), "{name}");
        assert!(plan(Way::Launches, 2, &|_| ()).is_err(), "{name}: many loops");
        assert!(plan(Way::Resident, 1, &|profile| profile.multiprocessors = None).is_err(), "{name}");
        assert!(plan(Way::OneCube, 1, &|profile| profile.shared_bytes = 0).is_err(), "{name}");
    }
    assert_eq!(Device::host().explain_iterate::<f32>(1000, &Iteration::default()), Ok(None));
}
