//! NUMA and memory.

mod allowed;
mod array_span;
mod balancing;
mod device_node;
pub(crate) mod dimms;
mod errors;
mod headroom;
mod job_local;
mod sub_node;

use super::Check;

/// The checks of the families `numa` and `mem`.
pub(super) const CHECKS: &[Check] = &[
    device_node::CHECK,
    job_local::CHECK,
    array_span::CHECK,
    balancing::CHECK,
    sub_node::CHECK,
    dimms::CHECK,
    errors::CHECK,
    headroom::CHECK,
];
