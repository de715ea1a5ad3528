//! Scratch memory, kept between calls: after the first call of a size nothing is allocated.
//!
//! CubeCL gives every host thread its own stream, and work of two streams may overlap. So scratch belongs to a
//! thread: two threads that use one device never share it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;

use cubecl::server::Handle;

/// What a piece of scratch is for: pieces of different use never alias within a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Use {
    /// Partial states of a reduction, or tile totals of a scan, at a depth of the recursion.
    Partials(u32),
    /// Look-back descriptors.
    Descriptors,
    /// The counter that deals tiles to cubes; 0 between launches.
    Ticket,
}

#[derive(Default)]
pub struct Scratch {
    pieces: Mutex<HashMap<(ThreadId, Use), Piece>>,
    allocations: AtomicU64,
}

/// A piece of scratch, with a call counter for descriptors that are told apart by call.
#[derive(Clone)]
pub struct Piece {
    pub handle: Handle,
    pub words: u64,
    /// Calls since the piece was last cleared.
    pub calls: u32,
}

impl Scratch {
    pub fn allocations(&self) -> u64 {
        self.allocations.load(Ordering::Relaxed)
    }

    pub fn count_allocation(&self) {
        self.allocations.fetch_add(1, Ordering::Relaxed);
    }

    /// The piece for this use and thread, made by `make` when there is none of at least `words`; `update`
    /// runs on it while no other thread can see it.
    pub fn piece<R>(
        &self,
        purpose: Use,
        words: u64,
        make: impl FnOnce(u64) -> Handle,
        update: impl FnOnce(&mut Piece) -> R,
    ) -> R {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (std::thread::current().id(), purpose);
        if pieces.get(&key).is_none_or(|piece| piece.words < words) {
            // Room for growth, so that a slowly growing input does not allocate every time.
            let words = words.next_power_of_two().max(4);
            let handle = make(words);
            self.count_allocation();
            pieces.insert(key, Piece { handle, words, calls: 0 });
        }
        let piece = pieces.get_mut(&key).expect("the piece was just made");
        update(piece)
    }
}
