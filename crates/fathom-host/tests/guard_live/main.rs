//! The guard on real loop devices, mounts, swap and files. The kernel's part
//! (exclusive claims, mounts, device numbers) cannot be recorded, so these
//! tests need root and say so by failing.

mod device;
mod file;
mod loops;
