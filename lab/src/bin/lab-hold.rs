//! Holds a device open until its stdin ends: `lab-hold NODE read|write|read-exclusive|write-exclusive`.
#![allow(clippy::print_stdout, reason = "its word that the device is open is read by the test")]

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [node, how] = &words[..] else {
        return Err(std::io::Error::other("usage: lab-hold NODE HOW"));
    };
    let exclusive = if how.ends_with("-exclusive") { libc::O_EXCL } else { 0 };
    let write = how.starts_with("write");
    let _held = OpenOptions::new().read(true).write(write).custom_flags(exclusive).open(node)?;
    println!("open");
    std::io::stdin().read_to_end(&mut Vec::new()).map(drop)
}
