//! Threads that stay together for all steps of a loop on the host: to call rayon's anew takes longer than a step of few items.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, RwLock};

/// Looks before a thread lets others run: some microseconds.
const SPINS: u32 = 256;

/// The chunks of a step, which whoever has time takes one after another: the leader all of them, if rayon's threads are busy.
pub struct Team<S, C, W> {
    work: W,
    /// What the chunks of this step see.
    seen: RwLock<Option<S>>,
    /// The first chunk that nobody has taken.
    next: AtomicU32,
    done: AtomicU32,
    /// What each chunk found, and what it keeps from step to step.
    chunks: Vec<Mutex<C>>,
    over: AtomicBool,
}

impl<S: Copy + Send + Sync, C: Send, W: Fn(S, &mut C) + Sync> Team<S, C, W> {
    /// A team whose steps are a call of `work` for each chunk.
    pub fn new(chunks: Vec<C>, work: W) -> Self {
        Team {
            work,
            seen: RwLock::new(None),
            next: AtomicU32::new(chunks.len() as u32),
            done: AtomicU32::new(0),
            chunks: chunks.into_iter().map(Mutex::new).collect(),
            over: AtomicBool::new(false),
        }
    }

    /// Runs `leader` on this thread, and meanwhile as many helpers as there are, up to `helpers`, on rayon's.
    pub fn lead<T>(self, helpers: usize, leader: impl FnOnce(&Self) -> T) -> T {
        rayon::in_place_scope(|scope| {
            let _over = Over(&self.over);
            (0..helpers).for_each(|_| scope.spawn(|_| self.help()));
            leader(&self)
        })
    }

    /// Has all chunks work, each of which sees `seen`, and then shows them in order. None where one has panicked, which the end of
    /// [`lead`](Team::lead) hands on.
    pub fn step(&self, seen: S, mut show: impl FnMut(&C)) -> Option<()> {
        *self.seen.write().ok()? = Some(seen);
        self.done.store(0, Ordering::Relaxed);
        // From here on chunks are taken. The one who takes one reads what was stored before.
        self.next.store(0, Ordering::Release);
        self.take_chunks();
        wait_until(|| self.done.load(Ordering::Acquire) == self.len());
        for chunk in &self.chunks {
            show(&*chunk.lock().ok()?);
        }
        Some(())
    }

    fn len(&self) -> u32 {
        self.chunks.len() as u32
    }

    fn help(&self) {
        while !self.over.load(Ordering::Acquire) {
            self.take_chunks();
            wait_until(|| self.over.load(Ordering::Acquire) || self.next.load(Ordering::Relaxed) < self.len());
        }
    }

    fn take_chunks(&self) {
        while self.next.load(Ordering::Relaxed) < self.len() {
            let Some(chunk) = self.chunks.get(self.next.fetch_add(1, Ordering::AcqRel) as usize) else { return };
            // The step goes on only when all chunks are done, so it is still the one whose chunk this is.
            let _done = Done(&self.done);
            let seen = self.seen.read().ok().and_then(|seen| *seen);
            // A chunk that has panicked is left alone.
            if let (Some(seen), Ok(mut chunk)) = (seen, chunk.lock()) {
                (self.work)(seen, &mut chunk);
            }
        }
    }
}

/// Lets the helpers go, also where the leader panics.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Counts a chunk as done, also where it panics: nobody waits for it in vain.
struct Done<'a>(&'a AtomicU32);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

fn wait_until(holds: impl Fn() -> bool) {
    let mut spins = 0;
    while !holds() {
        if spins < SPINS {
            spins += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_every_chunk_once_and_in_order() {
        for (chunks, helpers) in [(1, 0), (1, 3), (5, 0), (5, 1), (64, 7)] {
            let start = (0..chunks).map(|chunk| (chunk, vec![])).collect();
            let team = Team::new(start, |step: u32, (_, steps): &mut (u32, Vec<u32>)| steps.push(step));
            team.lead(helpers, |team| {
                for step in 0..1_000 {
                    let mut next = 0;
                    let shown = team.step(step, |(chunk, steps)| {
                        assert_eq!((*chunk, steps.len(), steps.last()), (next, step as usize + 1, Some(&step)));
                        next += 1;
                    });
                    assert_eq!((shown, next), (Some(()), chunks), "{chunks} chunks, {helpers} helpers");
                }
            });
        }
    }

    #[test]
    fn a_panic_in_a_chunk_ends_the_loop_and_is_handed_on() {
        for helpers in [0, 3] {
            let broken = |step: u32, chunk: &mut u32| assert!(step < 3 || *chunk != 5, "chunk 5 is broken");
            let team = Team::new((0..8).collect(), broken);
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                team.lead(helpers, |team| (0..9).take_while(|step| team.step(*step, |_| ()).is_some()).count())
            }));
            let message = caught.unwrap_err();
            assert_eq!(message.downcast_ref::<&str>(), Some(&"chunk 5 is broken"), "{helpers} helpers");
        }
    }
}
