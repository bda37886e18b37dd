//! How I/O reaches the kernel, the options of single engines, and how many I/Os are in flight.

use crate::direction::PerDirection;
use crate::option::{Kind, OptionDef, OptionRelation, OptionStatus};
use crate::table;
use crate::units::Nanos;

const BASE: OptionDef = OptionDef::BASE;
const URING: &[&str] = &["io_uring", "io_uring_cmd"];
const URING_BASE: OptionDef = OptionDef { engines: URING, ..OptionDef::BASE };
const URING_FLAG: OptionDef = OptionDef { engines: URING, ..OptionDef::FLAG };
const ORACLE_BASE: OptionDef = OptionDef { engines: &["oracle"], source: "fathom", ..OptionDef::BASE };
const MIXED_PRIO: OptionDef = OptionDef {
    engines: &["io_uring", "io_uring_cmd", "libaio"],
    refused_engines: &[("io_uring_cmd", "the kernel gives no priority to a command")],
    ..OptionDef::BASE
};
const CPU_BASE: OptionDef = OptionDef { engines: &["cpuio"], ..OptionDef::BASE };
/// No engine keeps more than this in flight: io_uring's completion ring ends
/// at 65,536 entries (IORING_MAX_CQ_ENTRIES).
const DEPTH_MAX: i64 = 65_536;
const BATCH: &str = "if not given, one call submits all I/Os that are ready and one call takes all \
    completions; fio's default is one I/O at a time";
const DEPTH_BASE: OptionDef = OptionDef { kind: Kind::Int { min: 0, max: DEPTH_MAX }, ..OptionDef::BASE };

table! {
    // How I/O reaches the kernel.
    IOENGINE: String = OptionDef {
        name: "ioengine", default: "psync",
        help: "how I/O is issued: sync, psync, vsync, pvsync, pvsync2, libaio, posixaio, io_uring, io_uring_cmd, sg, mmap, null, nop, oracle, sim; \
            falloc and ftruncate change the space of files; cpuio uses a CPU; \
            filecreate, filestat, filedelete, filerename, dircreate, dirstat and dirdelete do an operation on a name for each I/O",
        ..BASE
    };
    DIRECT: bool = OptionDef {
        name: "direct", relation: OptionRelation::Opposite("buffered"),
        help: "open with O_DIRECT, which bypasses the page cache", ..OptionDef::OFF
    };
    BUFFERED: bool = OptionDef {
        name: "buffered", relation: OptionRelation::Opposite("direct"),
        help: "the opposite of direct", ..OptionDef::ON
    };
    IO_SUBMIT_MODE: &'static str = OptionDef {
        name: "io_submit_mode", kind: Kind::Word(&[("inline", "inline"), ("offload", "offload")]), default: "inline",
        status: OptionStatus::Differently("a worker's schedule never waits for a completion, so with offload too it submits its \
            own I/O, without the time of a second thread; a synchronous engine with iodepth above 1 is an error"),
        help: "who submits I/O: the worker, or threads that it gives each I/O to (offload)", ..BASE
    };
    SERIALIZE_OVERLAP: bool = OptionDef {
        name: "serialize_overlap", help: "hold back an I/O that overlaps one in flight of the same job, until that is complete",
        status: OptionStatus::Differently("each file has its own offsets, and with io_submit_mode=offload, too, the I/Os of one job are \
            compared with each other alone"),
        ..OptionDef::OFF
    };
    // Options that belong to one engine or a few.
    HIPRI: bool = OptionDef {
        name: "hipri", engines: &["io_uring", "io_uring_cmd", "pvsync2", "sg"],
        help: "poll the device for completions; needs direct=1 and poll queues", ..OptionDef::FLAG
    };
    FIXEDBUFS: bool = OptionDef {
        name: "fixedbufs",
        status: OptionStatus::Differently("always on where the kernel allows it; the result says whether it was"),
        help: "register the buffers once, so that the kernel need not map them for each I/O", ..URING_FLAG
    };
    REGISTERFILES: bool = OptionDef {
        name: "registerfiles",
        status: OptionStatus::Differently("always on where the kernel allows it; the result says whether it was"),
        help: "register the files once, so that the kernel need not look them up for each I/O", ..URING_FLAG
    };
    SQTHREAD_POLL: bool = URING_FLAG.row("sqthread_poll",
        "a kernel thread watches the submission ring, so that submitting needs no system call");
    SQTHREAD_POLL_CPU: Option<u32> = URING_BASE.of("sqthread_poll_cpu", Kind::COUNT, "",
        "CPU number of the kernel thread of sqthread_poll");
    NOWAIT: bool = OptionDef {
        name: "nowait", engines: &["io_uring", "io_uring_cmd", "libaio", "pvsync2"],
        refused_engines: &[("io_uring_cmd", "the kernel has no RWF_NOWAIT for a command")],
        help: "RWF_NOWAIT: fail with EAGAIN rather than block in submission", ..OptionDef::OFF
    };
    UNCACHED: bool = OptionDef {
        name: "uncached", engines: &["io_uring", "io_uring_cmd", "pvsync2"],
        refused_engines: &[("io_uring_cmd", "a command never uses the page cache")],
        help: "RWF_DONTCACHE: buffered I/O that leaves nothing in the page cache", ..OptionDef::OFF
    };
    ATOMIC: bool = OptionDef {
        name: "atomic", help: "RWF_ATOMIC: each write is done whole or not at all, also when the power fails; implies direct=1",
        status: OptionStatus::Differently("the target is asked for its limits before the job; what it does not promise is an error. fio 3.33 \
            opens with O_ATOMIC, which Linux ignores, so its writes are plain"),
        ..OptionDef::OFF
    };
    FORCE_ASYNC: u32 = URING_BASE.of("force_async", Kind::COUNT, "0",
        "give every N-th I/O to a kernel worker thread; 0 is none");
    USERSPACE_REAP: bool = OptionDef {
        name: "userspace_reap", engines: &["libaio"],
        status: OptionStatus::Differently("always on where the kernel's ring can be read; the result says whether it was"),
        help: "take completions from the shared ring, without a system call", ..OptionDef::FLAG
    };
    LIBAIO_VECTORED: bool = OptionDef {
        name: "libaio_vectored", engines: &["libaio"],
        help: "submit preadv and pwritev of one buffer rather than pread and pwrite", ..OptionDef::OFF
    };
    HIPRI_PERCENTAGE: u32 = OptionDef {
        name: "hipri_percentage", kind: Kind::PERCENT, default: "100", engines: &["pvsync2"],
        help: "with hipri: percent of the I/Os that are polled for, drawn at random", ..BASE
    };
    THP: u32 = OptionDef {
        name: "thp", kind: Kind::COUNT, default: "0", engines: &["mmap"],
        help: "with any number but 0: ask for transparent huge pages, madvise(2) with MADV_HUGEPAGE", ..BASE
    };
    // Which I/Os have a raised priority.
    CMDPRIO_PERCENTAGE: PerDirection<u32> = MIXED_PRIO.of("cmdprio_percentage", Kind::PerDirection(&Kind::PERCENT), "0",
        "percent of I/Os with raised priority, drawn at random");
    CMDPRIO_CLASS: Option<PerDirection<u32>> = MIXED_PRIO.of("cmdprio_class",
        Kind::PerDirection(&Kind::Int { min: 1, max: 3 }), "",
        "priority class of the I/Os with raised priority: 1 real-time (if not given), 2 best effort, 3 idle");
    CMDPRIO_HINT: PerDirection<u32> = MIXED_PRIO.of("cmdprio_hint",
        Kind::PerDirection(&Kind::Int { min: 0, max: 1023 }), "0", "priority hint of the I/Os with raised priority");
    CMDPRIO: PerDirection<u32> = MIXED_PRIO.of("cmdprio", Kind::PerDirection(&Kind::Int { min: 0, max: 7 }), "0",
        "priority level of the I/Os with raised priority");
    CMDPRIO_BSSPLIT: Option<String> = MIXED_PRIO.row("cmdprio_bssplit",
        "percent of I/Os with raised priority by block size: `size/percent:size/percent/class/level`, and after a comma \
            those of writes");
    // The load of cpuio.
    CPULOAD: u32 = CPU_BASE.of("cpuload", Kind::COUNT, "0", "percent of one CPU to use; above 100 is 100");
    CPUCHUNKS: Nanos = CPU_BASE.of("cpuchunks", Kind::MICROS, "50000",
        "length of a burn, after which the rest of the time is a pause (bare number: microseconds)");
    CPUMODE: &'static str = CPU_BASE.of("cpumode", Kind::Word(&[("noop", "noop"), ("qsort", "qsort")]), "noop",
        "what a burn does: read the clock, or sort numbers");
    EXIT_ON_IO_DONE: bool = OptionDef {
        name: "exit_on_io_done", engines: &["cpuio"],
        help: "end when all jobs with I/O have ended", ..OptionDef::OFF
    };
    STAT_TYPE: &'static str = OptionDef {
        name: "stat_type", kind: Kind::Word(&[("stat", "stat"), ("lstat", "lstat"), ("statx", "statx")]),
        default: "stat", engines: &["filestat", "dirstat"],
        help: "which call asks for the attributes", ..BASE
    };
    // Options of the `oracle` engine: how long its I/Os take.
    ORACLE_LATENCY: String = OptionDef {
        name: "oracle_latency", default: "constant:100us",
        help: "how long I/Os take: constant:100us, bimodal:80us:2ms:1% (one in a hundred takes 2ms), \
            pareto:50us:1.5 (smallest and shape), lognormal:80us:0.5 (median and sigma), queue:50us (one \
            after the other, 50us each)",
        ..ORACLE_BASE
    };
    ORACLE_STALL: Option<String> = ORACLE_BASE.row("oracle_stall",
        "START:LENGTH, counted from the first I/O: no I/O completes in that span; at its end, all \
            that are due complete");
    ORACLE_CLOCK: &'static str = OptionDef {
        name: "oracle_clock", kind: Kind::Word(&[("real", "real"), ("virtual", "virtual")]), default: "real",
        help: "virtual: the clock of the run is simulated and advances only while its jobs wait, so that every \
            figure is known in advance, and a second run gives the same result; hours take seconds. All \
            jobs of a run need it, or none",
        ..ORACLE_BASE
    };
    // How many I/Os are in flight, and in what batches.
    IODEPTH: u32 = DEPTH_BASE.of("iodepth", Kind::Int { min: 1, max: DEPTH_MAX }, "1",
        "I/Os that each worker keeps in flight; synchronous engines keep only 1");
    IODEPTH_BATCH: Option<u32> = OptionDef {
        name: "iodepth_batch", aliases: &["iodepth_batch_submit"], status: OptionStatus::Differently(BATCH),
        help: "I/Os per submit call; 0 is iodepth", ..DEPTH_BASE
    };
    IODEPTH_BATCH_COMPLETE_MIN: Option<u32> = OptionDef {
        name: "iodepth_batch_complete_min", aliases: &["iodepth_batch_complete"],
        status: OptionStatus::Differently(BATCH),
        help: "completions to wait for before the job goes on; 0 takes those that are ready, without \
            waiting", ..DEPTH_BASE
    };
    IODEPTH_BATCH_COMPLETE_MAX: Option<u32> = OptionDef {
        name: "iodepth_batch_complete_max", status: OptionStatus::Differently(BATCH),
        help: "largest number of completions taken at a time", ..DEPTH_BASE
    };
    IODEPTH_LOW: Option<u32> = DEPTH_BASE.row("iodepth_low",
        "once iodepth I/Os are in flight, issue no more until only this many are; iodepth if not given");
    COMPAT: &'static str = OptionDef {
        name: "compat", kind: Kind::Word(&[("none", "none"), ("fio", "fio")]), default: "none",
        source: "fathom",
        help: "fio: submit and reap exactly as fio does, with one system call per I/O unless the job sets \
            a batch, and draw by fio's formulas for random_distribution; slower, meant for comparisons with fio",
        ..DEPTH_BASE
    };
}
