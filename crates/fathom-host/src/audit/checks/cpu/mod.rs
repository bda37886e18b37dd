//! Processors and power.

mod clock;
mod kernel;
mod power;

use super::Family;
use crate::audit::Observe::{Of, Several, Watch};

/// The checks of the family `cpu`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("cpu.governor", Several(clock::governor)),
        ("cpu.epp", Several(clock::epp)),
        ("cpu.freq_cap", Several(clock::freq_cap)),
        ("cpu.turbo", Of("host", clock::turbo)),
        ("cpu.cstates", Watch(&[power::USAGE], &Several(power::cstates))),
        ("cpu.idle_cmdline", Of("host", power::idle_cmdline)),
        ("cpu.smt", Of("host", kernel::smt)),
        ("cpu.online", Several(kernel::online)),
        ("cpu.throttle", Watch(&[power::COUNTER], &Several(power::throttle))),
        ("cpu.clock", Several(clock::clock)),
        ("cpu.powercap", Several(power::powercap)),
        ("cpu.temp", Several(power::temp)),
        ("cpu.platform_profile", Of("host", clock::platform_profile)),
        ("cpu.mitigations", Several(kernel::mitigations)),
        ("cpu.kernel_debug", Several(kernel::kernel_debug)),
    ],
);
