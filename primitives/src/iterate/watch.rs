//! Who is told of a loop while it runs.

use crate::Error;

/// What is called with a step and the shared state after it.
pub type Tell<'a, T> = &'a mut (dyn FnMut(u32, T) + Send);

/// Somebody to tell of every few steps, or nobody.
pub struct Watch<'a, T> {
    every: u32,
    /// The last multiple of `every` that was told of.
    told: u32,
    tell: Option<Tell<'a, T>>,
}

impl<'a, T> Watch<'a, T> {
    /// Tells nobody.
    pub fn nobody() -> Self {
        Watch { every: u32::MAX, told: 0, tell: None }
    }

    /// Tells of every `every` steps; of each where it is 0.
    pub fn new(every: u32, tell: Tell<'a, T>) -> Self {
        Watch { every: every.max(1), told: 0, tell: Some(tell) }
    }

    /// Where steps from `first` to `end` are to be broken off, so that somebody can be told.
    pub fn until(&self, first: u32, end: u32) -> u32 {
        match self.tell {
            None => end,
            Some(_) => end.min(first.saturating_add(self.every - first % self.every)),
        }
    }

    /// After step `step`, the shared state of which `read` gives.
    ///
    /// # Errors
    ///
    /// Those of `read`.
    pub fn reached(&mut self, step: u32, read: impl FnOnce(u32) -> Result<T, Error>) -> Result<(), Error> {
        if let Some(tell) = &mut self.tell
            && step - self.told.min(step) >= self.every
        {
            self.told = step - step % self.every;
            tell(step, read(step)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_few_steps_are_told_of_once() {
        let mut told = Vec::new();
        let mut tell = |step: u32, state: u32| told.push((step, state));
        let mut watch = Watch::new(10, &mut tell);
        assert_eq!(
            [watch.until(0, 100), watch.until(7, 100), watch.until(10, 100), watch.until(15, 18)],
            [10, 10, 20, 18]
        );
        for step in [3, 10, 10, 14, 27, 29, 30] {
            watch.reached(step, |step| Ok(2 * step)).unwrap();
        }
        assert_eq!(told, [(10, 20), (27, 54), (30, 60)]);
        assert_eq!(Watch::<u32>::nobody().until(5, 100), 100);
    }
}
