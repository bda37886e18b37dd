//! Software RAID and device-mapper.

mod array;
mod shape;
mod stack;
mod state;

use super::Family;
use crate::audit::Observe::{Several, Watch};
use array::{each_array, each_md};

/// The checks of the families `md` and `dm`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("md.state", Several(|scene| each_array(scene, state::state))),
        ("md.sync", Watch(&[state::ACTION], &Several(|scene| each_array(scene, state::sync)))),
        ("md.sync_speed", Several(|scene| each_array(scene, state::sync_speed))),
        ("md.threads", Several(|scene| each_array(scene, shape::threads))),
        ("md.stripe_cache", Several(|scene| each_array(scene, shape::stripe_cache))),
        ("md.bitmap", Several(|scene| each_array(scene, state::bitmap))),
        ("md.geometry", Several(|scene| each_array(scene, shape::geometry))),
        ("md.members", Several(|scene| each_array(scene, state::members))),
        ("md.external", Several(|scene| each_md(scene, shape::external))),
        ("dm.stack", Several(stack::stack)),
    ],
);
