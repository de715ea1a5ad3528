//! Words on a device, moved four at a time where they can be.
//!
//! A kernel sees a buffer either as words or as vectors of four words; which one is known when it is compiled. Whole
//! buffers are bound as vectors, so that a unit moves 16 bytes at once; parts of a buffer whose ends would share a
//! vector with a neighbour's words are bound as words.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;
use cubecl::server::Handle;

use crate::device::elements;

type Four = Vector<u32, Const<4>>;

/// Words of a binding.
pub const FOUR: usize = 4;

/// The words of a buffer, in a kernel.
#[derive(Debug)]
pub struct Memory {
    never: std::convert::Infallible,
}

/// A handle on its way to a kernel.
#[derive(Debug)]
pub struct Bound {
    handle: Handle,
    words: usize,
    wide: bool,
}

impl Bound {
    /// The first `words` words of the handle, to be read or written in runs of `run` words: as vectors where the runs
    /// and the handle are made of whole ones.
    pub fn in_runs(handle: Handle, words: usize, run: usize) -> Self {
        let vectors = |bytes: u64| bytes.is_multiple_of(4 * FOUR as u64);
        let aligned = vectors(handle.offset_start.unwrap_or(0)) && vectors(handle.size_in_used());
        let wide = run.is_multiple_of(FOUR) && aligned;
        Bound { handle, words, wide }
    }

    /// The same, word by word.
    pub fn narrow(handle: Handle, words: usize) -> Self {
        Bound { handle, words, wide: false }
    }
}

/// [`Memory`] while a kernel is being written: one of the two is bound.
#[derive(Debug)]
pub enum MemoryExpand {
    Narrow(NativeExpand<Box<[u32]>>),
    Wide(NativeExpand<Box<[Four]>>),
}

impl Memory {
    /// The word at `index`.
    pub fn load(&self, _index: u32) -> u32 {
        match self.never {}
    }

    /// Puts the words `first .. first + count` into `registers[at..]`. `first` is a multiple of `count` where `count`
    /// is one of four.
    pub fn load_run(&self, _first: u32, _registers: &mut Array<u32>, _at: usize, _count: usize) {
        match self.never {}
    }

    /// Writes `registers[at..at + count]` to `first..`, alike.
    pub fn store_run(&mut self, _first: u32, _registers: &Array<u32>, _at: usize, _count: usize) {
        match self.never {}
    }

    /// Writes the first `valid` words of such a run.
    pub fn store_part(&mut self, _first: u32, _registers: &Array<u32>, _at: usize, _count: usize, _valid: u32) {
        match self.never {}
    }
}

impl MemoryExpand {
    pub fn __expand_load_method(&self, scope: &Scope, index: NativeExpand<u32>) -> NativeExpand<u32> {
        match self {
            MemoryExpand::Narrow(words) => device::load_narrow::expand(scope, words, index),
            MemoryExpand::Wide(words) => device::load_wide::expand(scope, words, index),
        }
    }

    pub fn __expand_load_run_method(
        &self,
        scope: &Scope,
        first: NativeExpand<u32>,
        registers: &mut NativeExpand<Array<u32>>,
        at: usize,
        count: usize,
    ) {
        match self {
            MemoryExpand::Narrow(words) => device::run_narrow::expand(scope, words, first, registers, at, count),
            MemoryExpand::Wide(words) if count.is_multiple_of(FOUR) => {
                device::run_wide::expand(scope, words, first, registers, at, count);
            }
            MemoryExpand::Wide(words) => device::run_picked::expand(scope, words, first, registers, at, count),
        }
    }

    pub fn __expand_store_run_method(
        &mut self,
        scope: &Scope,
        first: NativeExpand<u32>,
        registers: &NativeExpand<Array<u32>>,
        at: usize,
        count: usize,
    ) {
        match self {
            MemoryExpand::Narrow(words) => device::store_narrow::expand(scope, words, first, registers, at, count),
            MemoryExpand::Wide(words) => {
                assert!(count.is_multiple_of(FOUR), "places that are written item by item are bound word by word");
                device::store_wide::expand(scope, words, first, registers, at, count);
            }
        }
    }

    pub fn __expand_store_part_method(
        &mut self,
        scope: &Scope,
        first: NativeExpand<u32>,
        registers: &NativeExpand<Array<u32>>,
        at: usize,
        count: usize,
        valid: NativeExpand<u32>,
    ) {
        match self {
            MemoryExpand::Narrow(words) => {
                device::part_narrow::expand(scope, words, first, registers, at, count, valid)
            }
            MemoryExpand::Wide(words) => device::part_wide::expand(scope, words, first, registers, at, count, valid),
        }
    }
}

mod device {
    use super::*;

    #[cube]
    pub fn load_narrow(words: &[u32], index: u32) -> u32 {
        words[index as usize]
    }

    #[cube]
    pub fn load_wide(words: &[Four], index: u32) -> u32 {
        words[(index / 4u32) as usize].extract_dynamic((index % 4u32) as usize)
    }

    #[cube]
    pub fn run_narrow(
        words: &[u32],
        first: u32,
        registers: &mut Array<u32>,
        #[comptime] at: usize,
        #[comptime] count: usize,
    ) {
        #[unroll]
        for word in 0..count {
            registers[comptime!(at + word)] = words[first as usize + word];
        }
    }

    #[cube]
    pub fn run_wide(
        words: &[Four],
        first: u32,
        registers: &mut Array<u32>,
        #[comptime] at: usize,
        #[comptime] count: usize,
    ) {
        let start = (first / 4u32) as usize;
        #[unroll]
        for vector in 0..comptime!(count / FOUR) {
            let four = words[start + vector];
            #[unroll]
            for lane in 0..FOUR {
                registers[comptime!(at + vector * FOUR + lane)] = four.extract(lane);
            }
        }
    }

    #[cube]
    pub fn run_picked(
        words: &[Four],
        first: u32,
        registers: &mut Array<u32>,
        #[comptime] at: usize,
        #[comptime] count: usize,
    ) {
        #[unroll]
        for word in 0..count {
            registers[comptime!(at + word)] = load_wide(words, first + comptime!(word as u32));
        }
    }

    #[cube]
    pub fn store_narrow(
        words: &mut [u32],
        first: u32,
        registers: &Array<u32>,
        #[comptime] at: usize,
        #[comptime] count: usize,
    ) {
        #[unroll]
        for word in 0..count {
            words[first as usize + word] = registers[comptime!(at + word)];
        }
    }

    #[cube]
    pub fn store_wide(
        words: &mut [Four],
        first: u32,
        registers: &Array<u32>,
        #[comptime] at: usize,
        #[comptime] count: usize,
    ) {
        let start = (first / 4u32) as usize;
        #[unroll]
        for vector in 0..comptime!(count / FOUR) {
            let mut four = Four::empty();
            #[unroll]
            for lane in 0..FOUR {
                four.insert(lane, registers[comptime!(at + vector * FOUR + lane)]);
            }
            words[start + vector] = four;
        }
    }

    #[cube]
    pub fn part_narrow(
        words: &mut [u32],
        first: u32,
        registers: &Array<u32>,
        #[comptime] at: usize,
        #[comptime] count: usize,
        valid: u32,
    ) {
        #[unroll]
        for word in 0..count {
            if comptime!(word as u32) < valid {
                words[first as usize + word] = registers[comptime!(at + word)];
            }
        }
    }

    /// Vectors that are valid in part keep what they had behind it: no other unit has words there.
    #[cube]
    pub fn part_wide(
        words: &mut [Four],
        first: u32,
        registers: &Array<u32>,
        #[comptime] at: usize,
        #[comptime] count: usize,
        valid: u32,
    ) {
        let start = (first / 4u32) as usize;
        #[unroll]
        for vector in 0..comptime!(count / FOUR) {
            let begin = comptime!((vector * FOUR) as u32);
            if begin < valid {
                let mut four = words[start + vector];
                #[unroll]
                for lane in 0..FOUR {
                    if begin + comptime!(lane as u32) < valid {
                        four.insert(lane, registers[comptime!(at + vector * FOUR + lane)]);
                    }
                }
                words[start + vector] = four;
            }
        }
    }
}

impl CubeType for Memory {
    type ExpandType = MemoryExpand;
}

impl ExpandTypeClone for MemoryExpand {
    fn clone_unchecked(&self) -> Self {
        match self {
            MemoryExpand::Narrow(words) => MemoryExpand::Narrow(words.clone_unchecked()),
            MemoryExpand::Wide(words) => MemoryExpand::Wide(words.clone_unchecked()),
        }
    }
}

impl IntoMut for MemoryExpand {
    fn into_mut(self, _: &Scope) -> Self {
        self
    }
}

impl IntoExpand for MemoryExpand {
    type Expand = Self;
    fn into_expand(self, _: &Scope) -> Self {
        self
    }
}

impl CubeDebug for MemoryExpand {}

impl AsRefExpand for MemoryExpand {
    fn __expand_ref_method(&self, _: &Scope) -> &Self {
        self
    }
}

impl AsMutExpand for MemoryExpand {
    fn __expand_ref_mut_method(&mut self, _: &Scope) -> &mut Self {
        self
    }
}

type Compiled<T> = <Box<[T]> as LaunchArg>::CompilationArg;

impl LaunchArg for Memory {
    type RuntimeArg = Bound;
    type CompilationArg = (Compiled<u32>, bool);

    fn register(bound: Bound, launcher: &mut KernelLauncher) -> Self::CompilationArg {
        if bound.wide {
            let argument = elements(bound.handle, bound.words.div_ceil(FOUR), 4 * FOUR as u64);
            (<Box<[Four]> as LaunchArg>::register(argument, launcher), true)
        } else {
            (<Box<[u32]> as LaunchArg>::register(elements(bound.handle, bound.words, 4), launcher), false)
        }
    }

    fn expand((argument, wide): &Self::CompilationArg, builder: &mut KernelBuilder) -> MemoryExpand {
        if *wide {
            MemoryExpand::Wide(<Box<[Four]> as LaunchArg>::expand(argument, builder))
        } else {
            MemoryExpand::Narrow(<Box<[u32]> as LaunchArg>::expand(argument, builder))
        }
    }
}
