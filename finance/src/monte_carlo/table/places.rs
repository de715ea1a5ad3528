//! Where each number of a scenario stands.

/// The places of what holds for a whole path.
pub mod head {
    /// The weight of the scenario.
    pub const WEIGHT: u32 = 0;
    /// The same of the control variate.
    pub const CONTROL_WEIGHT: u32 = 1;
    /// 1, or −1 for the antithetic path.
    pub const SIGN: u32 = 2;
    /// 1 for a call, −1 for a put.
    pub const STYLE: u32 = 3;
    /// What exp(x) − 1 is multiplied by at the end; a digital's prize.
    pub const AMOUNT: u32 = 4;
    /// What a path pays on which nothing happens.
    pub const EXCESS: u32 = 5;
    /// The x from which a digital pays.
    pub const CUT: u32 = 6;
    /// 1 where what counts lies above, −1 where below.
    pub const DIRECTION: u32 = 7;
    /// The barrier's log over the spot, times the direction.
    pub const LEVEL: u32 = 8;
    /// The share of the payoff that is exercised where the barrier was reached,
    pub const BEGUN: u32 = 9;
    /// and what is added to it where it was not.
    pub const ALIVE_SHARE: u32 = 10;
    /// The rebate of an option that never began.
    pub const AT_EXPIRY: u32 = 11;
    /// The variance now.
    pub const VARIANCE: u32 = 12;
    /// A second amount, and its excess: of the farthest price, or of a control variate.
    pub const EXTRA: u32 = 13;
    pub const EXTRA_EXCESS: u32 = 14;
    /// What a walk starts from.
    pub const START: u32 = 15;
    pub const ALIVE: u32 = 16;
    pub const REBATE: u32 = 17;
    pub const NOTHING: u32 = 18;
    /// What is near the mean of what paths pay, and of their control variates; of the first scenario, for all.
    pub const CENTRE: u32 = 19;
    pub const CONTROL_CENTRE: u32 = 20;
    /// What an option on a mean pays at least.
    pub const FLOOR: u32 = 21;
    /// How many there are.
    pub const CELLS: u32 = 22;
}

/// The places of what holds for a step.
pub mod step {
    pub const DRIFT: u32 = 0;
    pub const SPREAD: u32 = 1;
    /// What exp(x) − 1 counts for in a sum of prices,
    pub const AMOUNT: u32 = 2;
    /// and x in one of logs.
    pub const SHARE: u32 = 3;
    /// The log of the forward price over the spot.
    pub const FORWARD: u32 = 4;
    /// 2 over the variance of the step.
    pub const BRIDGE: u32 = 5;
    /// What is paid where the barrier is reached in the step.
    pub const REBATE: u32 = 6;
    /// 1 where the price is looked at.
    pub const FIXING: u32 = 7;
    /// How many there are; a basket's row of the triangle follows.
    pub const CELLS: u32 = 8;
    /// Jumps expected, and the probability of none.
    pub const JUMPS: u32 = 8;
    pub const NO_JUMP: u32 = 9;
    pub const JUMP_MEAN: u32 = 10;
    pub const JUMP_VOL: u32 = 11;
    pub const NOTHING: u32 = 12;
    /// Andersen's mean and variance of the variance, and his K₁ to K₄.
    pub const FADE: u32 = 8;
    pub const PULL: u32 = 9;
    pub const NOISE: u32 = 10;
    pub const NOISE_PULL: u32 = 11;
    pub const K1: u32 = 12;
    pub const K2: u32 = 13;
    pub const K3: u32 = 14;
    pub const K4: u32 = 15;
}
