//! Three clusters on a line (Lloyd 1957): a feedback loop whose every step folds the items by the nearest centre.
//!
//! `cargo run --example k_means`

use cubefold::iterate::{Feedback, FeedbackExpand, Iteration, Moment, total};
use cubefold::prelude::*;

/// Three centres, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Centres {
    low: f32,
    middle: f32,
    high: f32,
}

#[derive(Clone, Debug, Operator)]
struct Lloyd;

/// Items of a cluster: their sum, and how many.
type Cluster = Both<i32, i32>;

#[cube]
impl Monoid for Lloyd {
    type State = Cluster;
    fn identity(&self) -> Cluster {
        Cluster { left: 0i32.runtime(), right: 0i32.runtime() }
    }
    fn combine(&self, left: Cluster, right: Cluster) -> Cluster {
        Cluster { left: left.left + right.left, right: left.right + right.right }
    }
}
impl Commutative for Lloyd {}

#[cube]
fn mean(cluster: Cluster) -> f32 {
    cluster.left as f32 / max(cluster.right, 1i32) as f32
}

#[cube]
impl Feedback<i32> for Lloyd {
    type Setting = u32;
    type Shared = Centres;
    fn setting(&self, member: u32) -> u32 {
        member
    }
    fn start(&self, _setting: u32) -> Centres {
        Centres { low: 0.0f32.runtime(), middle: 500.0f32.runtime(), high: 1000.0f32.runtime() }
    }
    fn key(&self, item: i32, _setting: u32, centres: Centres, _now: Moment) -> u32 {
        let place = 2.0f32 * item as f32;
        select(place < centres.low + centres.middle, 0u32, select(place < centres.middle + centres.high, 1u32, 2u32))
    }
    fn respond(&self, item: i32, _setting: u32, _centres: Centres, _now: Moment) -> Cluster {
        Cluster { left: item, right: 1i32.runtime() }
    }
    fn update(&self, totals: &[u32], _history: &[u32], _setting: u32, _centres: Centres, _now: Moment) -> Centres {
        let low = mean(total::<Cluster>(totals, 0u32));
        let middle = mean(total::<Cluster>(totals, 1u32));
        Centres { low, middle, high: mean(total::<Cluster>(totals, 2u32)) }
    }
}

pub(crate) fn run(device: &Device) -> Result<(), Error> {
    let items: Vec<i32> = (0..6000).map(|item| [100, 300, 900][item % 3] + (item as i32 * 7919) % 61 - 30).collect();
    let iteration = Iteration { steps: 20, keys: 3, ..Iteration::default() };
    let centres = device.iterate(&items, &Lloyd, &iteration)?.get(20)?;
    println!("{}: {centres:?}", device.label());
    // The clusters lie far apart: each centre is the mean of the items that were drawn around it.
    let mean = |cluster| items.iter().skip(cluster).step_by(3).sum::<i32>() as f32 / 2000.0;
    for (found, cluster) in [centres.low, centres.middle, centres.high].into_iter().zip(0..) {
        assert!((found - mean(cluster)).abs() < 1e-3, "{found} is not {}", mean(cluster));
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
