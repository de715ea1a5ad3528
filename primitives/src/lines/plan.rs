//! How lines are cut into runs: pure arithmetic, tested without a device.

/// Units that keep a large device busy: with fewer lines than this, lines are cut.
const BUSY: u64 = 1 << 16;

/// A run is no shorter than this: below it the second launch costs more than the first saves.
const SHORTEST_RUN: u32 = 64;

/// Runs of every line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runs {
    /// How many.
    pub count: u32,
    /// Elements of each; the last may have fewer.
    pub len: u32,
}

impl Runs {
    /// Cuts `lines` lines of `len` elements into runs of at most `longest`.
    pub fn new(lines: u32, len: u32, longest: u32) -> Self {
        let wanted = BUSY.div_ceil(u64::from(lines.max(1))) as u32;
        let count = wanted.min(len / SHORTEST_RUN).max(len.div_ceil(longest)).max(1);
        let run = len.div_ceil(count).max(1);
        Runs { count: len.div_ceil(run).max(1), len: run }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_a_line_and_none_is_empty() {
        for lines in [1, 20, 500, 1 << 17] {
            for len in [0, 1, 63, 64, 65, 127, 128, 8313, 1 << 20] {
                let runs = Runs::new(lines, len, u32::MAX);
                let (count, run) = (u64::from(runs.count), u64::from(runs.len));
                assert!(count * run >= u64::from(len), "{lines} lines of {len}");
                assert!(len == 0 || (count - 1) * run < u64::from(len), "{lines} lines of {len}");
            }
        }
    }

    #[test]
    fn many_lines_are_not_cut() {
        assert_eq!(Runs::new(1 << 16, 1 << 12, u32::MAX).count, 1);
        assert_eq!(Runs::new(1 << 16, 1 << 12, 1 << 11).count, 2);
        assert!(Runs::new((1 << 16) - 1, 1 << 12, u32::MAX).count > 1);
    }
}
