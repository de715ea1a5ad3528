//! The protocol as a state machine: what cubes do between two accesses to shared memory is part of the step before.

use super::terms::{Term, TermId, Terms};
use super::walk::Fault;

/// How the units of a cube look at descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// Every unit polls one tile; any of the missing ones is taken.
    ByUnits,
    /// Planes of so many units glance at all at once, then poll row after row; the first of the missing ones is taken.
    ByPlanes(u8),
}

/// A protocol with a fault of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// A cube that folds another's tile has a tree of its own.
    FoldRegrouped,
    /// The same where it makes an anchor's prefix.
    PrefixRegrouped,
    /// Tags begin anew and nothing is cleared.
    TagsReused,
    /// The prefixes begin where the folds do.
    SlotsShared,
    /// A look tests the first word alone.
    OneTagForAllWords,
    /// A cube polls until something is there.
    EndlessPatience,
    /// A cube may miss, again and again, what it has posted itself.
    OwnWordsUnseen,
}

/// Sizes and rules of a walk.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The tiles of one call after another, on one memory.
    pub calls: Vec<u8>,
    /// Tiles between two anchors.
    pub window: u8,
    /// How descriptors are looked at.
    pub looks: Looks,
    /// Atomic words of a state.
    pub cells: u8,
    /// Polls of a descriptor.
    pub patience: u8,
    /// Calls before memory is cleared.
    pub tags: u8,
    /// The tiles, as bits, whose owners publish nothing of them.
    pub withheld: u32,
    /// Whether a read may miss what another cube wrote before it, as memory models without fences allow.
    pub late: bool,
    /// What is wrong, if anything.
    pub broken: Option<Broken>,
}

/// One atomic word of a state. The call is not in its bits: it is there to be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Word {
    tag: u8,
    call: u8,
    term: TermId,
}

/// All that there is at a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    call: u8,
    tag: u8,
    /// Word `w` of slot `s` at `w · slots + s`.
    memory: Vec<Option<Word>>,
    /// Those that have drawn a ticket, by tile.
    cubes: Vec<Cube>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Cube {
    index: u8,
    at: u8,
    goal: u8,
    phase: Phase,
    /// The words that it has posted, as bits: those it sees, however late others do.
    posted: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    /// Posts word `cell` next. Then looks back, or is done with that and has found this.
    Publish {
        slot: u8,
        term: TermId,
        cell: u8,
        found: Option<TermId>,
    },
    /// Some of the units look; the last one is for the anchor's prefix.
    Look {
        stage: u8,
        units: Vec<Unit>,
    },
    /// Some were missing.
    Missing(Vec<u8>),
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Unit {
    tile: u8,
    slot: u8,
    /// The stages in which it looks, a glance and its own.
    stages: [Option<u8>; 2],
    /// Looks that are left in this stage.
    looks: u8,
    /// The word that it reads next.
    cell: u8,
    /// What the words of this look are of.
    seen: Option<TermId>,
    there: bool,
}

/// One access to shared memory, a choice, or the next launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The next cube draws its tile.
    Draw,
    /// A cube posts a word.
    Post { cube: usize },
    /// A unit reads a word, or what was there before it.
    Read { cube: usize, unit: usize, late: bool },
    /// A cube turns to one of the tiles that it misses.
    Turn { cube: usize, tile: u8 },
    /// The next call.
    Launch,
}

impl Step {
    /// Whether both are of one unit.
    pub fn same_unit(self, other: Step) -> bool {
        match (self, other) {
            (Step::Read { cube, unit, .. }, Step::Read { cube: others, unit: another, .. }) => {
                (cube, unit) == (others, another)
            }
            (Step::Turn { cube, .. }, Step::Turn { cube: other, .. }) => cube == other,
            _ => self == other,
        }
    }
}

impl Machine {
    /// Zeroed memory at the first launch.
    pub fn first_state(&self) -> State {
        let words = self.calls.iter().map(|&tiles| self.slots(tiles)).max().unwrap_or(0) * self.cells;
        State { call: 0, tag: 1, memory: vec![None; words.into()], cubes: Vec::new() }
    }

    /// All steps that some cube may take next; none at the end.
    pub fn steps(&self, state: &State) -> Vec<Step> {
        let mut steps = Vec::new();
        if state.cubes.len() < self.tiles(state).into() {
            steps.push(Step::Draw);
        } else if state.cubes.iter().all(|cube| cube.phase == Phase::Done) {
            return if usize::from(state.call) + 1 < self.calls.len() { vec![Step::Launch] } else { steps };
        }
        for (cube, Cube { phase, .. }) in state.cubes.iter().enumerate() {
            match phase {
                Phase::Publish { .. } => steps.push(Step::Post { cube }),
                Phase::Missing(tiles) => steps.extend(tiles.iter().map(|&tile| Step::Turn { cube, tile })),
                Phase::Look { units, .. } => {
                    for (unit, _) in units.iter().enumerate().filter(|(_, unit)| unit.looks > 0) {
                        steps.push(Step::Read { cube, unit, late: false });
                        if self.late && self.may_miss(state, cube, unit) {
                            steps.push(Step::Read { cube, unit, late: true });
                        }
                    }
                }
                Phase::Done => {}
            }
        }
        steps
    }

    /// Whether no step of another cube changes what this one does, nor the other way round: draws, choices, and accesses to
    /// words that are of this call already, which every other write leaves as they are or is a fault.
    pub fn stands_alone(&self, state: &State, step: Step) -> bool {
        match step {
            Step::Draw | Step::Turn { .. } | Step::Launch => true,
            Step::Read { cube, unit, .. } => {
                self.read(state, cube, unit).is_some_and(|word| word.call == state.call && word.tag == state.tag)
            }
            Step::Post { cube } => match state.cubes[cube].phase {
                Phase::Publish { slot, term, cell, .. } => {
                    let word = Word { tag: state.tag, call: state.call, term };
                    state.memory[self.place(state, slot, cell)] == Some(word)
                }
                _ => false,
            },
        }
    }

    /// What a step leads to.
    pub fn stepped(&self, state: &State, step: Step, terms: &mut Terms) -> Result<State, Fault> {
        let mut next = state.clone();
        match step {
            Step::Launch => self.launch(&mut next),
            Step::Draw => {
                let index = next.cubes.len() as u8;
                let mut cube = Cube { index, at: index, goal: index, phase: Phase::Done, posted: 0 };
                self.begin_round(&mut cube, self.tiles(state), terms)?;
                next.cubes.push(cube);
            }
            Step::Turn { cube, tile } => {
                // A fold is missing, or an anchor's prefix, which then is the goal.
                let cube = &mut next.cubes[cube];
                if tile.is_multiple_of(self.window) {
                    cube.goal = tile;
                }
                cube.at = tile;
                self.begin_round(cube, self.tiles(state), terms)?;
            }
            Step::Post { cube } => self.post(&mut next, cube, terms)?,
            Step::Read { cube, unit, late } => self.look(&mut next, cube, unit, late, terms)?,
        }
        Ok(next)
    }

    /// The next call has the next tag; when there is none, memory is cleared.
    fn launch(&self, state: &mut State) {
        state.call += 1;
        state.cubes.clear();
        if state.tag == self.tags {
            state.tag = 0;
            if self.broken != Some(Broken::TagsReused) {
                state.memory.fill(None);
            }
        }
        state.tag += 1;
    }

    /// The head of the loop: the tile's fold is made, and published by all but the withheld owner.
    fn begin_round(&self, cube: &mut Cube, tiles: u8, terms: &mut Terms) -> Result<(), Fault> {
        let anchor = cube.at.is_multiple_of(self.window);
        if self.is_silent(cube) || (anchor && cube.at > 0) {
            return self.begin_look(cube, tiles, terms);
        }
        let slot = if anchor { self.prefix_slot(tiles, 0) } else { cube.at };
        let term = self.own_fold(cube, Broken::FoldRegrouped, terms);
        cube.phase = Phase::Publish { slot, term, cell: 0, found: None };
        Ok(())
    }

    fn begin_look(&self, cube: &mut Cube, tiles: u8, terms: &mut Terms) -> Result<(), Fault> {
        if cube.goal == 0 {
            return self.found(cube, tiles, None, terms);
        }
        let ordinal = (cube.goal - 1) / self.window;
        let anchor = ordinal * self.window;
        let unit = |tile, slot, stages| Unit { tile, slot, stages, looks: 0, cell: 0, seen: None, there: false };
        let fold = |tile: u8| match self.looks {
            Looks::ByUnits => unit(tile, tile, [None, Some(0)]),
            Looks::ByPlanes(plane) => unit(tile, tile, [Some(0), Some(1 + (tile - anchor - 1) / plane)]),
        };
        let mut units: Vec<Unit> = (anchor + 1..cube.goal).map(fold).collect();
        let glance = matches!(self.looks, Looks::ByPlanes(_)).then_some(0);
        units.push(unit(anchor, self.prefix_slot(tiles, ordinal), [glance, Some(self.last_stage())]));
        self.enter(&mut units, 0);
        cube.phase = Phase::Look { stage: 0, units };
        self.end_stages(cube, tiles, terms)
    }

    /// A stage begins: its units have their polls, or one glance.
    fn enter(&self, units: &mut [Unit], stage: u8) {
        for unit in units.iter_mut().filter(|unit| !unit.there) {
            if unit.stages[1] == Some(stage) {
                unit.looks = self.patience;
            } else if unit.stages[0] == Some(stage) {
                unit.looks = 1;
            }
        }
    }

    fn last_stage(&self) -> u8 {
        match self.looks {
            Looks::ByUnits => 1,
            Looks::ByPlanes(plane) => 1 + self.window.div_ceil(plane),
        }
    }

    /// Goes on to the next stage in which a unit looks; at the end to what was found, or is missing.
    fn end_stages(&self, cube: &mut Cube, tiles: u8, terms: &mut Terms) -> Result<(), Fault> {
        let Phase::Look { stage, units } = &mut cube.phase else { return Ok(()) };
        while units.iter().all(|unit| unit.looks == 0) {
            let (prefix, folds) = units.split_last().expect("one is for the prefix");
            let missing: Vec<u8> = folds.iter().filter(|unit| !unit.there).map(|unit| unit.tile).collect();
            if *stage + 1 >= self.last_stage() && !missing.is_empty() {
                let all = matches!(self.looks, Looks::ByUnits);
                cube.phase = Phase::Missing(if all { missing } else { missing[..1].to_vec() });
                return Ok(());
            }
            if *stage >= self.last_stage() {
                if !prefix.there {
                    cube.phase = Phase::Missing(vec![prefix.tile]);
                    return Ok(());
                }
                let folds: Vec<TermId> = folds.iter().filter_map(|unit| unit.seen).collect();
                let prefix = prefix.seen.expect("it is there");
                return self.finish(cube, tiles, prefix, folds, terms);
            }
            *stage += 1;
            let stage = *stage;
            self.enter(units, stage);
        }
        Ok(())
    }

    /// All is there: what comes before the goal, and the prefix of the goal where that is an anchor.
    fn finish(
        &self,
        cube: &mut Cube,
        tiles: u8,
        prefix: TermId,
        folds: Vec<TermId>,
        terms: &mut Terms,
    ) -> Result<(), Fault> {
        let mut before = prefix;
        if !folds.is_empty() {
            let between = terms.number(Term::Window(folds));
            before = terms.join(before, between);
        }
        if cube.at == cube.goal && cube.goal.is_multiple_of(self.window) && !self.is_silent(cube) {
            let own = self.own_fold(cube, Broken::PrefixRegrouped, terms);
            let slot = self.prefix_slot(tiles, cube.goal / self.window);
            cube.phase = Phase::Publish { slot, term: terms.join(before, own), cell: 0, found: Some(before) };
            return Ok(());
        }
        self.found(cube, tiles, Some(before), terms)
    }

    /// The tail of the loop, with nothing missing.
    fn found(&self, cube: &mut Cube, tiles: u8, before: Option<TermId>, terms: &mut Terms) -> Result<(), Fault> {
        if cube.at == cube.goal && cube.goal == cube.index {
            cube.phase = Phase::Done;
            let order = before.map_or(Vec::new(), |before| terms.tiles(before));
            if order != (0..cube.index).collect::<Vec<u8>>() {
                return Err(Fault::WrongOrder);
            }
            let documented = terms.before(cube.index, self.window);
            return if before == documented { Ok(()) } else { Err(Fault::WrongGrouping) };
        }
        if cube.at == cube.goal {
            cube.goal = (cube.goal + self.window).min(cube.index);
        }
        cube.at = cube.goal;
        self.begin_round(cube, tiles, terms)
    }

    /// Writes the next word of a state.
    fn post(&self, state: &mut State, cube: usize, terms: &mut Terms) -> Result<(), Fault> {
        let tiles = self.tiles(state);
        let Phase::Publish { slot, term, ref mut cell, found } = state.cubes[cube].phase else {
            unreachable!("a cube that posts has something to publish")
        };
        let at = *cell;
        *cell += 1;
        let place = self.place(state, slot, at);
        if state.memory[place].is_some_and(|word| word.call == state.call && word.term != term) {
            return Err(Fault::WordsDiffer);
        }
        state.memory[place] = Some(Word { tag: state.tag, call: state.call, term });
        let cube = &mut state.cubes[cube];
        cube.posted |= if self.late { 1 << place } else { 0 };
        match found {
            _ if at + 1 < self.cells => Ok(()),
            None => self.begin_look(cube, tiles, terms),
            Some(before) => self.found(cube, tiles, Some(before), terms),
        }
    }

    /// Reads the next word of a look. Once one is not there, the others do not matter.
    fn look(&self, state: &mut State, cube: usize, at: usize, late: bool, terms: &mut Terms) -> Result<(), Fault> {
        let word = self.read(state, cube, at).filter(|_| !late);
        let (tiles, tag, call) = (self.tiles(state), state.tag, state.call);
        let cube = &mut state.cubes[cube];
        let Phase::Look { units, .. } = &mut cube.phase else { unreachable!("a unit that reads looks") };
        let unit = &mut units[at];
        let untested = self.broken == Some(Broken::OneTagForAllWords) && unit.cell > 0;
        match word.filter(|word| word.tag == tag || untested) {
            Some(word) if word.call != call => return Err(Fault::ForeignWord),
            Some(word) if unit.cell > 0 && unit.seen != Some(word.term) => return Err(Fault::MixedWords),
            Some(word) => {
                unit.seen = Some(word.term);
                unit.cell += 1;
                unit.there = unit.cell == self.cells;
            }
            None if untested => return Err(Fault::MixedWords),
            None => (unit.seen, unit.cell) = (None, 0),
        }
        if unit.there {
            unit.looks = 0;
        } else if unit.cell == 0 && self.broken != Some(Broken::EndlessPatience) {
            unit.looks -= 1;
        }
        self.end_stages(cube, tiles, terms)
    }

    fn is_silent(&self, cube: &Cube) -> bool {
        cube.at == cube.index && self.withheld >> cube.index & 1 == 1
    }

    fn own_fold(&self, cube: &Cube, broken: Broken, terms: &mut Terms) -> TermId {
        let regrouped = cube.at != cube.index && self.broken == Some(broken);
        terms.number(if regrouped { Term::Regrouped(cube.at) } else { Term::Fold(cube.at) })
    }

    fn tiles(&self, state: &State) -> u8 {
        self.calls[usize::from(state.call)]
    }

    /// Every tile's fold, then every anchor's prefix.
    fn slots(&self, tiles: u8) -> u8 {
        tiles + tiles.div_ceil(self.window)
    }

    fn prefix_slot(&self, tiles: u8, ordinal: u8) -> u8 {
        if self.broken == Some(Broken::SlotsShared) { ordinal } else { tiles + ordinal }
    }

    fn place(&self, state: &State, slot: u8, cell: u8) -> usize {
        usize::from(cell * self.slots(self.tiles(state)) + slot)
    }

    /// Whether what a unit reads next was not always there, and is not the cube's own.
    fn may_miss(&self, state: &State, cube: usize, unit: usize) -> bool {
        let Phase::Look { units, .. } = &state.cubes[cube].phase else { return false };
        let place = self.place(state, units[unit].slot, units[unit].cell);
        let own = state.cubes[cube].posted >> place & 1 == 1 && self.broken != Some(Broken::OwnWordsUnseen);
        !own && state.memory[place].is_some_and(|word| word.call == state.call)
    }

    /// The word that a unit reads next.
    fn read(&self, state: &State, cube: usize, unit: usize) -> Option<Word> {
        match &state.cubes[cube].phase {
            Phase::Look { units, .. } => state.memory[self.place(state, units[unit].slot, units[unit].cell)],
            _ => None,
        }
    }
}
