//! Random and quasi-random numbers: the same integers on every device, and the moments that they should have.

use cubefold::prelude::*;
use cubefold::rng::{
    Bridge, Key, NormalPair, Pcg32, Random, Sobol, normal_from, normal_pair, pcg32_stream, philox, uniform,
};
use cubefold::{Fixed, wide_add};
use rand_core::Rng;

use crate::devices::{devices, gpus, is_software};
use crate::oracle::assert_same;

/// Words of the generator of a seed and a stream, so many words on.
#[derive(Debug, Clone, Operator)]
struct Jumped {
    seed: u32,
    stream: u32,
}

#[cube]
impl Mapping<Wide> for Jumped {
    type Output = u32;

    fn map(&self, words: Wide) -> u32 {
        let (low, high) = (self.seed, self.seed ^ 0x5555_5555u32);
        let start = pcg32_stream(Wide { low, high }, Wide { low: self.stream, high: self.stream });
        start.after(words).word()
    }
}

#[test]
fn pcg32_is_that_of_rand_pcg_at_any_distance() {
    let distances = (0..40u64).chain((0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, 3 << bit]));
    let distances: Vec<Wide> = distances.chain([u64::MAX, 0x0123_4567_89ab_cdef]).map(Wide::from).collect();
    for (seed, stream) in [(42u32, 54u32), (0, 0), (u32::MAX, u32::MAX)] {
        let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let start = rand_pcg::Pcg32::new(wide(seed, seed ^ 0x5555_5555), wide(stream, stream));
        let word = |&distance: &Wide| {
            let mut generator = start.clone();
            generator.advance(distance.into());
            generator.next_u32()
        };
        let expected: Vec<u32> = distances.iter().map(word).collect();
        for (name, device) in devices() {
            let words = device.collect(&distances.clone().map(Jumped { seed, stream })).unwrap();
            assert_same(&words.to_vec().unwrap(), &expected, &format!("{name}, seed {seed}"));
        }
    }
    assert_eq!(Pcg32::new(42, 54).word(), 0xa15c_02b7);
}

/// The words of Philox, one of four of each block.
#[derive(Debug, Clone, Operator)]
struct Streamed {
    seed: u32,
}

#[cube]
impl Mapping<Wide> for Streamed {
    type Output = u32;

    fn map(&self, index: Wide) -> u32 {
        let counter = Random { a: index.low, b: index.high, c: self.seed, d: 7u32.runtime() };
        let words = philox(Key { low: self.seed, high: 1u32.runtime() }, counter);
        words.a ^ words.b ^ words.c ^ words.d
    }
}

#[test]
fn a_stream_has_the_same_words_on_every_device() {
    for start in [0, (1u64 << 32) - 40_000] {
        let indices = Counter::new(1 << 40).slice(start, 80_000).unwrap();
        let expected = Device::host().collect(&indices.map(Streamed { seed: 9 })).unwrap().to_vec().unwrap();
        let other = Device::host().collect(&indices.map(Streamed { seed: 10 })).unwrap().to_vec().unwrap();
        let equal = expected.iter().zip(&other).filter(|(left, right)| left == right).count();
        assert_eq!(equal, 0, "another seed is another stream");
        for (name, device) in gpus() {
            let words = device.collect(&indices.map(Streamed { seed: 9 })).unwrap();
            assert_same(&words.to_vec().unwrap(), &expected, &format!("{name}, from {start}"));
        }
    }
}

/// Points of a sequence, dimension after dimension.
#[derive(Debug, Clone, Operator)]
struct Points {
    sobol: Sobol,
    start: u32,
    dimensions: u32,
}

#[cube]
impl Mapping<Wide> for Points {
    type Output = u32;

    fn map(&self, index: Wide) -> u32 {
        let point = index.low / self.dimensions;
        self.sobol.point(self.start + point, index.low - point * self.dimensions)
    }
}

#[test]
fn sobol_points_are_the_same_on_every_device() {
    for sobol in [Sobol::new(64).unwrap(), Sobol::scrambled(64, 42).unwrap()] {
        for start in [0, 0x89ab_c000] {
            let points = |sobol: Sobol| Counter::new(64 * 500).map(Points { sobol, start, dimensions: 64 });
            let expected = Device::host().collect(&points(sobol.clone())).unwrap().to_vec().unwrap();
            for (name, device) in gpus() {
                for sobol in [sobol.clone(), sobol.on(device).unwrap()] {
                    let found = device.collect(&points(sobol)).unwrap().to_vec().unwrap();
                    assert_same(&found, &expected, &format!("{name}, from {start}"));
                }
            }
        }
    }
}

/// The normal quantile of a word.
#[derive(Debug, Clone, Operator)]
struct Quantile;

#[cube]
impl Mapping<u32> for Quantile {
    type Output = f32;

    fn map(&self, word: u32) -> f32 {
        normal_from(word)
    }
}

#[test]
fn quantiles_are_the_hosts_to_two_in_a_million_and_never_infinite() {
    let ends = (0..1000u32).flat_map(|word| [word, !word, (1 << 31) + word, (1 << 31) - 1 - word]);
    let words: Vec<u32> = ends.chain((0..1 << 15).map(|step| step << 17)).collect();
    for (name, device) in devices() {
        let found = device.collect(&words.clone().map(Quantile)).unwrap().to_vec().unwrap();
        for (&word, &found) in words.iter().zip(&found) {
            let expected = normal_from(word);
            assert!((found - expected).abs() <= 2e-6 * expected.abs(), "{name}, {word:#x}: {found}, {expected}");
        }
    }
}

/// Value `index % steps` of path `index / steps`.
#[derive(Debug, Clone, Operator)]
struct Walked {
    sobol: Sobol,
    bridge: Bridge,
}

#[cube]
impl Mapping<Wide> for Walked {
    type Output = f32;

    fn map(&self, index: Wide) -> f32 {
        let steps = self.bridge.steps();
        let number = index.low / steps;
        let mut path = self.bridge.path();
        for rank in 0..steps {
            self.bridge.place(&mut path, rank, normal_from(self.sobol.point(number, rank)));
        }
        path.get(index.low - number * steps)
    }
}

#[test]
fn bridged_paths_are_brownian_on_every_device() {
    let (steps, paths) = (24u32, 1 << 11);
    for (name, device) in devices() {
        let bridge = Bridge::even(steps, 3.0).unwrap().on(device).unwrap();
        let walked = Walked { sobol: Sobol::scrambled(steps, 3).unwrap().on(device).unwrap(), bridge };
        let values = device.collect(&Counter::new(u64::from(steps) * paths).map(walked)).unwrap().to_vec().unwrap();
        let paths_of = |step: u32| values.iter().skip(step as usize).step_by(steps as usize).map(|&x| f64::from(x));
        for (early, late) in [(0, 0), (0, 23), (7, 7), (7, 11), (11, 23), (23, 23)] {
            let covariance = paths_of(early).zip(paths_of(late)).map(|(x, y)| x * y).sum::<f64>() / paths as f64;
            let expected = 3.0 * f64::from(early + 1) / f64::from(steps);
            // Independent paths would err by a deviation of at most √2 · √(s t) / √2048, 3 % of √(s t).
            let scale = expected.sqrt() * (3.0 * f64::from(late + 1) / f64::from(steps)).sqrt();
            assert!((covariance - expected).abs() < 0.03 * scale, "{name}, {early} and {late}: {covariance}");
        }
    }
}

/// How normal numbers are made of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Normals {
    Pairs,
    Quantiles,
}

/// Sums over draws of what should be 0 on average, and counts in the tails.
#[derive(Debug, Clone, Copy, State)]
struct Tally {
    first: f32,
    second: f32,
    third: f32,
    fourth: f32,
    serial: f32,
    streams: f32,
    squares: f32,
    uniform: f32,
    uniform_second: f32,
    uniform_third: f32,
    uniform_fourth: f32,
    uniform_serial: f32,
    over_4: u32,
    over_5: u32,
    over_6: u32,
}

/// The tally of four draws a block of Philox, under one key beside another.
#[derive(Debug, Clone, Operator)]
struct Battery {
    key: u32,
    normals: Fixed<Normals>,
}

/// Four numbers.
#[derive(Debug, Clone, Copy, State)]
struct Four {
    a: f32,
    b: f32,
    c: f32,
    d: f32,
}

#[cube]
impl Battery {
    fn words(&self, index: Wide, stream: u32) -> Random {
        let counter = Random { a: index.low, b: index.high, c: 0u32.runtime(), d: 11u32.runtime() };
        philox(Key { low: self.key, high: stream }, counter)
    }

    fn normals(&self, words: Random) -> Four {
        if comptime!(self.normals.0 == Normals::Pairs) {
            let (front, back) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
            four(front, back)
        } else {
            let front = NormalPair { first: normal_from(words.a), second: normal_from(words.b) };
            four(front, NormalPair { first: normal_from(words.c), second: normal_from(words.d) })
        }
    }
}

#[cube]
fn four(front: NormalPair, back: NormalPair) -> Four {
    Four { a: front.first, b: front.second, c: back.first, d: back.second }
}

/// The sum of a product over four draws, each with one of another four.
#[cube]
fn products(left: Four, right: Four) -> f32 {
    (left.a * right.a + left.b * right.b) + (left.c * right.c + left.d * right.d)
}

/// The numbers less `shift`.
#[cube]
fn less(numbers: Four, shift: f32) -> Four {
    Four { a: numbers.a - shift, b: numbers.b - shift, c: numbers.c - shift, d: numbers.d - shift }
}

#[cube]
fn squares(numbers: Four) -> Four {
    Four { a: numbers.a * numbers.a, b: numbers.b * numbers.b, c: numbers.c * numbers.c, d: numbers.d * numbers.d }
}

#[cube]
fn total(numbers: Four) -> f32 {
    (numbers.a + numbers.b) + (numbers.c + numbers.d)
}

/// How many are further than `limit` from 0.
#[cube]
fn over(squares: Four, limit: f32) -> u32 {
    let bound = limit * limit;
    let front = select(squares.a > bound, 1u32, 0u32) + select(squares.b > bound, 1u32, 0u32);
    front + select(squares.c > bound, 1u32, 0u32) + select(squares.d > bound, 1u32, 0u32)
}

#[cube]
impl Monoid for Battery {
    type State = Tally;

    fn identity(&self) -> Tally {
        Tally {
            first: 0.0f32.runtime(),
            second: 0.0f32.runtime(),
            third: 0.0f32.runtime(),
            fourth: 0.0f32.runtime(),
            serial: 0.0f32.runtime(),
            streams: 0.0f32.runtime(),
            squares: 0.0f32.runtime(),
            uniform: 0.0f32.runtime(),
            uniform_second: 0.0f32.runtime(),
            uniform_third: 0.0f32.runtime(),
            uniform_fourth: 0.0f32.runtime(),
            uniform_serial: 0.0f32.runtime(),
            over_4: 0u32.runtime(),
            over_5: 0u32.runtime(),
            over_6: 0u32.runtime(),
        }
    }

    fn combine(&self, left: Tally, right: Tally) -> Tally {
        Tally {
            first: left.first + right.first,
            second: left.second + right.second,
            third: left.third + right.third,
            fourth: left.fourth + right.fourth,
            serial: left.serial + right.serial,
            streams: left.streams + right.streams,
            squares: left.squares + right.squares,
            uniform: left.uniform + right.uniform,
            uniform_second: left.uniform_second + right.uniform_second,
            uniform_third: left.uniform_third + right.uniform_third,
            uniform_fourth: left.uniform_fourth + right.uniform_fourth,
            uniform_serial: left.uniform_serial + right.uniform_serial,
            over_4: left.over_4 + right.over_4,
            over_5: left.over_5 + right.over_5,
            over_6: left.over_6 + right.over_6,
        }
    }
}

#[cube]
impl Lift<Wide> for Battery {
    fn lift(&self, index: Wide) -> Tally {
        let words = self.words(index, 0u32.runtime());
        let after = self.words(wide_add(index, Wide { low: 1u32.runtime(), high: 0u32.runtime() }), 0u32.runtime());
        let normals = self.normals(words);
        let next = self.normals(after);
        let other = self.normals(self.words(index, 1u32.runtime()));
        let squared = squares(normals);
        let centred = less(squared, 1.0f32);
        let u =
            less(Four { a: uniform(words.a), b: uniform(words.b), c: uniform(words.c), d: uniform(words.d) }, 0.5f32);
        let u_squared = squares(u);
        let u_next = Four { a: u.b, b: u.c, c: u.d, d: uniform(after.a) - 0.5f32 };
        Tally {
            first: total(normals),
            second: total(centred),
            third: products(squared, normals),
            fourth: total(less(squares(squared), 3.0f32)),
            serial: products(normals, Four { a: normals.b, b: normals.c, c: normals.d, d: next.a }),
            streams: products(normals, other),
            squares: centred.a * centred.b + centred.c * centred.d,
            uniform: total(u),
            uniform_second: total(less(u_squared, 0.083_333_336f32)),
            uniform_third: products(u_squared, u),
            uniform_fourth: total(less(squares(u_squared), 0.0125f32)),
            uniform_serial: products(u, u_next),
            over_4: over(squared, 4.0f32),
            over_5: over(squared, 5.0f32),
            over_6: over(squared, 6.0f32),
        }
    }
}

#[cube]
impl Lower for Battery {
    type Output = Tally;

    fn lower(&self, state: Tally) -> Tally {
        state
    }
}

/// Every average has 5 standard deviations: one in 1.7 million is further off by chance. What f32 adds to the sums is a few
/// 2^−24 of the average size of a term, far below that.
fn check_tally(tally: &Tally, draws: f64, case: &str) {
    // The variance of each term: E z^2k − (E z^k)² is 1, 2, 15, 96 for a normal; 1/12, 1/180, 1/448, 1/3600 for a uniform
    // number about its middle; products of independent terms have the product of their variances.
    let averages = [
        ("z", tally.first, 1.0, 1.0),
        ("z² − 1", tally.second, 2.0, 1.0),
        ("z³", tally.third, 15.0, 1.0),
        ("z⁴ − 3", tally.fourth, 96.0, 1.0),
        ("z · next z", tally.serial, 1.0, 1.0),
        ("z · z of another key", tally.streams, 1.0, 1.0),
        ("(z² − 1)(z² − 1) of a pair", tally.squares, 4.0, 0.5),
        ("u", tally.uniform, 1.0 / 12.0, 1.0),
        ("u² − 1/12", tally.uniform_second, 1.0 / 180.0, 1.0),
        ("u³", tally.uniform_third, 1.0 / 448.0, 1.0),
        ("u⁴ − 1/80", tally.uniform_fourth, 1.0 / 3600.0, 1.0),
        ("u · next u", tally.uniform_serial, 1.0 / 144.0, 1.0),
    ];
    for (term, sum, variance, share) in averages {
        let terms = draws * share;
        let (average, deviation) = (f64::from(sum) / terms, (variance / terms).sqrt());
        assert!(average.abs() < 5.0 * deviation, "{case}: {term} is {average:e}, {:.1} σ", average / deviation);
    }
    // Both tails beyond 4, 5 and 6: erfc(k/√2). Counts are Poisson's; the 5 more are for small expectations, where a count of
    // 6 at an expectation of 0.01 has a chance of 1e-15, and one of 15 at 2.1 one of 1e-8.
    let tails = [(tally.over_4, 6.334_248e-5), (tally.over_5, 5.733_031e-7), (tally.over_6, 1.973_175e-9)];
    for (beyond, (count, chance)) in (4..).zip(tails) {
        let expected = draws * chance;
        let room = 5.0 * expected.sqrt() + 5.0;
        assert!((f64::from(count) - expected).abs() < room, "{case}: {count} beyond {beyond} σ, not {expected:.1}");
    }
}

#[test]
fn draws_have_the_moments_the_tails_and_the_independence_they_should() {
    for (name, device) in devices() {
        let blocks = if is_software(name) || device.is_host() { 1u64 << 18 } else { 1 << 28 };
        for normals in [Normals::Pairs, Normals::Quantiles] {
            let battery = Battery { key: 2026, normals: Fixed(normals) };
            let tally = device.reduce(&Counter::new(blocks), &battery).unwrap().get(0).unwrap();
            check_tally(&tally, 4.0 * blocks as f64, &format!("{name}, {normals:?}"));
        }
    }
}

#[test]
fn the_same_stream_twice_is_noticed() {
    let battery = Battery { key: 2026, normals: Fixed(Normals::Pairs) };
    let tally = Device::host().reduce(&Counter::new(1 << 12), &battery).unwrap().get(0).unwrap();
    let shifted = Tally { streams: tally.second + 4.0 * 4096.0, ..tally };
    assert!(std::panic::catch_unwind(|| check_tally(&shifted, 4.0 * 4096.0, "one key for two")).is_err());
    let heavy = Tally { over_5: 60, ..tally };
    assert!(std::panic::catch_unwind(|| check_tally(&heavy, 4.0 * 4096.0, "heavy tails")).is_err());
}
