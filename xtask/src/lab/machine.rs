//! The machine: two sockets, two NUMA nodes, drives of every family, PCIe ports and a switch.
//!
//! The tests in `lab/tests/machine.rs` check what this file describes: what is removed here fails
//! there.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::command::command;

use super::image::Image;
use super::kernel::Kernel;
use crate::workspace::at;

/// A drive's contents: the name of a file, and how large it is.
struct Medium {
    name: &'static str,
    size_mib: u64,
}

const fn medium(name: &'static str, size_mib: u64) -> Medium {
    Medium { name, size_mib }
}

/// The files are sparse, so that what is not written costs nothing. Drives of one array have the same
/// size; drives for XFS have at least 300 MiB (xfsprogs 6 refuses less).
const MEDIA: &[Medium] = &[
    medium("a", 384),
    medium("b1", 128),
    medium("b2", 96),
    medium("c", 384),
    medium("d", 384),
    medium("e", 96),
    medium("f", 96),
    medium("g", 96),
    medium("h", 96),
    medium("m", 128),
    medium("ata", 128),
    medium("scsi", 128),
    medium("virtio", 128),
    medium("twin", 128),
];

/// The same bytes as the medium `twin`.
const SECOND_PATH: &str = "twin-again";

/// The console is the first serial port, on our terminal; nothing else is connected. A reboot, which a test may ask for,
/// keeps the drives with what they have counted. It is also how a panic ends (`panic=-1`), after which `console.rs` ends
/// the emulator.
pub(super) const CONSOLE: &[&str] = &["-nodefaults", "-no-user-config", "-nographic"];

/// Only emergencies, such as the messages of a panic, go to the console; `dmesg` shows the rest.
const KERNEL_LINE: &str =
    "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off nvme_core.multipath=1 nvme.poll_queues=1 lab";

/// A machine that can be switched on, with blank drives.
pub struct Machine {
    arguments: Vec<String>,
    // The files that the emulator reads, gone when these are dropped.
    _media: TempDir,
    _image: Image,
}

impl Machine {
    /// Makes the drives and writes the command line.
    pub fn new(kernel: &Kernel, image: Image) -> Result<Self, String> {
        let media = tempfile::tempdir_in(super::directory()?).map_err(|e| format!("the drives: {e}"))?;
        let mut arguments: Vec<String> = CONSOLE.iter().map(|word| (*word).to_owned()).collect();
        for medium in MEDIA {
            let path = media.path().join(medium.name);
            let file = File::create(&path).and_then(|file| file.set_len(medium.size_mib << 20));
            file.map_err(at(&path))?;
            arguments.extend(drive(medium.name, &path));
        }
        arguments.extend(drive(SECOND_PATH, &media.path().join("twin")));
        arguments.extend(parts());
        arguments.extend(["-kernel".to_owned(), kernel.image().display().to_string()]);
        arguments.extend(["-initrd".to_owned(), image.path().display().to_string()]);
        Ok(Self { arguments, _media: media, _image: image })
    }

    /// The emulator with the console on `serial`, and `more` words for the kernel.
    pub fn command(&self, serial: &str, more: &str) -> Command {
        let mut command = command("qemu-system-x86_64", &["-serial", serial]);
        command.args(&self.arguments).arg("-append").arg(format!("{KERNEL_LINE} {more}"));
        command
    }
}

fn drive(id: &str, file: &Path) -> [String; 2] {
    // Two drives over one file would each want its lock.
    let options = "if=none,format=raw,cache=unsafe,discard=unmap,file.locking=off";
    ["-drive".to_owned(), format!("id={id},file={},{options}", file.display())]
}

/// Processors and drives, as words of the command line.
fn parts() -> impl Iterator<Item = String> {
    super::listed(include_str!("machine.txt")).flat_map(|line| line.split(' ')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A medium that no drive has, or a drive without medium, is a mistake in this file.
    #[test]
    fn every_medium_has_its_drive() {
        let lines = parts().collect::<Vec<_>>();
        let named = |line: &String| {
            let drive = line.split(',').find_map(|part| part.strip_prefix("drive="))?;
            Some(drive.to_owned())
        };
        let mut drives: Vec<String> = lines.iter().filter_map(named).collect();
        let mut media: Vec<String> = MEDIA.iter().map(|medium| medium.name.to_owned()).collect();
        media.push(SECOND_PATH.to_owned());
        drives.sort();
        media.sort();
        assert_eq!(drives, media);
    }
}
