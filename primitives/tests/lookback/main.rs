//! A model of the look-back's protocol, walked through every interleaving.
//!
//! `machine.rs` restates `scan/lookback.rs`, `window.rs` and `descriptor.rs` as a state machine: one step is one read or write
//! of one atomic word, or the draw of a ticket. Kernels cannot be stopped between two words; the machine can. `walk.rs` visits
//! every state that any order of steps leads to, and finds a fault where
//!
//! - a cube ends with another result than the scan in order, or with another grouping than the documented one,
//! - two writes to one word of one call differ,
//! - a word of another call is taken, or the words of one look are of two states,
//! - the steps go round in a circle.
//!
//! Reads may also be made to miss what other cubes have written, as often as they like: what memory models allow where
//! nothing is fenced. A cube must see what it has posted itself; that is all that the bound on its rounds rests on.
//!
//! A cube that has not ended always has a step of its own, whatever the others do. So where no steps go round in a circle,
//! every cube that goes on ends, with any others stalled at any point: a cube that stalls is one whose steps never come.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod machine;
mod terms;
mod walk;

use machine::{Broken, Looks, Machine};
use walk::{Fault, walk, walk_every_step};

/// One-word states in two halves (or two-word states in wholes), one poll, sound.
fn machine(tiles: &[u8], window: u8) -> Machine {
    Machine {
        calls: tiles.to_vec(),
        window,
        looks: Looks::ByUnits,
        cells: 2,
        patience: 1,
        tags: 9,
        withheld: 0,
        late: false,
        broken: None,
    }
}

/// Walks with every subset of the tiles withholding what it should publish; how many states there were.
fn walk_withholding(machine: Machine) -> usize {
    let tiles = machine.calls.iter().max().unwrap();
    let subsets = 0..1u32 << tiles;
    let walked = subsets.map(|withheld| {
        let machine = Machine { withheld, ..machine.clone() };
        walk(&machine).unwrap_or_else(|fault| panic!("{fault:?} in {machine:?}"))
    });
    walked.sum()
}

#[test]
fn every_interleaving_ends_with_the_documented_grouping() {
    for tiles in 1..=4 {
        let states = walk_withholding(machine(&[tiles], 2));
        println!("{tiles} tiles: {states} states");
    }
}

#[test]
fn five_tiles_and_three_anchors_interleave_at_will() {
    println!("{} states", walk_withholding(Machine { cells: 1, ..machine(&[5], 2) }));
    println!("{} states", walk(&machine(&[5], 2)).unwrap());
}

#[test]
fn words_of_wide_states_are_posted_one_by_one() {
    for cells in [1, 3, 4] {
        let states = walk_withholding(Machine { cells, ..machine(&[3], 2) });
        println!("{cells} cells: {states} states");
    }
}

#[test]
fn patience_changes_nothing_but_the_way() {
    for patience in [2, 3] {
        println!("{} states", walk_withholding(Machine { patience, ..machine(&[3], 2) }));
    }
}

#[test]
fn units_and_planes_that_look_together_find_the_same() {
    for looks in [Looks::ByUnits, Looks::ByPlanes(1), Looks::ByPlanes(3)] {
        println!("{looks:?}: {} states", walk_withholding(Machine { looks, cells: 1, ..machine(&[4], 3) }));
    }
    let planes = Machine { looks: Looks::ByPlanes(2), cells: 1, ..machine(&[5], 4) };
    println!("{} states", walk(&planes).unwrap());
}

#[test]
fn reads_that_come_late_change_no_result() {
    println!("{} states", walk_withholding(Machine { late: true, ..machine(&[3], 2) }));
    println!("{} states", walk_withholding(Machine { late: true, cells: 1, ..machine(&[4], 2) }));
}

#[test]
fn calls_on_one_memory_do_not_see_each_other() {
    // Slots of calls of other lengths lie elsewhere; the third call is the first after tags ran out.
    for withheld in [0, 0b1, 0b10, 0b101] {
        for calls in [&[3, 2, 3], &[2, 3, 3]] {
            println!("{} states", walk(&Machine { tags: 2, cells: 1, withheld, ..machine(calls, 2) }).unwrap());
        }
    }
}

#[test]
fn steps_that_stand_alone_hide_nothing() {
    for withheld in 0..8 {
        let machine = Machine { withheld, cells: 1, ..machine(&[3], 2) };
        let (few, all) = (walk(&machine), walk_every_step(&machine));
        println!("{few:?} of {all:?} states");
        assert!(few.unwrap() <= all.unwrap());
    }
    for broken in [Broken::FoldRegrouped, Broken::PrefixRegrouped, Broken::SlotsShared] {
        let machine = Machine { broken: Some(broken), cells: 1, ..machine(&[4], 2) };
        assert!(walk(&machine).is_err() && walk_every_step(&machine).is_err(), "{broken:?}");
    }
}

fn fault(broken: Broken, machine: Machine) -> Fault {
    walk(&Machine { broken: Some(broken), ..machine }).expect_err("a broken protocol has a fault")
}

#[test]
fn a_fallback_with_another_grouping_is_found() {
    assert_eq!(fault(Broken::FoldRegrouped, machine(&[3], 2)), Fault::WordsDiffer);
    assert_eq!(fault(Broken::PrefixRegrouped, machine(&[4], 2)), Fault::WordsDiffer);
}

#[test]
fn a_tag_that_is_used_again_is_found() {
    assert_eq!(fault(Broken::TagsReused, Machine { tags: 1, ..machine(&[3, 3], 2) }), Fault::ForeignWord);
}

#[test]
fn a_prefix_in_the_slot_of_a_fold_is_found() {
    assert!(matches!(fault(Broken::SlotsShared, machine(&[4], 2)), Fault::WordsDiffer | Fault::WrongOrder));
}

#[test]
fn words_that_one_tag_stands_for_are_found() {
    assert_eq!(fault(Broken::OneTagForAllWords, machine(&[2], 2)), Fault::MixedWords);
}

#[test]
fn cubes_that_wait_for_one_another_are_found() {
    assert_eq!(fault(Broken::EndlessPatience, machine(&[2], 2)), Fault::Endless);
}

#[test]
fn rounds_are_bounded_because_a_cube_sees_what_it_has_posted() {
    assert_eq!(fault(Broken::OwnWordsUnseen, Machine { late: true, ..machine(&[2], 2) }), Fault::Endless);
}
