//! Processors and power.

mod clock;
mod cstates;
mod epp;
mod freq_cap;
mod governor;
mod idle_cmdline;
mod kernel_debug;
mod mitigations;
mod online;
mod platform_profile;
mod powercap;
mod smt;
mod temp;
mod throttle;
mod turbo;

use super::Check;

/// The checks of the family `cpu`.
pub(super) const CHECKS: &[Check] = &[
    governor::CHECK,
    epp::CHECK,
    freq_cap::CHECK,
    turbo::CHECK,
    cstates::CHECK,
    idle_cmdline::CHECK,
    smt::CHECK,
    online::CHECK,
    throttle::CHECK,
    clock::CHECK,
    powercap::CHECK,
    temp::CHECK,
    platform_profile::CHECK,
    mitigations::CHECK,
    kernel_debug::CHECK,
];
