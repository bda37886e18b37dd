//! The guard on real loop devices, mounts, swap and files. The kernel's part
//! (exclusive claims, mounts, device numbers) cannot be recorded, so these
//! tests need root and say so by failing.

mod contents;
mod created;
mod device;
mod file;
mod identity;
pub mod loops;
mod quick;

/// For reading and writing.
fn writing() -> fathom_guard::OpenFlags {
    fathom_guard::OpenFlags { write: true, ..Default::default() }
}
