//! `cargo xtask power-cut`: the proof of `fathom power-cut` on a recorded drive.
//!
//! A small machine has one drive behind QEMU's filter `blklogwrites`, which records every write and flush that reaches the
//! drive. In it `fathom power-cut write` runs, and its log goes out through a serial port, as it goes to another host on a real
//! machine. Afterwards `lab-power-cut` cuts the power of the recorded drive at a thousand moments, under models of honest
//! and dishonest devices.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use super::image::Image;
use super::kernel::Kernel;
use super::machine::CONSOLE;
use crate::arguments::Arguments;
use crate::command::{cargo, command, run};
use crate::workspace::{at, target};

/// How the writer asks for durability. QEMU's drives make a flush of each FUA.
const RUNS: [&str; 2] = ["every=16", "fua"];

/// Cuts of each model.
const CUTS: u64 = 1000;

/// The size of the drive. The region is smaller, so the rest is never written.
const DRIVE_MIB: u64 = 16;

/// The machine without its drive.
const PARTS: &[&str] = &[
    "-no-reboot",
    "-machine",
    "q35",
    "-accel",
    "tcg,thread=multi",
    "-cpu",
    "qemu64",
    "-smp",
    "2",
    "-m",
    "1024",
    "-serial",
    "stdio",
    "-device",
    "virtio-rng-pci",
    "-device",
    "virtio-serial-pci",
    "-device",
    "virtserialport,chardev=log,name=log",
    // A logical block of 4096 bytes has sectors that a dishonest device can tear. Its cache is volatile.
    "-device",
    "virtio-blk-pci,drive=recorded,serial=CUT,logical_block_size=4096,physical_block_size=4096,write-cache=on",
];

/// `cargo xtask power-cut [--cuts N]`.
pub fn chore(mut arguments: Arguments) -> Result<(), String> {
    let cuts = arguments.number("--cuts", CUTS)?.to_string();
    arguments.finish()?;
    // As a developer builds them: what the emulated processor costs more is less than a second build.
    run(&mut cargo(&[
        "build",
        "--package",
        "fathom",
        "--package",
        "fathom-lab",
        "--bin",
        "fathom",
        "--bin",
        REPLAY,
    ]))?;
    let kernel = Kernel::fetch()?;
    let image = Image::of_fathom(&kernel, &target().join("debug/fathom"))?;
    for flush in RUNS {
        let near = super::directory()?;
        let place = tempfile::tempdir_in(&near).map_err(at(&near))?;
        run(&mut machine(&kernel, &image, place.path(), flush)?)?;
        let mut replay = command(&target().join("debug").join(REPLAY).to_string_lossy(), &[]);
        replay.arg(place.path().join(RECORDING)).arg(place.path().join(LOG)).arg(&cuts);
        run(&mut replay)?;
    }
    Ok(())
}

const REPLAY: &str = "lab-power-cut";
const RECORDING: &str = "recording";
const LOG: &str = "log";

/// The emulator over a blank drive whose writes are recorded.
fn machine(kernel: &Kernel, image: &Image, place: &Path, flush: &str) -> Result<Command, String> {
    let drive = place.join("drive");
    let made = File::create(&drive).and_then(|file| file.set_len(DRIVE_MIB << 20));
    made.and_then(|()| File::create(place.join(RECORDING)).map(drop)).map_err(at(&drive))?;
    let file = |name: &str| format!("driver=file,filename={}", place.join(name).display());
    let nodes = [
        format!("{},node-name=drive", file("drive")),
        format!("{},node-name=recording", file(RECORDING)),
        "driver=raw,file=drive,node-name=drive-raw".to_owned(),
        "driver=raw,file=recording,node-name=recording-raw".to_owned(),
        "driver=blklogwrites,file=drive-raw,log=recording-raw,node-name=recorded".to_owned(),
    ];
    let mut machine = command("qemu-system-x86_64", &[]);
    for node in nodes {
        machine.arg("-blockdev").arg(node);
    }
    machine.arg("-chardev").arg(format!("file,id=log,path={}", place.join(LOG).display()));
    machine.args(CONSOLE).args(PARTS);
    machine.arg("-kernel").arg(kernel.image()).arg("-initrd").arg(image.path());
    let line =
        format!("console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off lab.power-cut lab.flush={flush}");
    machine.arg("-append").arg(line);
    Ok(machine)
}
