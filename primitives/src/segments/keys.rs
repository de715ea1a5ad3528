//! Heads of runs of equal keys, computed as they are read.

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use crate::tile::{keep, kept};
use crate::views::{HostView, Source, View, ViewExpand};
use crate::{Device, Error, State, Wide, wide_add, words_of};

/// 1 where a key's words differ from those of the key before it, and at the first.
#[derive(Debug, Clone, Copy)]
pub struct KeyHeads<K> {
    keys: K,
}

impl<K: Source> KeyHeads<K> {
    pub fn new(keys: K) -> Self {
        KeyHeads { keys }
    }
}

/// The device's half of [`KeyHeads`].
#[derive(Argument)]
pub struct KeyHeadsView<V: View> {
    keys: V,
}

/// 1 where the words differ, else 0.
#[cube]
fn differ<T: State>(left: T, right: T) -> u32 {
    let (left, right) = (words_of::<T>(left), words_of::<T>(right));
    let mut bits = 0u32;
    #[unroll]
    for word in 0..comptime!(T::WORDS) {
        bits |= left[word] ^ right[word];
    }
    select(bits == 0u32, 0u32, 1u32)
}

#[cube]
impl<V: View> View for KeyHeadsView<V> {
    type Item = u32;

    fn read(&self, index: Wide) -> u32 {
        let mut head = 1u32;
        if (index.low | index.high) != 0u32 {
            let before = wide_add(index, Wide { low: 0xffff_ffffu32.runtime(), high: 0xffff_ffffu32.runtime() });
            head = differ::<V::Item>(self.keys.read(before), self.keys.read(index));
        }
        head
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        let mut keys = Array::<u32>::new(comptime!(count as usize * <V::Item as State>::WORDS));
        self.keys.read_run(start, &mut keys, 0u32, count);
        keep::<u32>(registers, self.read(start), at);
        #[unroll]
        for item in 1..count {
            let (left, right) = (kept::<V::Item>(&keys, comptime!(item - 1)), kept::<V::Item>(&keys, item));
            keep::<u32>(registers, differ::<V::Item>(left, right), comptime!(at + item));
        }
    }
}

/// The host's half of [`KeyHeads`].
#[derive(Debug, Clone, Copy)]
pub struct HostKeyHeads<V> {
    keys: V,
}

impl<V: HostView> HostView for HostKeyHeads<V> {
    type Item = u32;

    #[inline]
    fn read(&self, index: u64) -> u32 {
        if index == 0 {
            return 1;
        }
        u32::from(words_differ(self.keys.read(index - 1), self.keys.read(index)))
    }
}

/// Words of keys that are compared without asking for memory.
const FEW: usize = 8;

#[inline]
fn words_differ<T: State>(left: T, right: T) -> bool {
    if T::WORDS <= FEW {
        let mut words = [[0; FEW]; 2];
        left.pack(&mut words[0], 0);
        right.pack(&mut words[1], 0);
        (0..T::WORDS).fold(0, |bits, word| bits | (words[0][word] ^ words[1][word])) != 0
    } else {
        let mut words = [vec![0; T::WORDS], vec![0; T::WORDS]];
        left.pack(&mut words[0], 0);
        right.pack(&mut words[1], 0);
        words[0] != words[1]
    }
}

impl<K: Source> Source for KeyHeads<K> {
    type Item = u32;
    type View = KeyHeadsView<K::View>;
    type Host<'a>
        = HostKeyHeads<K::Host<'a>>
    where
        Self: 'a;

    fn len(&self) -> u64 {
        self.keys.len()
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.keys.bind(device, run)?,))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(HostKeyHeads { keys: self.keys.on_host()? })
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.keys.reads(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::both;

    #[test]
    fn keys_differ_where_any_of_their_words_does() {
        let wide = |place: usize| {
            let [a, b, c, d, e] = std::array::from_fn(|at| if at == place { 1u64 << 40 } else { 7 });
            both(both(both(a, b), both(c, d)), e)
        };
        for place in 0..5 {
            assert!(words_differ(wide(place), wide(5)), "{place}");
            assert!(!words_differ(wide(place), wide(place)), "{place}");
        }
        assert!(words_differ(0.0f32, -0.0) && !words_differ(f64::NAN, f64::NAN));
    }
}
