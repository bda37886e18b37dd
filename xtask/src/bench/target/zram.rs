//! /dev/zram0: a disk in memory that answers within the submitting call.
//!
//! A read of an unwritten page would not touch memory, and a read of a compressible page would measure
//! the compressor. A read of random data costs one copy, the cheapest read that moves data.

use std::fs;
use std::path::Path;

use super::file;
use super::undo::Undo;
use crate::command::need_root;

/// The device.
pub const DEVICE: &str = "/dev/zram0";
const SIZE: &str = "/sys/block/zram0/disksize";
const RESET: &str = "/sys/block/zram0/reset";

/// Gives it a size and fills it, but only if nobody else uses it.
pub fn set_up(bytes: u64, undo: &mut Undo) -> Result<(), String> {
    need_root("setting up zram")?;
    if !Path::new(SIZE).exists() {
        return Err(format!("this kernel has no {DEVICE} (try `modprobe zram`)"));
    }
    let size = fs::read_to_string(SIZE).map_err(|e| format!("{SIZE}: {e}"))?;
    if size.trim() != "0" {
        return Err(format!("{DEVICE} is in use (if it is not: `echo 1 > {RESET}`)"));
    }
    write(SIZE, &bytes.to_string())?;
    undo.push(|| write(RESET, "1"));
    file::fill(Path::new(DEVICE), bytes)
}

fn write(path: &str, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{path}: {e}"))
}
