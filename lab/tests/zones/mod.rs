//! `zonemode=zbd` on a zoned device: where I/O goes and what is reset, by what null_blk and the kernel say of the device.

mod bench;
mod jobs;
mod refused;
