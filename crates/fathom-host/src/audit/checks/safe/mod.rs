//! What stands in the way of writing, as the guard sees it.
//!
//! These checks have no rules of their own: they sort what
//! [`fathom_guard::inspect`] found of each target that is a block device. So
//! the audit can tell beforehand what the guard will say.

mod holders;
mod identity;
mod lvm_pv;
mod mount_guard;
mod mounted;
mod open_by_others;
mod partition_table;
mod raid_member;
mod readonly;
mod root_disk;
mod signature;
mod swap;
mod view;
mod zfs_member;

use super::Check;

/// The family.
pub(super) const CHECKS: &[Check] = &[
    mounted::CHECK,
    holders::CHECK,
    swap::CHECK,
    signature::CHECK,
    partition_table::CHECK,
    raid_member::CHECK,
    lvm_pv::CHECK,
    zfs_member::CHECK,
    root_disk::CHECK,
    open_by_others::CHECK,
    identity::CHECK,
    readonly::CHECK,
    mount_guard::CHECK,
];
