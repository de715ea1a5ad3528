//! Visits every state that a machine can come to.

use std::collections::HashMap;

use super::machine::{Machine, State, Step};
use super::terms::Terms;

/// What must not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Two writes to one word of one call have other bits.
    WordsDiffer,
    /// A word of another call was taken for one of this.
    ForeignWord,
    /// The words that one look took are of two states.
    MixedWords,
    /// A cube ends with a result in another order than the scan's.
    WrongOrder,
    /// A cube ends with a result of another grouping than the documented one.
    WrongGrouping,
    /// Steps go round in a circle, so that a cube may never end.
    Endless,
}

/// How many states there are, without those between steps that stand alone.
pub fn walk(machine: &Machine) -> Result<usize, Fault> {
    walk_from(machine, false)
}

/// How many states there are in all.
pub fn walk_every_step(machine: &Machine) -> Result<usize, Fault> {
    walk_from(machine, true)
}

fn walk_from(machine: &Machine, every: bool) -> Result<usize, Fault> {
    let mut walk = Walk { machine, every, terms: Terms::default(), ended: HashMap::new() };
    let first = machine.first_state();
    walk.visit(first)?;
    Ok(walk.ended.len())
}

struct Walk<'a> {
    machine: &'a Machine,
    /// Whether all steps are tried.
    every: bool,
    terms: Terms,
    /// States visited, and whether all that follows was too.
    ended: HashMap<State, bool>,
}

impl Walk<'_> {
    fn visit(&mut self, state: State) -> Result<(), Fault> {
        match self.ended.get(&state) {
            Some(true) => return Ok(()),
            Some(false) => return Err(Fault::Endless),
            None => {}
        }
        self.ended.insert(state.clone(), false);
        for step in self.steps(&state) {
            let next = self.machine.stepped(&state, step, &mut self.terms)?;
            self.visit(next)?;
        }
        self.ended.insert(state, true);
        Ok(())
    }

    /// The steps to try: all that there are, or those of one unit that no step of another cube can change, nor be changed by.
    /// They may come first, since the states that they lead past tell nothing new: there are no circles to hide in.
    fn steps(&self, state: &State) -> Vec<Step> {
        let steps = self.machine.steps(state);
        if self.every {
            return steps;
        }
        match steps.iter().find(|step| self.machine.stands_alone(state, **step)) {
            Some(&alone) => steps.into_iter().filter(|step| step.same_unit(alone)).collect(),
            None => steps,
        }
    }
}
