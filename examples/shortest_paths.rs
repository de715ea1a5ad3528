//! Every shortest path of a road map at once: repeated squaring over (min, +), with the way that each of them goes.
//!
//! `cargo run --example shortest_paths`

use cubefold::ops::{ArgMinPlus, Edges, Hop, MinPlus};
use cubefold::prelude::*;

const TOWNS: [&str; 7] = ["Aachen", "Bonn", "Cologne", "Dortmund", "Essen", "Frankfurt", "Goslar"];

/// Kilometres by road, both ways. No road leads to the last town.
const ROADS: [(usize, usize, f32); 7] =
    [(0, 1, 91.0), (0, 2, 71.0), (1, 2, 30.0), (2, 3, 94.0), (2, 4, 74.0), (3, 4, 38.0), (1, 5, 175.0)];

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let side = TOWNS.len() as u32;
    let mut roads = vec![f32::INFINITY; TOWNS.len() * TOWNS.len()];
    for town in 0..TOWNS.len() {
        roads[town * TOWNS.len() + town] = 0.0;
    }
    for (from, to, length) in ROADS {
        roads[from * TOWNS.len() + to] = length;
        roads[to * TOWNS.len() + from] = length;
    }
    println!("{}:", device.label());
    let lengths = Dense::new(&roads, side, side)?;
    let shortest = device.closure(&lengths, &MinPlus::new())?.to_vec()?;
    // The same with the first town of each path: an edge goes by the town at its end, which is its column.
    let towns = Dense::repeated_row(Counter::new(side.into()), side)?;
    let edges = lengths.zip_elements(towns)?.map_elements(Edges::new());
    let hops = device.closure(&edges, &ArgMinPlus::new())?.to_vec()?;
    for (from, to) in [(0, 3), (4, 5), (0, 6)] {
        let length = shortest[from * TOWNS.len() + to];
        println!("  {} ({length} km)", route(&hops, from, to).join(" - "));
        assert_eq!(hops[from * TOWNS.len() + to].length, length);
    }
    assert_eq!(route(&hops, 4, 5), ["Essen", "Cologne", "Bonn", "Frankfurt"]);
    assert_eq!(shortest[4 * TOWNS.len() + 5], 279.0);
    Ok(())
}

/// The towns from one to another, as far as a path leads.
fn route(hops: &[Hop<f32>], from: usize, to: usize) -> Vec<&'static str> {
    let next = |&town: &usize| hops[town * TOWNS.len() + to].via().map(|next| next as usize);
    std::iter::successors(Some(from), next).map(|town| TOWNS[town]).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
