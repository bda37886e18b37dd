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
    SG.of("stream_id", Kind::COUNT, "0", "stream of WRITE STREAM");
    OptionDef { name: "write_mode", default: "write", help: "NVMe command used to write", ..URING_CMD };
    OptionDef { name: "verify_mode", default: "read", help: "NVMe command used to verify", ..URING_CMD };
    OptionDef { name: "read_mode", default: "read", help: "SCSI command used to read", ..URING_CMD };
    URING_CMD.of("cmd_type", Kind::Word(&[("nvme", "nvme"), ("bsg", "bsg")]), "nvme",
        "kind of pass-through command");
    URING_CMD.of("cdb_len", Kind::COUNT, "", "bytes of a SCSI command");
    URING_CMD.of("verify_bytchk", Kind::COUNT, "", "BYTCHK field of VERIFY");
    URING_CMD.of("md_per_io_size", Kind::BYTES, "0", "bytes of metadata for each I/O");
    URING_CMD.of("pi_act", Kind::Bool, "1", "the device generates the protection information");
    URING_CMD.row("pi_chk", "which protection fields are checked");
    URING_CMD.of("apptag", Kind::COUNT, "0x1234", "application tag");
    URING_CMD.of("apptag_mask", Kind::COUNT, "0xffff", "application tag mask");
    URING_CMD.off("deac", "deallocate on WRITE ZEROES");
    CPUIO.of("cpuload", Kind::PERCENT, "", "percent of a CPU to keep busy");
    CPUIO.of("cpumode", Kind::Word(&[("noop", "noop"), ("qsort", "qsort")]), "noop",
        "how the CPU is kept busy");
    CPUIO.of("cpuchunks", Kind::COUNT, "50000", "microseconds of each burst");
    CPUIO.off("exit_on_io_done", "end when the jobs that do I/O have ended");
    EXEC.row("program", "program to run");
    EXEC.row("arguments", "arguments of the program");
    EXEC.of("grace_time", Kind::COUNT, "1", "seconds before the program is killed");
    EXEC.of("std_redirect", Kind::Bool, "1", "write the program's output to files");
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
    MIXED_PRIO.of("cmdprio_percentage", Kind::PerDirection(&Kind::PERCENT), "0",
        "percent of I/Os with raised priority");
    MIXED_PRIO.of("cmdprio_class", Kind::Int { min: 1, max: 3 }, "",
        "priority class of the I/Os with raised priority");
    MIXED_PRIO.of("cmdprio_hint", Kind::Int { min: 0, max: 1023 }, "0",
        "priority hint of the I/Os with raised priority");
    MIXED_PRIO.of("cmdprio", Kind::Int { min: 0, max: 7 }, "",
        "priority level of the I/Os with raised priority");
    MIXED_PRIO.row("cmdprio_bssplit", "percent of I/Os with raised priority, for each block size");
}
