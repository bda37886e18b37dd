//! File systems.

mod layout;
mod mounted;
mod options;

use super::Family;
use crate::audit::Observe::{Of, Several};
use mounted::each_mounted;

/// The checks of the family `fs`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("fs.type", Several(|scene| each_mounted(scene, layout::fs_type))),
        ("fs.atime", Several(|scene| each_mounted(scene, options::atime))),
        ("fs.discard", Several(|scene| each_mounted(scene, options::discard))),
        ("fs.barrier", Several(|scene| each_mounted(scene, options::barrier))),
        ("fs.geometry", Several(|scene| each_mounted(scene, layout::geometry))),
        ("fs.mode", Several(|scene| each_mounted(scene, options::mode))),
        ("fs.lazyinit", Of("host", layout::lazyinit)),
        ("fs.fill", Several(layout::fill)),
        ("fs.dio", Several(|scene| each_mounted(scene, layout::dio))),
        ("fs.lie", Several(|scene| each_mounted(scene, layout::lie))),
    ],
);
