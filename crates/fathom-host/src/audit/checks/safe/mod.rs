//! What forbids writing to a target, by the rules of the guard.
//!
//! These checks have no rules of their own: they report what
//! [`fathom_guard::inspect`] found on each target that is a block device. So
//! the audit shows in advance what the guard will refuse.

mod findings;
mod view;

use super::Family;
use crate::audit::Observe::{Of, Several};

/// The checks of the family `safe`.
pub(super) const FAMILY: Family = (
    include_str!("checks.toml"),
    &[
        ("safe.mounted", Several(findings::mounted)),
        ("safe.holders", Several(findings::holders)),
        ("safe.swap", Several(findings::swap)),
        ("safe.signature", Several(findings::signature)),
        ("safe.partition_table", Several(findings::partition_table)),
        ("safe.raid_member", Several(findings::raid_member)),
        ("safe.lvm_pv", Several(findings::lvm_pv)),
        ("safe.zfs_member", Several(findings::zfs_member)),
        ("safe.root_disk", Several(findings::root_disk)),
        ("safe.open_by_others", Several(findings::open_by_others)),
        ("safe.identity", Several(findings::identity)),
        ("safe.readonly", Several(findings::readonly)),
        ("safe.mount_guard", Of("kernel", findings::mount_guard)),
    ],
);
