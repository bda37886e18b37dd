//! Options of engines, or of parts of engines, that fathom does not have.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::rows;

/// Options of engines that are not built yet.
const fn engine(engines: &'static [&'static str]) -> OptionDef {
    OptionDef { engines, ..OptionDef::refused("not in this version: its engine is not built yet") }
}

const FOREIGN: OptionDef = OptionDef::BASE;
const SG: OptionDef = engine(&["sg"]);
const CPUIO: OptionDef = engine(&["cpuio"]);
const EXEC: OptionDef = engine(&["exec"]);
const URING_CMD: OptionDef = engine(&["io_uring_cmd"]);
const MIXED_PRIO: OptionDef = OptionDef {
    engines: &["io_uring", "io_uring_cmd", "libaio"],
    ..OptionDef::refused(
        "not in this version: a priority per I/O is not built yet; prio and prioclass set one for the job",
    )
};

rows! {
    OptionDef {
        name: "readfua", kind: Kind::Bool, default: "0", help: "force unit access on reads",
        engines: &["sg", "io_uring_cmd"], ..SG
    };
    OptionDef {
        name: "writefua", kind: Kind::Bool, default: "0", help: "force unit access on writes",
        engines: &["sg", "io_uring_cmd"], ..SG
    };
    OptionDef { name: "sg_write_mode", default: "write", help: "SCSI command used to write", ..SG };
    OptionDef { name: "stream_id", kind: Kind::COUNT, default: "0", help: "stream of WRITE STREAM", ..SG };
    OptionDef { name: "write_mode", default: "write", help: "NVMe command used to write", ..URING_CMD };
    OptionDef { name: "verify_mode", default: "read", help: "NVMe command used to verify", ..URING_CMD };
    OptionDef { name: "read_mode", default: "read", help: "SCSI command used to read", ..URING_CMD };
    OptionDef {
        name: "cmd_type", kind: Kind::Word(&[("nvme", "nvme"), ("bsg", "bsg")]), default: "nvme",
        help: "kind of pass-through command", ..URING_CMD
    };
    OptionDef { name: "cdb_len", kind: Kind::COUNT, help: "bytes of a SCSI command", ..URING_CMD };
    OptionDef { name: "verify_bytchk", kind: Kind::COUNT, help: "BYTCHK field of VERIFY", ..URING_CMD };
    OptionDef {
        name: "md_per_io_size", kind: Kind::BYTES, default: "0", help: "bytes of metadata for each I/O",
        ..URING_CMD
    };
    OptionDef {
        name: "pi_act", kind: Kind::Bool, default: "1",
        help: "the device generates the protection information",
        ..URING_CMD
    };
    OptionDef { name: "pi_chk", help: "which protection fields are checked", ..URING_CMD };
    OptionDef {
        name: "apptag", kind: Kind::COUNT, default: "0x1234", help: "application tag", ..URING_CMD
    };
    OptionDef {
        name: "apptag_mask", kind: Kind::COUNT, default: "0xffff", help: "application tag mask",
        ..URING_CMD
    };
    OptionDef {
        name: "deac", kind: Kind::Bool, default: "0", help: "deallocate on WRITE ZEROES", ..URING_CMD
    };
    OptionDef { name: "cpuload", kind: Kind::PERCENT, help: "percent of a CPU to keep busy", ..CPUIO };
    OptionDef {
        name: "cpumode", kind: Kind::Word(&[("noop", "noop"), ("qsort", "qsort")]), default: "noop",
        help: "how the CPU is kept busy", ..CPUIO
    };
    OptionDef {
        name: "cpuchunks", kind: Kind::COUNT, default: "50000", help: "microseconds of each burst", ..CPUIO
    };
    OptionDef {
        name: "exit_on_io_done", kind: Kind::Bool, default: "0",
        help: "end when the jobs that do I/O have ended",
        ..CPUIO
    };
    OptionDef { name: "program", help: "program to run", ..EXEC };
    OptionDef { name: "arguments", help: "arguments of the program", ..EXEC };
    OptionDef {
        name: "grace_time", kind: Kind::COUNT, default: "1",
        help: "seconds before the program is killed", ..EXEC
    };
    OptionDef {
        name: "std_redirect", kind: Kind::Bool, default: "1",
        help: "write the program's output to files", ..EXEC
    };
    OptionDef {
        name: "stat_type", kind: Kind::Word(&[("stat", "stat"), ("lstat", "lstat"), ("statx", "statx")]),
        default: "stat", help: "which stat call", ..engine(&["filestat", "dirstat"])
    };
    OptionDef {
        name: "nonvectored", kind: Kind::Int { min: -1, max: 1 }, default: "-1",
        engines: &["io_uring", "io_uring_cmd"], help: "use read and write rather than readv and writev",
        status: OptionStatus::NoEffect("plain read and write are always used: each I/O is one buffer"), ..FOREIGN
    };
    OptionDef {
        name: "libaio_vectored", kind: Kind::Bool, default: "0", engines: &["libaio"],
        help: "submit preadv and pwritev rather than pread and pwrite",
        ..OptionDef::refused("not in this version: libaio submits pread and pwrite; each I/O \
            is one buffer")
    };
    OptionDef {
        name: "hipri_percentage", kind: Kind::PERCENT, default: "100", engines: &["pvsync2"],
        help: "percent of I/Os that are polled for",
        ..OptionDef::refused("not in this version: with hipri, all I/Os are polled for")
    };
    OptionDef {
        name: "thp", kind: Kind::Bool, default: "0", engines: &["mmap"],
        help: "ask for transparent huge pages",
        ..OptionDef::refused("not in this version: mmap uses the pages that the file system \
            provides")
    };
    OptionDef {
        name: "cmdprio_percentage", kind: Kind::PerDirection(&Kind::PERCENT), default: "0",
        help: "percent of I/Os with raised priority", ..MIXED_PRIO
    };
    OptionDef {
        name: "cmdprio_class", kind: Kind::Int { min: 1, max: 3 },
        help: "priority class of the I/Os with raised priority",
        ..MIXED_PRIO
    };
    OptionDef {
        name: "cmdprio_hint", kind: Kind::Int { min: 0, max: 1023 }, default: "0",
        help: "priority hint of the I/Os with raised priority", ..MIXED_PRIO
    };
    OptionDef {
        name: "cmdprio", kind: Kind::Int { min: 0, max: 7 },
        help: "priority level of the I/Os with raised priority",
        ..MIXED_PRIO
    };
    OptionDef {
        name: "cmdprio_bssplit",
        help: "percent of I/Os with raised priority, for each block size", ..MIXED_PRIO
    };
}
