//! What forbids writing to a target, by the rules of the guard.
//!
//! These checks have no rules of their own: they report what
//! [`fathom_guard::inspect`] found on each target that is a block device. So
//! the audit shows in advance what the guard will refuse.

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

/// The checks of the family `safe`.
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
