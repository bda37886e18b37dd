//! Limits, platform and services, and the network if the storage is behind one.

mod aio;
mod clocksource;
mod daemons;
mod io_uring;
mod limit;
mod memlock;
mod mtu;
mod nofile;
mod psi;
mod rights;
mod route;
mod selinux;
mod steal;
mod tracing;
mod virt;

use super::Check;

/// The checks of the families `sys` and `net`.
pub(super) const CHECKS: &[Check] = &[
    aio::CHECK,
    memlock::CHECK,
    nofile::CHECK,
    io_uring::CHECK,
    virt::CHECK,
    steal::CHECK,
    clocksource::CHECK,
    selinux::CHECK,
    daemons::CHECK,
    tracing::CHECK,
    psi::CHECK,
    mtu::CHECK,
];
