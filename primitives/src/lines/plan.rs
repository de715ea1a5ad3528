//! How lines are folded, and cut where they are few: pure arithmetic, tested without a device.

use crate::reduce::{HEAVY, LIGHT};
use crate::tile::Tile;
use crate::views::SIDE;
use crate::{Feature, Profile, State};

/// Teams that keep a large device busy, of a plane each,
const BUSY_PLANES: u32 = 4096;

/// and of a cube each: on an H200 (CUDA), 2^28 elements in 256 rows take 251 us so, and 286 with 1,024.
const BUSY_CUBES: u32 = 4096;

/// Units of a cube whose planes fold along lines: there, 65,536 sums of 4,096 take 243 us so, and 244 with 256. Planes share their
/// rows out for sums too: those take 243 us so and 244 without, as a plane's fold ends with its line.
const TEAM_UNITS: u32 = 128;

/// Lines of this length and longer are worth a plane each,
const LONG_FOR_PLANES: u32 = 128;

/// and of this length a cube each, where there are no planes.
const LONG_FOR_CUBES: u32 = 1024;

/// Elements of a matrix that is so small that it does not matter how they are read, only how many units read them.
const SMALL: u64 = 1 << 20;

/// Units and run of a cube that folds a line without planes, or one of elements that nothing is read for.
const PLAIN: Tile =
    Tile { units: 64, rows: 1, run: 16, steps: 1, plane: 0, shuffles: false, rolled: false, shares: false };

/// Units of a cube that folds across lines.
const UNITS: u32 = 128;

/// How lines are dealt to units that fold across them, some units of a cube the same lines.
#[derive(Debug, Clone, Copy)]
struct Deal {
    /// Units that keep a large device busy,
    busy: u64,
    /// and elements of a run that is worth another unit.
    shortest: u32,
    /// Elements of a line that a unit reads at once, of lines that lie side by side.
    items: usize,
}

/// For states of one word. On an H200 (CUDA), the f32 sums of 20 columns of 2^24 take 331 us so, 340 and 350 with runs of 32 and
/// 64, and 336 with eight at once.
const LIGHT_DEAL: Deal = Deal { busy: 1 << 22, shortest: 16, items: 4 };

/// For larger ones, which the units of a cube take longer to fold. There, count, mean and variance take 333 us so, 336 and 560
/// with runs of 32 and 16, and 348 with four at once.
const HEAVY_DEAL: Deal = Deal { busy: 1 << 22, shortest: 64, items: 8 };

/// Where lines are so many that every unit leaves results of its own: fewer of them. There, the f32 sums of 500 columns take as
/// long as the array's.
const WIDE_DEAL: Deal = Deal { busy: 1 << 17, shortest: 64, items: 8 };

/// Words of the items that a unit reads at once: all of one line where its elements are neighbours in memory,
const ITEM_WORDS: usize = 32;

/// and of the states of some lines at once.
const STATE_WORDS: usize = 16;

/// How lines are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Units side by side along a line.
    Along(Along),
    /// A unit, or some after one another, to a few lines.
    Across(Across),
}

/// What a fold along lines is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Team {
    /// The tile whose groups do it.
    pub tile: Tile,
    /// Whether all groups of a cube fold a piece together, else each a piece of its own.
    pub whole: bool,
}

/// Each line in pieces, a piece to a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Along {
    /// Who folds a piece.
    pub team: Team,
    /// Pieces of a line.
    pub pieces: u32,
    /// Parts of the tile that each group folds, one after another.
    pub parts_per_group: u32,
}

/// What a fold across lines is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Patch {
    /// Lines of a unit.
    pub lines: u32,
    /// Elements of each that it reads at once.
    pub items: u32,
    /// Whether neighbours in memory are of neighbouring lines.
    pub down: bool,
    /// Units of a cube that have the same lines, and fold them one run after another.
    pub stack: u32,
    /// Units of a cube.
    pub units: u32,
}

/// Each line in runs, a run of some lines to a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Across {
    /// What a unit reads at once.
    pub patch: Patch,
    /// Units that cover the lines once.
    pub side: u32,
    /// Runs of a line.
    pub runs: u32,
    /// Elements of each; the last may have fewer.
    pub run: u32,
}

impl Way {
    /// How `lines` lines of `len` elements `T` are folded as states `S`; `contiguous` where a line's elements are neighbours in
    /// memory. An element is read from `stored` words.
    ///
    /// # Errors
    ///
    /// The feature that the device lacks.
    pub fn new<T: State, S: State>(
        lines: u32,
        len: u32,
        contiguous: bool,
        stored: usize,
        profile: &Profile,
    ) -> Result<Self, Feature> {
        let small = u64::from(lines) * u64::from(len) <= SMALL;
        let long = if profile.plane.is_some() { LONG_FOR_PLANES } else { LONG_FOR_CUBES };
        if len >= long && (contiguous || small) {
            return Along::new::<T, S>(lines, len, stored, profile).map(Way::Along);
        }
        Ok(Way::Across(Across::new::<T, S>(lines, len, contiguous, stored, profile)))
    }

    /// Launches' results of every line: one, or more that are folded again.
    pub fn pieces(&self) -> u32 {
        match self {
            Way::Along(along) => along.pieces,
            Way::Across(across) => across.pieces(),
        }
    }
}

impl Along {
    fn new<T: State, S: State>(lines: u32, len: u32, stored: usize, profile: &Profile) -> Result<Self, Feature> {
        let wanted = match (stored, profile.plane, S::WORDS) {
            (0, _, _) => Tile { rolled: true, ..PLAIN },
            (_, None, _) => PLAIN,
            (_, Some(_), 1) => Tile { units: TEAM_UNITS, shares: true, ..LIGHT },
            _ => Tile { units: TEAM_UNITS, ..HEAVY },
        };
        let mut tile = Tile::fitting::<T, S>(profile, wanted, 0, stored)?;
        while tile.part().len() > len && tile.items() > 1 {
            if tile.rows > 1 { tile.rows /= 2 } else { tile.run /= 2 }
        }
        let parts = len.div_ceil(tile.part().len());
        // A cube has no less than a part for every plane, and some.
        let whole = tile.groups() == 1 || (lines < BUSY_PLANES && parts >= 2 * tile.groups());
        let together = if whole { tile.groups() } else { 1 };
        let most = if whole { parts.div_ceil(2 * together) } else { 1 };
        let wanted = (BUSY_CUBES / lines.max(1)).clamp(1, most.max(1));
        let least = u64::from(parts).div_ceil(u64::from(together) * u64::from(profile.max_loop)) as u32;
        let parts_per_group = parts.div_ceil(wanted.max(least) * together);
        Ok(Along { team: Team { tile, whole }, pieces: parts.div_ceil(parts_per_group * together), parts_per_group })
    }

    /// Whether fours of neighbours in memory are read together.
    pub fn in_fours(&self) -> bool {
        self.team.tile.run.is_multiple_of(SIDE)
    }

    /// Cubes of a launch for `lines` lines.
    pub fn cubes(&self, lines: u32) -> u64 {
        let teams = u64::from(lines) * u64::from(self.pieces);
        if self.team.whole { teams } else { teams.div_ceil(self.team.tile.groups().into()) }
    }
}

impl Across {
    fn new<T: State, S: State>(lines: u32, len: u32, contiguous: bool, stored: usize, profile: &Profile) -> Self {
        let mut units = UNITS.min(profile.max_units);
        let several = !contiguous && stored > 0 && lines >= SIDE && S::WORDS * SIDE as usize <= STATE_WORDS;
        let at_once = if several { SIDE } else { 1 };
        let side = lines.div_ceil(at_once).max(1);
        let deal = match (units / side, S::WORDS) {
            (0 | 1, _) => WIDE_DEAL,
            (_, 1) => LIGHT_DEAL,
            _ => HEAVY_DEAL,
        };
        let held = ITEM_WORDS / (at_once as usize * stored.max(T::WORDS));
        let items = match (stored, contiguous) {
            (0, _) => 1,
            (_, true) => held,
            (_, false) => held.min(deal.items),
        };
        let items = (items.max(1) as u32).min(len.max(1));
        let items = 1 << items.ilog2();
        let wanted = deal.busy.div_ceil(u64::from(side)) as u32;
        let runs = wanted.min(len / deal.shortest).max(len.div_ceil(profile.max_loop)).max(1);
        // Runs begin where fours do.
        let run = len.div_ceil(runs).max(1);
        let run = if runs == 1 { run } else { run.next_multiple_of(SIDE) };
        let runs = len.div_ceil(run).max(1);
        let stack = |units: u32| (units / side).clamp(1, runs);
        while stack(units) > 1 && 4 * (units as usize) * at_once as usize * S::WORDS > profile.shared_bytes {
            units /= 2;
        }
        let patch = Patch { lines: at_once, items, down: !contiguous, stack: stack(units), units };
        Across { patch, side, runs, run }
    }

    /// Cubes of a launch.
    pub fn cubes(&self) -> u64 {
        let pieces = u64::from(self.pieces());
        if self.patch.stack > 1 { pieces } else { (u64::from(self.side) * pieces).div_ceil(self.patch.units.into()) }
    }

    /// Results of every line.
    fn pieces(&self) -> u32 {
        self.runs.div_ceil(self.patch.stack)
    }

    /// Whether fours of neighbours in memory are read together.
    pub fn in_fours(&self, lines: u32) -> bool {
        match self.patch.down {
            true => self.patch.lines == SIDE && lines.is_multiple_of(SIDE),
            false => self.patch.items.is_multiple_of(SIDE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [u32; 12] = [0, 1, 3, 20, 63, 64, 65, 127, 128, 500, 8313, 1 << 20];

    fn across(lines: u32, len: u32, longest: u32) -> Across {
        Across::new::<f32, f32>(lines, len, false, 1, &Profile { max_loop: longest, ..Profile::plain() })
    }

    #[test]
    fn runs_cover_a_line_and_none_is_empty() {
        for lines in SHAPES {
            for len in SHAPES {
                let Across { runs, run, .. } = across(lines, len, u32::MAX);
                let (count, run) = (u64::from(runs), u64::from(run));
                assert!(count * run >= u64::from(len), "{lines} lines of {len}");
                assert!(len == 0 || (count - 1) * run < u64::from(len), "{lines} lines of {len}");
                assert!(count == 1 || run.is_multiple_of(4), "{lines} lines of {len}");
            }
        }
    }

    #[test]
    fn pieces_cover_a_line_and_none_is_empty() {
        for plane in [None, Some(32)] {
            let profile = Profile { plane, ..Profile::plain() };
            for lines in SHAPES {
                for len in SHAPES.into_iter().filter(|&len| len >= 128) {
                    let along = Along::new::<f32, f32>(lines, len, 1, &profile).unwrap();
                    let together = if along.team.whole { along.team.tile.groups() } else { 1 };
                    let piece = u64::from(along.parts_per_group * together * along.team.tile.part().len());
                    assert!(u64::from(along.pieces) * piece >= u64::from(len), "{lines} lines of {len}");
                    assert!(u64::from(along.pieces - 1) * piece < u64::from(len), "{lines} lines of {len}");
                }
            }
        }
    }

    #[test]
    fn elements_that_nothing_is_read_for_are_taken_one_at_a_time() {
        let profile = Profile { plane: Some(32), ..Profile::plain() };
        let along = |len, stored| Along::new::<f32, f32>(1 << 16, len, stored, &profile).unwrap();
        let (computed, read) = (along(1 << 12, 0).team.tile, along(1 << 12, 1).team.tile);
        assert!(computed.rolled && computed.rows == 1 && !read.rolled);
        assert!(along(1 << 12, 1).in_fours() && !along(64, 1).in_fours());
    }

    #[test]
    fn a_borrowed_matrix_is_read_for_as_the_matrix_is() {
        use crate::views::{Dense, Matrix};
        assert_eq!([<&Dense<crate::Counter> as Matrix>::STORED, <&Dense<Vec<f32>> as Matrix>::STORED], [0, 1]);
    }

    #[test]
    fn many_lines_are_not_cut_but_for_the_length_of_loops() {
        assert_eq!(across(1 << 19, 1 << 12, u32::MAX).runs, 1);
        assert_eq!(across(1 << 19, 1 << 12, 1 << 11).runs, 2);
        assert!(across(1 << 16, 1 << 12, u32::MAX).runs > 1);
        let profile = Profile { plane: Some(32), max_loop: 2, ..Profile::plain() };
        let along = |len| Along::new::<f32, f32>(1 << 16, len, 1, &profile).unwrap().pieces;
        assert_eq!([along(1024), along(1025)], [1, 2]);
    }
}
