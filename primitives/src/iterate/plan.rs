//! Which way a loop goes, and how its items are dealt: pure arithmetic, tested without a device.

use super::Way;
use crate::{Error, Feature, Profile, State};

/// Folds that a step may have: each is held in registers, and without planes in shared memory for each of as many units.
pub const MOST_KEYS: u32 = 32;

/// Units of a cube that is asked for: large cubes leave few partials for every cube to fold again.
const UNITS: u32 = 512;

/// The same where one cube has a whole loop and the device to itself. On an H200 (CUDA, the market's three folds, 500 steps) 256, 512
/// and 1024 units take 0.91, 0.86 and 1.01 ms for 1,000 items, 3.4, 2.6 and 2.6 ms for 10,000.
const ONE_CUBE_UNITS: u32 = 512;

/// The same where many loops run: while one folds and makes its shared state, others of the same multiprocessor go on. There, 4,096
/// loops of 10,000 items take 214, 193 and 195 ms with 64, 128 and 256 units.
const ENSEMBLE_UNITS: u32 = 128;

/// The same where cubes stay, and a multiprocessor has one only. There, 128 units take 1.17 ms for 3,000 items, 512 take 1.33.
const RESIDENT_LEAST_UNITS: u32 = 128;

/// Cubes that stay from which on they are larger rather than more, as each reads what all tell. There, 256 units take 1.36 ms for
/// 10,000 items, 128 take 1.57 and 512 take 1.47.
const FEW_CUBES: u64 = 64;

/// Items of each of so few cubes up to which there are no more. There, 64 and 128 cubes take 1.48 and 1.54 ms for 100,000 items, under
/// WGSL 2.20 and 2.63.
const FEW_ITEMS: u64 = 1 << 11;

/// Units of cubes that stay, at most, by the items that each of as many as run together would have. There, 256 and 512 units take 1.70
/// and 1.82 ms for 100,000 items, 2.15 and 2.11 for 300,000, 3.78 and 2.92 for a million; 512 and 1024 units 5.67 and 5.37 for 2.7
/// million, 17.3 and 14.2 for ten.
const RESIDENT_UNITS: [(u64, u32); 3] = [(1 << 11, 256), (1 << 14, 512), (u64::MAX, RESIDENT_MOST_UNITS)];

const RESIDENT_MOST_UNITS: u32 = 1024;

/// Items of a loop up to which one cube has them all, rather than a launch a step. On an H200 (WGSL, as above) one cube takes 3.4 ms
/// for 10,000 items, a launch a step 12; ten times the items are ten times the time of one cube.
const FEW: u64 = 1 << 14;

/// The same rather than cubes that stay. There (CUDA), one cube takes 0.96 ms for 2,000 items and 1.15 for 3,000, cubes that stay
/// 0.82 and 0.83.
const FEW_TO_STAY: u64 = 1 << 10;

/// Cubes of a launch where the number of multiprocessors is not told.
const CUBES: u32 = 256;

/// Cubes for each multiprocessor that is told.
const CUBES_EACH: u32 = 2;

/// Items of a unit that are prepared while it waits, where it has no more than [`SOME_ROUNDS`]; of more, none are, as the wait is
/// little beside them. What is prepared takes registers: there, 4, 8 and 16 take 3.43, 3.53 and 4.35 ms for a million items, where
/// units look at one cube at a time; 1, 2 and 4 take 5.01, 4.88 and 4.93 for 2.7 million, under WGSL 7.49, 7.30 and 6.84.
const AHEAD: u32 = 4;

const SOME_ROUNDS: u64 = 32;

/// Words that a unit looks at together at most: they are held in registers. There, 9, 18 and 36 words take 2.24, 2.04 and 1.71 ms for
/// 100,000 items.
const LOOKED_AT: u32 = 48;

/// Items times steps of a launch, so that none holds a display up for long.
const WORK: u64 = 1 << 34;

/// Steps of a launch, for the same: each takes a microsecond or two, however few its items are.
const MOST_STEPS: u64 = 1 << 16;

/// Looks at what another cube tells before a cube gives up: under a second. What it waits for takes microseconds, where all cubes run.
const PATIENCE: u32 = 1 << 20;

/// Steps from which on a recording is worth its making.
const WORTH_RECORDING: u32 = 3 * RECORDED;

/// Launches of a recording: an even number, as two of them take turns.
pub const RECORDED: u32 = 32;

/// Iterations of a step beside those for items.
const STEP_ROUNDS: u64 = 2;

/// What is to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// Items of a loop.
    pub len: u64,
    /// Steps of a loop.
    pub steps: u32,
    /// Folds of a step.
    pub keys: u32,
    /// Loops.
    pub members: u32,
}

/// How a task is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Never [`Way::Auto`].
    pub way: Way,
    /// Units of a cube.
    pub units: u32,
    /// Units of a plane that exchange by shuffles; 0 for the path through shared memory.
    pub plane: u32,
    /// Cubes of a launch that deal the items of a loop; 1 where a cube has a whole loop.
    pub cubes: u32,
    /// Steps of a launch.
    pub steps: u32,
}

/// Why there is no plan; the device's name is not known here.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// The device lacks this.
    Lacks(Feature),
    /// What was asked for cannot be.
    Asked(Error),
}

impl Task {
    /// Accepts what kernels can count and hold.
    pub fn check(&self) -> Result<(), Error> {
        if self.keys == 0 || self.keys > MOST_KEYS {
            return Err(Error::Keys { keys: self.keys, limit: MOST_KEYS });
        }
        match self.len > u64::from(u32::MAX) {
            true => Err(Error::TooLong { what: "a loop", len: self.len, limit: u32::MAX.into() }),
            false => Ok(()),
        }
    }
}

impl Plan {
    /// Units that look at what other cubes tell, where cubes stay: the first ones. One plane needs no barrier, but looks at its words
    /// one after the other: in cubes of most units, which have few registers, as many planes do as there is something for. There, one
    /// plane and two take 1.04 and 1.18 ms for 10,000 items; of 1024 units one and five take 14.7 and 14.2 for ten million. So they do
    /// where a word is told in two atomics: under WGSL a barrier of a plane is one of the cube; one plane and two that look at 64 cubes
    /// take 3.40 and 2.98 ms for 100,000 items.
    pub fn listening(&self) -> u32 {
        match self.plane {
            0 => self.units,
            plane if self.units < RESIDENT_MOST_UNITS => plane,
            plane => self.cubes.next_multiple_of(plane).min(self.units),
        }
    }

    /// The plan for `task`, whose folds are states `S`, by the way that is asked for.
    pub fn new<S: State>(task: &Task, wanted: Way, profile: &Profile) -> Result<Self, Refusal> {
        task.check().map_err(Refusal::Asked)?;
        match wanted {
            // Where a cube cannot take its items, more cubes can.
            Way::Auto => Plan::by::<S>(auto(task, profile), task, profile).or_else(|refusal| match refusal {
                Refusal::Asked(_) if task.members == 1 => Plan::by::<S>(Way::Launches, task, profile),
                refusal => Err(refusal),
            }),
            Way::Launches | Way::Recorded | Way::OneCube | Way::Resident if task.members > 1 => {
                Err(Refusal::Asked(Error::NoOption { what: "many loops at once", option: wanted.name() }))
            }
            asked => Plan::by::<S>(asked, task, profile),
        }
    }

    /// The plan by a way that is settled.
    fn by<S: State>(way: Way, task: &Task, profile: &Profile) -> Result<Self, Refusal> {
        let fit = |wanted, folds| fitting::<S>(task, profile, wanted, folds).map_err(Refusal::Lacks);
        let plan = |(units, plane), cubes| Plan { way, units, plane, cubes, steps: 1 };
        match way {
            Way::Recorded if !profile.recordings => Err(Refusal::Lacks(Feature::Recordings)),
            Way::Launches | Way::Recorded => {
                let fitting = fit(UNITS, 1)?;
                Ok(plan(fitting, cubes(task.len, fitting.0, profile)))
            }
            Way::Resident => {
                let together = together(profile).ok_or(Refusal::Lacks(Feature::CubeBarrier))?;
                let fitting = fit(resident_units(task.len, together), 2)?;
                let most = resident_cubes(task.len, together, fitting.1);
                let cubes = task.len.div_ceil(fitting.0.into()).clamp(1, most.into()) as u32;
                plan(fitting, cubes).with_steps(task, profile)
            }
            Way::Ensemble => plan(fit(ENSEMBLE_UNITS, 1)?, 1).with_steps(task, profile),
            _ => plan(fit(ONE_CUBE_UNITS, 1)?, 1).with_steps(task, profile),
        }
    }

    /// The plan with as many steps in a launch as a unit may take.
    fn with_steps(self, task: &Task, profile: &Profile) -> Result<Self, Refusal> {
        match self.steps_at_once(task, profile) {
            0 => Err(Refusal::Asked(Error::TooLong {
                what: "a loop in one cube",
                len: task.len,
                limit: u64::from(profile.max_loop).saturating_sub(STEP_ROUNDS)
                    * u64::from(self.units)
                    * u64::from(self.cubes),
            })),
            steps => Ok(Plan { steps, ..self }),
        }
    }

    /// Steps that cubes with whole loops may take in a launch; 0 where one is too long.
    fn steps_at_once(&self, task: &Task, profile: &Profile) -> u32 {
        // An iteration for every item of a unit, and few for the step.
        let rounds = rounds(task, self) + STEP_ROUNDS;
        let work = (task.len * u64::from(task.members.min(profile.max_cubes.0))).max(1);
        let most = u64::from(profile.max_loop) / rounds;
        most.min((WORK / work).max(1)).min(MOST_STEPS).min(task.steps.max(1).into()) as u32
    }
}

/// Items of a unit that are prepared while it waits for the shared state. None where other loops fill the wait, or a launch ends
/// before it.
pub fn ahead(task: &Task, plan: &Plan) -> u32 {
    match (plan.way, rounds(task, plan)) {
        (Way::OneCube | Way::Resident, rounds) if rounds <= SOME_ROUNDS => AHEAD.min(rounds.next_power_of_two() as u32),
        _ => 0,
    }
}

/// Cubes that a unit looks at together: all it has to look at, if there are registers for their folds.
pub fn looks<S: State>(task: &Task, plan: &Plan) -> u32 {
    let most = (LOOKED_AT / (task.keys * S::WORDS as u32)).max(1);
    match plan.way {
        Way::Resident => plan.cubes.div_ceil(plan.listening()).min(most),
        _ => 1,
    }
}

/// Items of the unit that has most.
fn rounds(task: &Task, plan: &Plan) -> u64 {
    task.len.div_ceil(u64::from(plan.units) * u64::from(plan.cubes))
}

/// The way that is taken where none is asked for.
fn auto(task: &Task, profile: &Profile) -> Way {
    let stays = together(profile).is_some();
    match task.members {
        1 if task.len <= if stays { FEW_TO_STAY } else { FEW } => Way::OneCube,
        1 if stays => Way::Resident,
        1 if profile.recordings && task.steps >= WORTH_RECORDING => Way::Recorded,
        1 => Way::Launches,
        _ => Way::Ensemble,
    }
}

/// Looks before a cube gives up; half of a unit's iterations at most, the others are those of [`Plan::steps`].
pub fn patience(profile: &Profile) -> u32 {
    PATIENCE.min(profile.max_loop / 2)
}

/// Units of a cube and of its planes for which the states of all keys fit into shared memory, for as many `folds` at a time.
fn fitting<S: State>(task: &Task, profile: &Profile, wanted: u32, folds: usize) -> Result<(u32, u32), Feature> {
    let most = wanted.min(profile.max_units).max(1);
    // A fold halves the units again and again; no more of them than items are of use, but a unit for every key.
    let least = task.keys.next_power_of_two();
    let items = task.len.min(most.into()) as u32;
    let mut units =
        (1 << most.ilog2()).min(items.max(1).next_power_of_two().max(least).max(profile.plane.unwrap_or(1)));
    loop {
        // A plane shares its keys out among its units.
        let even = |plane: &u32| units.is_multiple_of(*plane) && plane.is_power_of_two() && task.keys <= *plane;
        let plane = profile.plane.filter(even).unwrap_or(0);
        let slots = if plane > 0 { units / plane } else { units };
        let bytes = 4 * S::WORDS * task.keys as usize * (folds * slots as usize + 1);
        if bytes + RESERVED <= profile.shared_bytes {
            return if units < task.keys { Err(Feature::Units(task.keys)) } else { Ok((units, plane)) };
        }
        if units <= least {
            return Err(Feature::SharedMemory(bytes + RESERVED));
        }
        units /= 2;
    }
}

/// Bytes of shared memory that are left for the shared state.
const RESERVED: usize = 1024;

/// Units of as many cubes as `together` that share `len` items.
fn resident_units(len: u64, together: u32) -> u32 {
    let each = len / u64::from(together);
    let (_, most) = RESIDENT_UNITS.into_iter().find(|&(items, _)| each <= items).unwrap_or_default();
    (len / FEW_CUBES).next_power_of_two().clamp(RESIDENT_LEAST_UNITS.into(), most.into()) as u32
}

/// Cubes of at most `together` that share `len` items, and of which planes look at all: rather a few less than a row that is nearly
/// empty, where that matters more than the items.
fn resident_cubes(len: u64, together: u32, plane: u32) -> u32 {
    let cubes = if len / FEW_CUBES <= FEW_ITEMS { together.min(FEW_CUBES as u32) } else { together };
    match plane > 0 && cubes > plane && len / u64::from(cubes) <= RESIDENT_UNITS[1].0 {
        true => cubes - cubes % plane,
        false => cubes,
    }
}

/// Cubes that surely run at the same time, where they can tell one another words.
fn together(profile: &Profile) -> Option<u32> {
    let told = profile.multiprocessors.filter(|_| profile.atomic_u32);
    told.map(|cubes| cubes.min(profile.max_cubes.0).min(1 << 10)).filter(|&cubes| cubes > 0)
}

/// Cubes that the items of one loop are dealt to.
fn cubes(len: u64, units: u32, profile: &Profile) -> u32 {
    let most = profile.multiprocessors.map_or(CUBES, |each| each.saturating_mul(CUBES_EACH)).min(profile.max_cubes.0);
    // Where the iterations of a unit are few, more cubes have fewer each.
    let least = len.div_ceil(u64::from(units) * u64::from(profile.max_loop / 2));
    len.div_ceil(units.into()).clamp(1, u64::from(most).max(least)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Both, Wide};

    fn task(len: u64) -> Task {
        Task { len, steps: 500, keys: 3, members: 1 }
    }

    fn plan(task: Task, wanted: Way, profile: &Profile) -> Result<Plan, Refusal> {
        Plan::new::<Both<u32, Wide>>(&task, wanted, profile)
    }

    #[test]
    fn few_items_go_into_one_cube_and_many_loops_into_one_each() {
        let profile = Profile::plain();
        let way = |task| plan(task, Way::Auto, &profile).map(|plan| plan.way);
        assert_eq!(way(task(FEW)), Ok(Way::OneCube));
        assert_eq!(way(task(FEW + 1)), Ok(Way::Recorded));
        assert_eq!(way(Task { steps: WORTH_RECORDING - 1, ..task(FEW + 1) }), Ok(Way::Launches));
        assert_eq!(way(Task { members: 2, ..task(1 << 20) }), Ok(Way::Ensemble));
        let without = Profile { recordings: false, ..profile };
        assert_eq!(plan(task(FEW + 1), Way::Auto, &without).map(|plan| plan.way), Ok(Way::Launches));
        assert_eq!(plan(task(9), Way::Recorded, &without), Err(Refusal::Lacks(Feature::Recordings)));
        let profile = Profile { multiprocessors: Some(132), atomic_u64: true, ..Profile::plain() };
        let way = |task| plan(task, Way::Auto, &profile).map(|plan| plan.way);
        assert_eq!(way(task(FEW_TO_STAY)), Ok(Way::OneCube));
        assert_eq!(way(task(FEW_TO_STAY + 1)), Ok(Way::Resident));
        assert_eq!(way(Task { members: 2, ..task(1 << 20) }), Ok(Way::Ensemble));
    }

    #[test]
    fn a_way_that_cannot_be_is_refused() {
        let many = Task { members: 2, ..task(100) };
        for way in [Way::Launches, Way::OneCube] {
            assert!(matches!(plan(many, way, &Profile::plain()), Err(Refusal::Asked(Error::NoOption { .. }))));
            assert!(plan(Task { members: 1, ..many }, way, &Profile::plain()).is_ok());
        }
        let short = Profile { max_loop: 4, shared_bytes: 1 << 16, ..Profile::plain() };
        let most = 2 * u64::from(ONE_CUBE_UNITS);
        assert_eq!(plan(task(most), Way::OneCube, &short).map(|plan| plan.steps), Ok(1));
        assert!(matches!(plan(task(most + 1), Way::OneCube, &short), Err(Refusal::Asked(Error::TooLong { .. }))));
        assert_eq!(plan(task(most + 1), Way::Auto, &short).map(|plan| plan.way), Ok(Way::Launches));
    }

    #[test]
    fn the_last_number_of_keys_is_taken_and_the_next_refused() {
        let with = |keys, len| plan(Task { keys, ..task(len) }, Way::Auto, &Profile::plain());
        for keys in [0, MOST_KEYS + 1] {
            assert_eq!(with(keys, 100), Err(Refusal::Asked(Error::Keys { keys, limit: MOST_KEYS })));
        }
        for len in [0, 1, 100, 1 << 20] {
            for keys in [1, 3, 17, MOST_KEYS] {
                let plan = with(keys, len).expect("there is room for so many");
                assert!(plan.units >= keys && plan.units.is_power_of_two());
                let bytes = 4 * 3 * keys as usize * (plan.units as usize + 1);
                assert!(bytes + RESERVED <= Profile::plain().shared_bytes, "{keys} keys, {len} items: {plan:?}");
            }
        }
        assert!(with(1, u32::MAX.into()).is_ok());
        assert!(matches!(with(1, 1 << 32), Err(Refusal::Asked(Error::TooLong { .. }))));
    }

    #[test]
    fn a_launch_stays_within_the_iterations_of_a_unit() {
        for max_loop in [1 << 15, u32::MAX] {
            let profile = Profile { max_loop, ..Profile::plain() };
            for len in [0, 1, 512, 513, 1 << 12, 1 << 20, u32::MAX.into()] {
                let plan = plan(task(len), Way::Auto, &profile).expect("every length has a way");
                let rounds = len.div_ceil(u64::from(plan.units) * u64::from(plan.cubes));
                assert!((rounds + STEP_ROUNDS) * u64::from(plan.steps) <= max_loop.into(), "{len} items: {plan:?}");
                assert!(plan.steps > 0 && plan.cubes > 0);
            }
        }
    }

    #[test]
    fn a_launch_of_few_items_ends_as_well() {
        let stays = Profile { multiprocessors: Some(132), ..Profile::plain() };
        for way in [Way::OneCube, Way::Resident] {
            let plan = plan(Task { steps: u32::MAX, ..task(10) }, way, &stays);
            assert_eq!(plan.map(|plan| u64::from(plan.steps)), Ok(MOST_STEPS));
        }
    }

    #[test]
    fn items_are_prepared_where_a_wait_matters() {
        let profile =
            Profile { multiprocessors: Some(132), atomic_u64: true, shared_bytes: 1 << 17, ..Profile::plain() };
        let ahead = |task: Task| plan(task, Way::Auto, &profile).map(|plan| super::ahead(&task, &plan));
        // One cube of 512 units, then 64 of 256, then 132 of 512 and of 1024.
        assert_eq!([500, 1_000].map(|len| ahead(task(len))), [Ok(1), Ok(2)]);
        assert_eq!([10_000, 32_768, 100_000].map(|len| ahead(task(len))), [Ok(1), Ok(2), Ok(4)]);
        assert_eq!([1_000_000, 2_700_000, 10_000_000].map(|len| ahead(task(len))), [Ok(4), Ok(4), Ok(0)]);
        assert_eq!(ahead(Task { members: 2, ..task(1_000) }), Ok(0));
        let launches = plan(task(1_000), Way::Launches, &profile).map(|plan| super::ahead(&task(1_000), &plan));
        assert_eq!(launches, Ok(0));
    }

    #[test]
    fn cubes_stay_only_where_they_surely_run_at_the_same_time() {
        let plain = Profile { shared_bytes: 1 << 17, ..Profile::plain() };
        let stays = Profile { multiprocessors: Some(132), atomic_u64: true, ..plain };
        let cubes = |len| plan(task(len), Way::Resident, &stays).map(|plan| (plan.cubes, plan.steps));
        assert_eq!([cubes(1), cubes(129), cubes(1 << 24)], [Ok((1, 500)), Ok((2, 500)), Ok((132, 500))]);
        let units = |len| plan(task(len), Way::Resident, &stays).map(|plan| plan.units);
        assert_eq!([3_000, 10_000, 100_000].map(units), [Ok(128), Ok(256), Ok(256)]);
        let [(few, _), (many, _), _] = RESIDENT_UNITS.map(|(items, units)| (132 * (items.min(1 << 20) + 1), units));
        assert_eq!([units(few - 1), units(few), units(many - 1), units(many)], [Ok(256), Ok(512), Ok(512), Ok(1024)]);
        let planes = Profile { plane: Some(32), ..stays.clone() };
        let rows = |len| plan(task(len), Way::Resident, &planes).map(|plan| (plan.cubes, plan.listening()));
        assert_eq!([10_000, FEW_CUBES * FEW_ITEMS].map(rows), [Ok((40, 32)), Ok((64, 32))]);
        assert_eq!([140_000, 1_000_000, 10_000_000].map(rows), [Ok((128, 32)), Ok((128, 32)), Ok((132, 160))]);
        let unknown = Profile { multiprocessors: None, ..stays.clone() };
        for lacks in [unknown, Profile { atomic_u32: false, ..stays }] {
            assert_eq!(plan(task(9), Way::Resident, &lacks), Err(Refusal::Lacks(Feature::CubeBarrier)));
        }
    }

    #[test]
    fn cubes_go_by_the_multiprocessors_where_they_are_told() {
        let with = |multiprocessors| cubes(1 << 24, 512, &Profile { multiprocessors, ..Profile::plain() });
        assert_eq!([with(None), with(Some(132))], [CUBES, 264]);
        assert_eq!([cubes(0, 512, &Profile::plain()), cubes(513, 512, &Profile::plain())], [1, 2]);
    }
}
