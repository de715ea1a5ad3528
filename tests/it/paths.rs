//! Paths through graphs by products: closures against Floyd and Warshall, where they go, and how many they are.

use cubefold::ops::{ArgMinPlus, CountMinPlus, Edges, Hop, MinPlus, OrAnd, Paths};
use cubefold::prelude::*;
use cubefold::{Error, GemmStrategy};

use crate::devices::devices;
use crate::oracle::assert_same;
use crate::samples::integers;

const FAR: f32 = f32::INFINITY;

/// Vertices: none, no path to find, paths of a few edges, more than a tile and than a block.
const VERTICES: [usize; 8] = [0, 1, 2, 3, 5, 17, 33, 70];

/// Whole lengths, which sum exactly; of a ring so that paths are long, and a few shortcuts. One vertex is not on it.
fn edges(vertices: usize) -> Vec<f32> {
    let mut edges = vec![FAR; vertices * vertices];
    let lengths = integers(vertices * vertices, 41);
    for (vertex, &length) in lengths.iter().enumerate().take(vertices) {
        edges[vertex * vertices + vertex] = 0.0;
        let next = (vertex + 1) % vertices.saturating_sub(1).max(1);
        if vertex + 1 < vertices && next != vertex {
            edges[vertex * vertices + next] = 1.0 + (length % 9) as f32;
        }
        let across = lengths[vertex * vertices + next] as usize % vertices;
        if vertex % 5 == 4 && across != vertex {
            edges[vertex * vertices + across] = 1.0 + (length % 50) as f32;
        }
    }
    edges
}

/// Floyd and Warshall's algorithm.
fn shortest(edges: &[f32], vertices: usize) -> Vec<f32> {
    let mut paths = edges.to_vec();
    for over in 0..vertices {
        for from in 0..vertices {
            for to in 0..vertices {
                let around = paths[from * vertices + over] + paths[over * vertices + to];
                paths[from * vertices + to] = paths[from * vertices + to].min(around);
            }
        }
    }
    paths
}

#[test]
fn a_closure_is_what_floyd_and_warshall_find() {
    for vertices in VERTICES {
        let edges = edges(vertices);
        let expected = shortest(&edges, vertices);
        assert!(vertices < 5 || expected.contains(&FAR), "one vertex is out of reach");
        let reached: Vec<u32> = expected.iter().map(|&path| u32::from(path < FAR)).collect();
        let whole = |length: &f32| if *length < FAR { *length as i32 } else { i32::MAX };
        let side = vertices as u32;
        for (name, device) in devices() {
            let case = format!("{name}, {vertices} vertices");
            let matrix = Dense::new(edges.clone(), side, side).unwrap();
            let paths = device.closure(&matrix, &MinPlus::new()).unwrap();
            assert_same(&paths.to_vec().unwrap(), &expected, &case);
            let matrix = Dense::new(edges.iter().map(whole).collect::<Vec<i32>>(), side, side).unwrap();
            let paths = device.closure(&matrix, &MinPlus::new()).unwrap().to_vec().unwrap();
            assert_same(&paths, &expected.iter().map(whole).collect::<Vec<i32>>(), &case);
            let there = |&length: &f32| u32::from(length < FAR);
            let matrix = Dense::new(edges.iter().map(there).collect::<Vec<u32>>(), side, side).unwrap();
            assert_same(&device.closure(&matrix, &OrAnd).unwrap().to_vec().unwrap(), &reached, &case);
        }
    }
}

#[test]
fn a_graph_without_edges_has_no_paths() {
    for (name, device) in devices() {
        let nothing = Dense::strided(vec![FAR], 20, 20, 0, 0).unwrap();
        assert_same(&device.closure(&nothing, &MinPlus::new()).unwrap().to_vec().unwrap(), &[FAR; 400], name);
        let nothing = Dense::strided(vec![Hop::<f32>::none()], 20, 20, 0, 0).unwrap();
        let hops = device.closure(&nothing, &ArgMinPlus::new()).unwrap().to_vec().unwrap();
        assert_same(&hops, &[Hop::none(); 400], name);
    }
}

#[test]
fn only_square_matrices_have_a_closure() {
    for (name, device) in devices() {
        let error = device.closure(&Dense::new(vec![1.0f32; 6], 2, 3).unwrap(), &MinPlus::new()).unwrap_err();
        assert_eq!(error, Error::Length { what: "the row of a square matrix", got: 3, expected: 2 }, "{name}");
    }
}

#[test]
fn hops_lead_along_a_shortest_path() {
    for vertices in VERTICES {
        let (edges, side) = (edges(vertices), vertices as u32);
        let expected = shortest(&edges, vertices);
        for (name, device) in devices() {
            let columns = Dense::repeated_row(Counter::new(vertices as u64), side).unwrap();
            let lengths = Dense::new(&edges, side, side).unwrap();
            let hops = lengths.zip_elements(columns).unwrap().map_elements(Edges::new());
            let hops = device.closure(&hops, &ArgMinPlus::new()).unwrap().to_vec().unwrap();
            for (place, (hop, &length)) in hops.iter().zip(&expected).enumerate() {
                let (from, to) = (place / vertices, place % vertices);
                let case = format!("{name}, {vertices} vertices, from {from} to {to}");
                assert_eq!(hop.length, length, "{case}");
                assert_eq!(hop.via().is_some(), from != to && length < FAR, "{case}");
                let (mut at, mut gone, mut steps) = (from, 0.0, 0);
                while let Some(next) = hops[at * vertices + to].via() {
                    gone += edges[at * vertices + next as usize];
                    (at, steps) = (next as usize, steps + 1);
                    assert!(steps < vertices, "{case}: around a cycle");
                }
                assert!(length == FAR || (at, gone) == (to, length), "{case}: {gone} as far as {at}");
            }
        }
    }
}

#[test]
fn the_lowest_of_equal_terms_is_named_by_every_strategy() {
    let [rows, depth, columns] = [9usize, 700, 6];
    let short =
        |len, seed| integers(len, seed).into_iter().map(|word| (word >> 16) as f32 % 40.0 + 1.0).collect::<Vec<f32>>();
    let (a, b) = (short(rows * depth, 42), short(depth * columns, 43));
    let cell = |place: usize| {
        let mut best = (FAR, usize::MAX);
        for at in 0..depth {
            let sum = a[place / columns * depth + at] + b[at * columns + place % columns];
            if sum < best.0 {
                best = (sum, at);
            }
        }
        Hop::edge(best.0, best.1 as u32)
    };
    let expected: Vec<Hop<f32>> = (0..rows * columns).map(cell).collect();
    let left: Vec<Hop<f32>> =
        a.iter().enumerate().map(|(place, &length)| Hop::edge(length, (place % depth) as u32)).collect();
    let right: Vec<Hop<f32>> = b.iter().map(|&length| Hop::edge(length, 0)).collect();
    for (name, device) in devices() {
        for strategy in GemmStrategy::NAMED {
            let left = Dense::new(&left, rows as u32, depth as u32).unwrap();
            let right = Dense::new(&right, depth as u32, columns as u32).unwrap();
            let best = device.tiled_gemm_with(&left, &right, &ArgMinPlus::new(), strategy).unwrap();
            assert_same(&best.to_vec().unwrap(), &expected, &format!("{name}, {strategy:?}"));
        }
    }
}

#[test]
fn corners_of_a_grid_are_joined_by_as_many_paths_as_there_are_choices() {
    // Steps to the right and down in a grid of 4 by 4: three of each, in any order.
    let mut steps = vec![Paths::<f32>::none(); 256];
    for place in 0..16 {
        if place % 4 < 3 {
            steps[place * 16 + place + 1] = Paths::edge(1.0);
        }
        if place / 4 < 3 {
            steps[place * 16 + place + 4] = Paths::edge(1.0);
        }
    }
    for (name, device) in devices() {
        let steps = Dense::new(device.upload(&steps).unwrap(), 16, 16).unwrap();
        let mut paths = device.tiled_gemm(&steps, &steps, &CountMinPlus::new()).unwrap();
        for _ in 2..6 {
            paths = device.tiled_gemm(&Dense::new(paths, 16, 16).unwrap(), &steps, &CountMinPlus::new()).unwrap();
        }
        let paths = paths.to_vec().unwrap();
        assert_eq!(paths[15], Paths { length: 6.0, count: 20 }, "{name}");
        assert!(paths[..15].iter().all(|&other| other == Paths::none()), "{name}: six steps end in the corner");
    }
}

#[test]
fn counts_end_where_they_say() {
    // 2^31 ways to either of three vertices, and two from each on.
    let out = vec![Paths { length: 1.0f32, count: 1 << 31 }; 3];
    let back = vec![Paths { length: 1.0f32, count: 2 }; 3];
    for (name, device) in devices() {
        let (out, back) = (Dense::new(&out, 1, 3).unwrap(), Dense::new(&back, 3, 1).unwrap());
        let ways = device.tiled_gemm(&out, &back, &CountMinPlus::new()).unwrap().get(0).unwrap();
        assert_eq!(ways, Paths { length: 2.0, count: u32::MAX }, "{name}");
    }
}
