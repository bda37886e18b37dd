//! Background noise: other work on the host, before a run and during it.

mod cv;
mod device;
mod kthreads;
mod load;
mod process;
mod siblings;
mod stat;
mod timers;

use super::Check;

/// The checks of the family `noise`.
pub(super) const CHECKS: &[Check] =
    &[device::CHECK, siblings::CHECK, load::CHECK, timers::CHECK, kthreads::CHECK, cv::CHECK];
