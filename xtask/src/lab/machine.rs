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

/// Processors: two sockets of two cores, one NUMA node each. qemu64 is the model that costs least
/// to emulate.
const PROCESSORS: &[&str] = &[
    "-machine q35",
    "-accel tcg,thread=multi",
    "-cpu qemu64",
    "-smp 4,sockets=2,cores=2",
    "-m 2048",
    "-object memory-backend-ram,id=ram0,size=1G",
    "-object memory-backend-ram,id=ram1,size=1G",
    "-numa node,nodeid=0,cpus=0-1,memdev=ram0",
    "-numa node,nodeid=1,cpus=2-3,memdev=ram1",
    "-numa dist,src=0,dst=1,val=21",
];

/// NVMe: LAB-A below a root port of four fast lanes; LAB-B (two namespaces) and LAB-C (4096-byte
/// blocks) behind a switch; LAB-D below a port of the second node; LAB-E to LAB-H are the four members
/// of arrays, and small because an array is initialised and emptied as a whole; LAB-M reached through two
/// controllers of one subsystem.
const NVME: &[&str] = &[
    "-device pcie-root-port,id=port0,bus=pcie.0,chassis=1,slot=1,x-speed=8,x-width=4",
    "-device nvme,id=nvme-a,bus=port0,drive=a,serial=LAB-A,max_ioqpairs=4",
    "-device pcie-root-port,id=port1,bus=pcie.0,chassis=1,slot=2,x-speed=16,x-width=16",
    "-device x3130-upstream,id=switch,bus=port1",
    "-device xio3130-downstream,id=down0,bus=switch,chassis=2,slot=0",
    "-device xio3130-downstream,id=down1,bus=switch,chassis=2,slot=1",
    "-device nvme,id=nvme-b,bus=down0,serial=LAB-B",
    "-device nvme-ns,bus=nvme-b,drive=b1,nsid=1,uuid=0b0b0b0b-0000-4000-8000-000000000001",
    "-device nvme-ns,bus=nvme-b,drive=b2,nsid=2,uuid=0b0b0b0b-0000-4000-8000-000000000002",
    "-device nvme,id=nvme-c,bus=down1,drive=c,serial=LAB-C,logical_block_size=4096,physical_block_size=4096",
    "-device pxb-pcie,id=node1,bus=pcie.0,bus_nr=128,numa_node=1",
    "-device pcie-root-port,id=port2,bus=node1,chassis=3,slot=1,x-speed=8,x-width=4",
    "-device nvme,id=nvme-d,bus=port2,drive=d,serial=LAB-D",
    "-device pcie-root-port,id=port5,bus=pcie.0,chassis=1,slot=4",
    "-device nvme,bus=port5,drive=e,serial=LAB-E",
    "-device pcie-root-port,id=port6,bus=pcie.0,chassis=1,slot=5",
    "-device nvme,bus=port6,drive=f,serial=LAB-F",
    "-device pcie-root-port,id=port7,bus=pcie.0,chassis=1,slot=6",
    "-device nvme,bus=port7,drive=g,serial=LAB-G",
    "-device pcie-root-port,id=port8,bus=pcie.0,chassis=1,slot=7",
    "-device nvme,bus=port8,drive=h,serial=LAB-H",
    "-device nvme-subsys,id=both,nqn=lab-m",
    "-device pcie-root-port,id=port3,bus=pcie.0,chassis=1,slot=3",
    "-device nvme,id=nvme-m0,bus=port3,subsys=both,serial=LAB-M",
    "-device pcie-root-port,id=port4,bus=node1,chassis=3,slot=2",
    "-device nvme,id=nvme-m1,bus=port4,subsys=both,serial=LAB-M",
    "-device nvme-ns,bus=nvme-m0,drive=m,nsid=1,shared=on,uuid=0d0d0d0d-0000-4000-8000-000000000001",
];

/// The other families: SATA at the chipset's own controller, SCSI, virtio. LAB-TWIN is one SCSI disk
/// that is reached in two ways, which nothing in the kernel joins.
const OTHERS: &[&str] = &[
    "-device ide-hd,bus=ide.0,drive=ata,serial=LAB-ATA,wwn=0x5000c500a0000001,discard_granularity=512",
    "-device virtio-scsi-pci,id=scsi,bus=pcie.0",
    "-device scsi-hd,bus=scsi.0,drive=scsi,serial=LAB-SCSI,wwn=0x5000c500a0000002",
    "-device scsi-hd,bus=scsi.0,drive=twin,share-rw=on,serial=LAB-TWIN,wwn=0x5000c500a0000003",
    "-device scsi-hd,bus=scsi.0,drive=twin-again,share-rw=on,serial=LAB-TWIN,wwn=0x5000c500a0000003",
    "-device virtio-blk-pci,bus=pcie.0,drive=virtio,serial=LAB-VIRTIO,num-queues=4",
    "-device virtio-rng-pci,bus=pcie.0",
];

/// The console is the first serial port, on our terminal; nothing else is connected. A reboot, which a test may ask for,
/// keeps the drives with what they have counted. It is also how a panic ends (`panic=-1`), after which `console.rs` ends
/// the emulator.
const CONSOLE: &[&str] = &["-nodefaults", "-no-user-config", "-nographic"];

/// Only emergencies, such as the messages of a panic, go to the console; `dmesg` shows the rest.
const KERNEL_LINE: &str = "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off nvme_core.multipath=1 lab";

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
        let mut arguments: Vec<String> = words(CONSOLE).chain(words(PROCESSORS)).collect();
        for medium in MEDIA {
            let path = media.path().join(medium.name);
            let file = File::create(&path).and_then(|file| file.set_len(medium.size_mib << 20));
            file.map_err(|e| format!("{}: {e}", path.display()))?;
            arguments.extend(drive(medium.name, &path));
        }
        arguments.extend(drive(SECOND_PATH, &media.path().join("twin")));
        arguments.extend(words(NVME).chain(words(OTHERS)));
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

fn words(lines: &[&'static str]) -> impl Iterator<Item = String> {
    lines.iter().flat_map(|line| line.split(' ')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A medium that no drive has, or a drive without medium, is a mistake in this file.
    #[test]
    fn every_medium_has_its_drive() {
        let lines = words(NVME).chain(words(OTHERS)).collect::<Vec<_>>();
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
