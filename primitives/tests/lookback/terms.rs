//! What states are to the model: terms, which tell groupings apart, and the tiles that they fold, in order.

use std::collections::HashMap;

/// A term by its number.
pub type TermId = u16;

/// How a state came about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// The fold of a tile's items by the tree of its owner.
    Fold(u8),
    /// The same items by another tree.
    Regrouped(u8),
    /// Folds of neighbouring tiles, by the tree of a window.
    Window(Vec<TermId>),
    /// The combination of two.
    Join(TermId, TermId),
}

/// All terms so far, each once.
#[derive(Debug, Default)]
pub struct Terms {
    terms: Vec<Term>,
    numbers: HashMap<Term, TermId>,
}

impl Terms {
    /// The number of a term.
    pub fn number(&mut self, term: Term) -> TermId {
        let next = self.terms.len() as TermId;
        let number = *self.numbers.entry(term.clone()).or_insert(next);
        if number == next {
            self.terms.push(term);
        }
        number
    }

    /// Combines two.
    pub fn join(&mut self, left: TermId, right: TermId) -> TermId {
        self.number(Term::Join(left, right))
    }

    /// The tiles that a term folds: the free monoid, in which only the order counts.
    pub fn tiles(&self, term: TermId) -> Vec<u8> {
        match &self.terms[term as usize] {
            Term::Fold(tile) | Term::Regrouped(tile) => vec![*tile],
            Term::Window(folds) => folds.iter().flat_map(|&fold| self.tiles(fold)).collect(),
            Term::Join(left, right) => [self.tiles(*left), self.tiles(*right)].concat(),
        }
    }

    /// The documented prefix of an anchor: that of the anchor before, its window, its own fold.
    pub fn prefix(&mut self, anchor: u8, window: u8) -> TermId {
        let own = self.number(Term::Fold(anchor));
        match self.before(anchor, window) {
            None => own,
            Some(before) => self.join(before, own),
        }
    }

    /// The documented fold of all that comes before a tile: `prefix of the anchor ⊕ (folds of the window in order)`.
    pub fn before(&mut self, tile: u8, window: u8) -> Option<TermId> {
        let anchor = tile.checked_sub(1)? / window * window;
        let prefix = self.prefix(anchor, window);
        let folds: Vec<TermId> = (anchor + 1..tile).map(|tile| self.number(Term::Fold(tile))).collect();
        if folds.is_empty() {
            return Some(prefix);
        }
        let between = self.number(Term::Window(folds));
        Some(self.join(prefix, between))
    }
}
