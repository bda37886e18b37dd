//! Facts that are in no file: only an ioctl or another system call gives them.
//!
//! Each is a [`Question`] with a name. A live machine is asked. For a recorded machine the capture
//! has put the answer, byte for byte, under [`BESIDE`]`/asked/NAME`, so a check sees no difference.
//!
//! Asking changes nothing: the NVMe commands here are Identify, Get Log Page
//! and Get Features.

mod attached;
mod file;
mod live;

pub use live::identify_open;

use std::io;
use std::path::{Path, PathBuf};

use crate::device::DevNumber;
use crate::root::{BESIDE, Root, Unknown, Why};

/// Something to ask the kernel or a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Identify Controller of `/dev/NAME` (4,096 bytes).
    NvmeController {
        /// Controller, `nvme0`.
        controller: String,
    },
    /// Identify Namespace (4,096 bytes).
    NvmeNamespace {
        /// Controller, `nvme0`.
        controller: String,
        /// Namespace, from 1.
        nsid: u32,
    },
    /// A log page, of the controller as a whole.
    NvmeLog {
        /// Controller, `nvme0`.
        controller: String,
        /// Page: 2 health, 6 self-test, 0x81 sanitize.
        page: u8,
        /// How much of it.
        len_bytes: usize,
    },
    /// The current value of a feature, four bytes, little endian.
    NvmeFeature {
        /// Controller, `nvme0`.
        controller: String,
        /// Feature: 2 power, 6 volatile write cache, 8 coalescing, 0x0c
        /// autonomous power states.
        feature: u8,
    },
    /// The space of the file system mounted at the path: size, free and
    /// available bytes as decimal text.
    Space {
        /// Any path on it.
        path: PathBuf,
    },
    /// Soft and hard value of a limit of this process, as decimal text or
    /// `unlimited`.
    Limit {
        /// The limit that is read.
        limit: Limit,
    },
    /// `ActiveState` and `UnitFileState` of a systemd unit, as `active enabled`.
    Unit {
        /// Unit, `irqbalance.service`.
        unit: String,
    },
    /// What of a file is stored: `SIZE WRITTEN UNWRITTEN EXTENTS`, the first
    /// three in bytes.
    Extents {
        /// The file.
        path: PathBuf,
    },
    /// Whether a file can be opened for direct I/O: `MEMORY OFFSET`, the alignment that it needs in
    /// bytes; `accepted` where the kernel does not report that; `refused`.
    DirectIo {
        /// The file.
        path: PathBuf,
    },
    /// The shape of an ext4 file system, out of its superblock: `BLOCK STRIDE
    /// STRIPE`, a block in bytes and the others in blocks.
    Ext4Shape {
        /// Kernel name of its device, `sda2`.
        device: String,
    },
    /// The table of a device-mapper device: lines of `START LENGTH TYPE`, and
    /// for crypt its options.
    MapperTable {
        /// Kernel name, `dm-0`.
        device: String,
        /// Its number.
        number: DevNumber,
    },
    /// The file behind a loop device: `DEVICE INODE` of the file, and the number
    /// of the block device where the file is the node of one.
    LoopBacking {
        /// Kernel name, `loop3`.
        device: String,
    },
    /// `NextElapse…` of the timers of systemd, as its own list prints them.
    Timers,
    /// How much of a file is in the page cache: cached and whole size, in
    /// bytes as decimal text.
    Cached {
        /// The file.
        path: PathBuf,
    },
    /// What is at both ends of a block device and at the places of spare
    /// superblocks, in the text form of
    /// [`crate::signature::Contents`]: names of formats, never data.
    Contents {
        /// Kernel name, `nvme0n1p2`.
        node: String,
    },
}

/// A limit of a process (getrlimit(2)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Bytes that may be locked in memory.
    MemLock,
    /// Files that may be open.
    NoFile,
}

impl Question {
    /// Where a recorded tree holds the answer.
    pub fn path(&self) -> PathBuf {
        Path::new(BESIDE).join("asked").join(self.name())
    }

    fn name(&self) -> String {
        match self {
            Self::NvmeController { controller } => format!("{controller}/identify-controller"),
            Self::NvmeNamespace { controller, nsid } => format!("{controller}/identify-namespace-{nsid}"),
            Self::NvmeLog { controller, page, .. } => format!("{controller}/log-{page:02x}"),
            Self::NvmeFeature { controller, feature } => format!("{controller}/feature-{feature:02x}"),
            Self::Space { path } => {
                format!("space{}", path.display()).trim_end_matches('/').to_owned() + ".space"
            }
            Self::Limit { limit: Limit::MemLock } => "limit-memlock".to_owned(),
            Self::Limit { limit: Limit::NoFile } => "limit-nofile".to_owned(),
            Self::Unit { unit } => format!("unit/{unit}"),
            Self::Extents { path } => format!("extents{}", path.display()),
            Self::DirectIo { path } => format!("direct-io{}", path.display()),
            Self::Ext4Shape { device } => format!("ext4-shape/{device}"),
            Self::MapperTable { device, .. } => format!("mapper-table/{device}"),
            Self::LoopBacking { device } => format!("loop-backing/{device}"),
            Self::Timers => "timers".to_owned(),
            Self::Cached { path } => format!("cached{}.cached", path.display()),
            Self::Contents { node } => format!("contents/{node}"),
        }
    }
}

impl Root {
    /// The answer's bytes.
    pub fn ask(&self, question: &Question) -> Result<Vec<u8>, Unknown> {
        if !self.is_live() {
            return self.read_bytes(question.path());
        }
        let answer = live::answer(question);
        let kept = answer.clone().map_err(|unknown| match unknown.why {
            Why::Denied => io::Error::from_raw_os_error(libc::EACCES),
            Why::Missing => io::Error::from_raw_os_error(libc::ENOENT),
            Why::Silent => io::Error::from_raw_os_error(libc::ETIMEDOUT),
            Why::Garbled | Why::Failed => io::Error::from_raw_os_error(libc::EIO),
        });
        self.note(|trace| trace.file(&question.path(), &kept));
        answer
    }

    /// The answer as text without surrounding white space.
    pub fn ask_text(&self, question: &Question) -> Result<String, Unknown> {
        Ok(String::from_utf8_lossy(&self.ask(question)?).trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_machine_answers_from_its_tree() {
        let mut tree = crate::tree::Tree::default();
        tree.overlay("/.fathom/asked/unit/irqbalance.service = active enabled\n").unwrap();
        let root = Root::held(&tree);
        let unit = |name: &str| Question::Unit { unit: name.to_owned() };
        assert_eq!(root.ask_text(&unit("irqbalance.service")).unwrap(), "active enabled");
        assert!(root.ask_text(&unit("tuned.service")).is_err());
    }

    #[test]
    fn this_machine_answers_for_itself() {
        let root = Root::live();
        let limit = root.ask_text(&Question::Limit { limit: Limit::NoFile }).unwrap();
        assert_eq!(limit.split(' ').count(), 2, "{limit}");
        let space = root.ask_text(&Question::Space { path: "/".into() }).unwrap();
        assert_eq!(space.split(' ').filter(|word| word.parse::<u64>().is_ok()).count(), 3, "{space}");
    }
}
