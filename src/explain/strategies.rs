//! The strategies of every primitive: what each needs, whether the device has it, and what runs instead. All of it is what
//! the plans say when they are asked.

use cubefold::iterate::Way;
use cubefold::{Device, Error, GemmStrategy, Profile, Strategy};
use serde::Serialize;

use super::needs::{Need, needs};
use super::plans;

/// One strategy on one device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StrategyRow {
    /// The primitive.
    pub primitive: &'static str,
    /// The strategy.
    pub strategy: String,
    /// What it needs of a device.
    pub needs: Vec<String>,
    /// Whether the device has that.
    pub usable: bool,
    /// What of it the device lacks.
    pub lacks: Option<String>,
    /// What `Auto` takes instead, where the strategy is not usable.
    pub instead: Option<String>,
}

/// What the plan of a strategy says on a device.
type Ask = Box<dyn Fn(&Device) -> Result<(), Error>>;

/// A strategy, the question to its plan, and the name of what `Auto` takes.
struct Question {
    primitive: &'static str,
    strategy: &'static str,
    ask: Ask,
    auto: fn(&Device) -> Option<String>,
}

/// Every strategy on `device`; none on the host, which has one.
pub fn strategies(device: &Device) -> Vec<StrategyRow> {
    let (Some(client), Some(profile)) = (device.client(), device.profile()) else {
        return Vec::new();
    };
    let under = |profile: &Profile| Device::with_profile(client.clone(), device.label(), profile.clone());
    let answer = |question: Question| {
        let asked = (question.ask)(device);
        let needed = needs(|profile| (question.ask)(&under(profile)).is_ok());
        StrategyRow {
            primitive: question.primitive,
            strategy: question.strategy.to_owned(),
            needs: needed.iter().map(Need::to_string).collect(),
            usable: asked.is_ok(),
            instead: asked.is_err().then(|| (question.auto)(device)).flatten(),
            lacks: asked.err().map(|error| lacking(&needed, profile, &error)),
        }
    };
    questions().into_iter().map(answer).collect()
}

/// What of the needs is not there, or what the plan says where none of them is missing.
fn lacking(needed: &[Need], profile: &Profile, error: &Error) -> String {
    let missing: Vec<_> = needed.iter().filter(|need| !need.is_met(profile)).map(Need::to_string).collect();
    if missing.is_empty() { error.to_string() } else { missing.join(", ") }
}

fn questions() -> Vec<Question> {
    let mut questions = vec![
        question("reduce", "one launch", one_launch, |_| Some("two launches".to_owned())),
        question("reduce", "two launches", |device| plans::reduce(device, 1 << 24).map(drop), |_| None),
    ];
    questions.extend([Strategy::HillisSteele, Strategy::Blelloch, Strategy::DecoupledLookback].map(scan));
    questions.extend(GemmStrategy::NAMED.map(gemm));
    questions.extend([Way::Launches, Way::Recorded, Way::OneCube, Way::Ensemble, Way::Resident].map(iterate));
    questions
}

fn question(
    primitive: &'static str,
    strategy: &'static str,
    ask: impl Fn(&Device) -> Result<(), Error> + 'static,
    auto: fn(&Device) -> Option<String>,
) -> Question {
    Question { primitive, strategy, ask: Box::new(ask), auto }
}

/// Two cubes' items are folded in one launch only where one cube's writes reach the other.
fn one_launch(device: &Device) -> Result<(), Error> {
    let Some(plan) = plans::reduce(device, 1)? else {
        return Ok(());
    };
    match plans::reduce(device, 2 * u64::from(plan.tile))? {
        Some(plan) if plan.launches > 1 => {
            Err(Error::NoOption { what: "a reduction by several cubes", option: "one launch here" })
        }
        _ => Ok(()),
    }
}

fn scan(strategy: Strategy) -> Question {
    let auto = |device: &Device| Some(plans::scan(device, Strategy::Auto).ok()??.strategy.name().to_owned());
    question("scan", strategy.name(), move |device| plans::scan(device, strategy).map(drop), auto)
}

fn gemm(strategy: GemmStrategy) -> Question {
    let auto = |device: &Device| Some(plans::product(device, GemmStrategy::Auto).ok()??.strategy.name().to_owned());
    question("gemm", strategy.name(), move |device| plans::product(device, strategy).map(drop), auto)
}

fn iterate(way: Way) -> Question {
    let members = if way == Way::Ensemble { 64 } else { 1 };
    let auto = |device: &Device| Some(plans::iterate(device, Way::Auto, 1).ok()??.way.name().to_owned());
    question("iterate", way.name(), move |device| plans::iterate(device, way, members).map(drop), auto)
}

#[cfg(test)]
mod tests {
    use super::super::needs::rich;
    use super::*;

    #[test]
    fn every_strategy_has_a_question() {
        let names: Vec<_> = questions().iter().map(|question| (question.primitive, question.strategy)).collect();
        for name in
            [("reduce", "one launch"), ("scan", "DecoupledLookback"), ("gemm", "SplitK"), ("iterate", "Resident")]
        {
            assert!(names.contains(&name), "{name:?}");
        }
        assert_eq!(names.len(), 2 + 3 + 6 + 5);
    }

    #[test]
    fn what_is_lacking_is_told_or_else_the_error() {
        assert_eq!(strategies(&Device::host()), [], "the host has one for everything");
        let error = Error::NoOption { what: "a loop", option: "so long" };
        assert_eq!(lacking(&[], &rich(), &error), error.to_string());
        let poor = Profile { atomic_u32: false, multiprocessors: None, ..rich() };
        let needed = [Need::Atomics32, Need::MemoryScope, Need::Multiprocessors];
        assert_eq!(lacking(&needed, &poor, &error), "atomic u32, multiprocessors told");
    }
}
