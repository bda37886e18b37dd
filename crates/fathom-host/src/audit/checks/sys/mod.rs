//! Limits, platform and services, and the network if the storage is behind one.

mod limits;
mod network;
mod platform;

use super::Family;
use crate::audit::Observe::{Of, Several, Watch};

/// The checks of the families `sys` and `net`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("sys.aio", Several(limits::aio)),
        ("sys.memlock", Of("fathom", limits::memlock)),
        ("sys.nofile", Of("fathom", limits::nofile)),
        ("sys.io_uring", Of("host", limits::io_uring)),
        ("sys.virt", Several(platform::virt)),
        ("sys.steal", Watch(&["/proc/stat"], &Of("host", platform::steal))),
        ("sys.clocksource", Of("host", platform::clocksource)),
        ("sys.selinux", Of("host", platform::selinux)),
        ("sys.daemons", Several(platform::daemons)),
        ("sys.tracing", Several(platform::tracing)),
        ("sys.psi", Several(platform::psi)),
        ("net.mtu", Several(network::mtu)),
    ],
);
