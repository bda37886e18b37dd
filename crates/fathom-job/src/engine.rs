//! What is known about an I/O engine by its name: one table for the planner, for the judgement of
//! a saved run, and for the engines themselves.
//!
//! The code of an engine is in another crate. Its entry there names its row in this table, and does
//! not compile without one.

use crate::direction::{Direction, PerDirection};

/// An I/O engine as the planner sees it.
#[derive(Clone, Copy, Debug)]
pub struct EngineDef {
    /// fio's name.
    pub name: &'static str,
    /// One line: how it issues I/O.
    pub help: &'static str,
    /// Most I/Os one worker can keep in flight; 1 for synchronous engines.
    pub depth_max: u32,
    /// Buffered I/O blocks in the submit call, so depth is only reached with
    /// `direct=1` (libaio).
    pub needs_direct_for_depth: bool,
    /// Directions it can issue.
    pub directions: PerDirection<bool>,
    /// Its I/Os are commands of a drive, which pass the block layer, and this is their kind.
    pub commands: Option<CommandSet>,
    /// It touches no file or device (null).
    pub diskless: bool,
    /// It maps its files: it cannot reach past the end of a file, and always uses the page cache.
    pub maps_files: bool,
    /// The kernel gives I/O that would block to threads of its own.
    pub hands_over_what_blocks: bool,
    /// A sync is queued like a write; the worker of another engine waits for each sync.
    pub queues_syncs: bool,
    /// It needs an io_uring, which a kernel or a container may forbid.
    pub needs_ring: bool,
    /// Its I/Os change what space files have and how long they are, reads too, and move no data.
    pub changes_space: bool,
    /// It uses a CPU and does no I/O.
    pub burns_cpu: bool,
    /// Each of its I/Os is one operation on a name, and moves no data.
    pub names: Option<NameWork>,
}

/// The kind of the commands that an engine sends to a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandSet {
    /// NVMe, to the generic character devices of namespaces.
    Nvme,
    /// SCSI, to disks and to their generic character devices.
    Scsi,
}

/// What a metadata engine does with each name (docs/adr/0027).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameWork {
    /// Makes a file: open with `O_CREAT`.
    CreateFile,
    /// Asks for the attributes of a file.
    StatFile,
    /// Removes a file.
    RemoveFile,
    /// Gives a file its other name, which is `NAME.renamed`, and the next time its first one.
    RenameFile,
    /// Makes a directory.
    CreateDirectory,
    /// Asks for the attributes of a directory.
    StatDirectory,
    /// Removes a directory.
    RemoveDirectory,
}

impl NameWork {
    /// Are the names those of files that the guard admits and layout makes before the job starts?
    pub const fn needs_files(self) -> bool {
        matches!(self, NameWork::StatFile | NameWork::RemoveFile)
    }

    /// Can each name have it once only, because it makes or removes the name?
    pub const fn is_once(self) -> bool {
        !matches!(self, NameWork::StatFile | NameWork::StatDirectory | NameWork::RenameFile)
    }

    /// Are the names those of directories?
    pub const fn is_of_directories(self) -> bool {
        matches!(self, NameWork::CreateDirectory | NameWork::StatDirectory | NameWork::RemoveDirectory)
    }
}

impl EngineDef {
    /// An engine that reads, writes and trims, one I/O at a time.
    const fn one_at_a_time(name: &'static str, help: &'static str) -> Self {
        Self {
            name,
            help,
            depth_max: 1,
            needs_direct_for_depth: false,
            directions: PerDirection { read: true, write: true, trim: true },
            commands: None,
            diskless: false,
            maps_files: false,
            hands_over_what_blocks: false,
            queues_syncs: false,
            needs_ring: false,
            changes_space: false,
            burns_cpu: false,
            names: None,
        }
    }

    /// One that does an operation on a name for each I/O.
    const fn of_names(name: &'static str, help: &'static str, work: NameWork) -> Self {
        let directions = PerDirection { read: true, write: true, trim: false };
        Self { names: Some(work), directions, ..Self::one_at_a_time(name, help) }
    }

    /// One that keeps up to `depth_max` of them in flight.
    const fn queued(name: &'static str, help: &'static str, depth_max: u32) -> Self {
        Self { depth_max, ..Self::one_at_a_time(name, help) }
    }

    /// Does one worker keep a single I/O in flight?
    pub const fn is_sync(&self) -> bool {
        self.depth_max == 1
    }

    /// Are its I/Os commands of a drive?
    pub const fn sends_commands(&self) -> bool {
        self.commands.is_some()
    }

    /// Do its I/Os move data?
    pub const fn moves_data(&self) -> bool {
        self.names.is_none() && !self.changes_space && !self.burns_cpu
    }

    /// Can it issue I/O in this direction?
    pub fn can(&self, direction: Direction) -> bool {
        self.directions[direction]
    }
}

/// The engine of simulated drives.
pub const SIM: &str = "sim";

/// Every engine. The kernel's rings hold at most 32,768 entries.
pub const ENGINES: &[EngineDef] = &[
    EngineDef::one_at_a_time("psync", "pread(2) and pwrite(2)"),
    EngineDef::one_at_a_time("sync", "lseek(2), read(2) and write(2)"),
    EngineDef::one_at_a_time("vsync", "lseek(2), readv(2) and writev(2)"),
    EngineDef::one_at_a_time("pvsync", "preadv(2) and pwritev(2)"),
    EngineDef::one_at_a_time("pvsync2", "preadv2(2) and pwritev2(2), with flags"),
    EngineDef {
        needs_direct_for_depth: true,
        ..EngineDef::queued("libaio", "the kernel's native asynchronous I/O, io_submit(2)", 65_536)
    },
    EngineDef::queued("posixaio", "aio_read(3) and aio_write(3), in threads of the C library", 65_536),
    EngineDef {
        hands_over_what_blocks: true,
        queues_syncs: true,
        needs_ring: true,
        ..EngineDef::queued("io_uring", "one io_uring for each worker", 32_768)
    },
    EngineDef {
        commands: Some(CommandSet::Nvme),
        queues_syncs: true,
        needs_ring: true,
        ..EngineDef::queued(
            "io_uring_cmd",
            "NVMe commands through an io_uring, past the block layer, to /dev/ngXnY",
            32_768,
        )
    },
    EngineDef {
        commands: Some(CommandSet::Scsi),
        ..EngineDef::one_at_a_time(
            "sg",
            "SCSI commands by ioctl(2) SG_IO, past the block layer, to /dev/sdX and /dev/sgN",
        )
    },
    EngineDef {
        maps_files: true,
        ..EngineDef::one_at_a_time("mmap", "loads and stores on a shared mapping")
    },
    EngineDef {
        diskless: true,
        ..EngineDef::queued("null", "completes every I/O at once without doing it", 65_536)
    },
    EngineDef {
        diskless: true,
        needs_ring: true,
        ..EngineDef::queued("nop", "io_uring's no-operation: the cost of a ring without I/O", 32_768)
    },
    EngineDef {
        diskless: true,
        queues_syncs: true,
        ..EngineDef::queued(
            SIM,
            "completes each I/O when a simulated drive has done it, in virtual time",
            65_536,
        )
    },
    EngineDef {
        diskless: true,
        // Every engine does a trim at once, so there is no latency to choose.
        directions: PerDirection { read: true, write: true, trim: false },
        ..EngineDef::queued(
            "oracle",
            "completes each I/O after a known latency, to check the measurement",
            65_536,
        )
    },
    EngineDef {
        changes_space: true,
        ..EngineDef::one_at_a_time(
            "falloc",
            "fallocate(2): a write allocates space, a read too but keeps the length, a trim punches a hole",
        )
    },
    EngineDef {
        changes_space: true,
        directions: PerDirection { read: false, write: true, trim: false },
        ..EngineDef::one_at_a_time("ftruncate", "ftruncate(2): a write makes the file end at its offset")
    },
    EngineDef {
        diskless: true,
        burns_cpu: true,
        directions: PerDirection { read: true, write: false, trim: false },
        ..EngineDef::one_at_a_time("cpuio", "uses a CPU for a part of the time, and does no I/O")
    },
    EngineDef::of_names(
        "filecreate",
        "makes a file for each I/O, openat(2) with O_CREAT",
        NameWork::CreateFile,
    ),
    EngineDef::of_names("filestat", "asks for the attributes of a file for each I/O", NameWork::StatFile),
    EngineDef::of_names("filedelete", "removes a file for each I/O, unlinkat(2)", NameWork::RemoveFile),
    EngineDef::of_names(
        "filerename",
        "gives a file another name for each I/O, renameat2(2)",
        NameWork::RenameFile,
    ),
    EngineDef::of_names("dircreate", "makes a directory for each I/O, mkdirat(2)", NameWork::CreateDirectory),
    EngineDef::of_names(
        "dirstat",
        "asks for the attributes of a directory for each I/O",
        NameWork::StatDirectory,
    ),
    EngineDef::of_names(
        "dirdelete",
        "removes a directory for each I/O, unlinkat(2)",
        NameWork::RemoveDirectory,
    ),
];

/// The row of that name; `None` for an engine that fathom does not have.
pub const fn named(name: &str) -> Option<&'static EngineDef> {
    let mut row = 0;
    while row < ENGINES.len() {
        if is_same(ENGINES[row].name.as_bytes(), name.as_bytes()) {
            return Some(&ENGINES[row]);
        }
        row += 1;
    }
    None
}

/// Compares two names. The operator `==` cannot be used in a `const fn` yet.
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([a, one @ ..], [b, other @ ..]) => *a == *b && is_same(one, other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_finds_its_row_and_stands_once() {
        for def in ENGINES {
            assert_eq!(named(def.name).unwrap().help, def.help, "{}", def.name);
        }
        assert!(named("psyn").is_none() && named("psyncs").is_none() && named("").is_none());
    }
}
