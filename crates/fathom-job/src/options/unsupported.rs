//! Options that nothing reads: not built yet, of engines that fathom does not have, or refused by design.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::rows;

const PLACED: OptionDef = OptionDef::refused(
    "fathom was not tested with a drive that takes placement identifiers (QEMU has them since 8.0)",
    "write_hint= tells the drive how long data lives",
);
/// Options of fio's engine for NVMe commands that are about SCSI, or about data that fathom does not make.
const COMMAND: OptionDef = OptionDef {
    engines: &["io_uring_cmd"],
    ..OptionDef::refused(
        "only NVMe's Read, Write, Write Uncorrectable, Write Zeroes, Verify and Dataset Management are sent",
        "write_mode= chooses what a write sends",
    )
};
const LOCKED: OptionDef = OptionDef::refused(
    "a job that waits for a lock of another job would have that wait in its latencies",
    "stonewall or wait_for= in the later job runs jobs that share files one after the other; \
        without lockfile they share them as they are",
);
const SPRANDOM: OptionDef = OptionDef::refused(
    "sprandom assumes what the flash of a drive does",
    "fathom precondition writes a device until its rate is steady, and says so",
);
const PROGRAMS: OptionDef =
    OptionDef::refused("a job file never runs programs", "run them before and after fathom");
const CGROUP: OptionDef = OptionDef::refused(
    "fathom does not move itself between control groups",
    "start it in one: systemd-run --scope -p …",
);
const USER: OptionDef =
    OptionDef::refused("fathom does not change its user", "start fathom as the user you want");
const DEAD: OptionDef = OptionDef {
    status: OptionStatus::NoEffect("fio dropped it: fio accepts it with a message and ignores it"),
    ..OptionDef::BASE
};

rows! {
    // Data placement: known, not built yet.
    PLACED.off("fdp", "NVMe flexible data placement");
    OptionDef {
        name: "dataplacement", aliases: &["data_placement"],
        kind: Kind::Word(&[("none", "none"), ("fdp", "fdp"), ("streams", "streams")]), default: "none",
        help: "kind of data placement", ..PLACED
    };
    OptionDef {
        name: "plid_select", aliases: &["fdp_pli_select"],
        kind: Kind::Word(&[("roundrobin", "roundrobin"), ("random", "random"), ("scheme", "scheme")]),
        default: "roundrobin", help: "how placement identifiers are chosen", ..PLACED
    };
    OptionDef { name: "plids", aliases: &["fdp_pli"], help: "placement identifiers to use", ..PLACED };
    PLACED.row("dp_scheme", "file that maps offsets to placement identifiers");
    OptionDef {
        name: "nonvectored", kind: Kind::Int { min: -1, max: 1 }, default: "-1",
        engines: &["io_uring", "io_uring_cmd"], help: "use read and write rather than readv and writev",
        status: OptionStatus::NoEffect("plain read and write are always used: each I/O is one buffer"),
        ..OptionDef::BASE
    };
    COMMAND.row("verify_mode", "command that verifies: Read or Compare");
    COMMAND.row("read_mode", "command of a read, of a SCSI device");
    COMMAND.of("cdb_len", Kind::COUNT, "0", "bytes of a SCSI command");
    COMMAND.of("verify_bytchk", Kind::COUNT, "0", "BYTCHK of SCSI's Verify");
    // Options of many topics that fathom does not support yet. Each says what is missing, and what to use instead where there is something.
    OptionDef::refused("the time of a cycle is not fixed on a CPU whose frequency \
            changes", "thinktime with thinktime_spin")
        .of("thinkcycles", Kind::COUNT, "0", "pause counted in CPU cycles");
    OptionDef::refused("a file that was admitted stays the same file for the whole run",
            "unlink=1 removes the files when the job has ended, and ioengine=filedelete measures how long removing takes")
        .off("unlink_each_loop", "remove the files after each loop");
    OptionDef {
        name: "lockfile",
        kind: Kind::Word(&[("none", "none"), ("exclusive", "exclusive"), ("readwrite", "readwrite")]),
        default: "none", help: "lock files during I/O", ..LOCKED
    };
    OptionDef::refused("no Linux kernel since 2.6.37 has write barriers", "fsync or fdatasync")
        .of("write_barrier", Kind::COUNT, "0", "a barrier every N writes");
    OptionDef {
        name: "job_start_clock_id", kind: Kind::COUNT, default: "0", help: "clock of job_start in fio's JSON",
        status: OptionStatus::NoEffect("fathom prints the JSON of fio 3.33, which has no job_start"),
        ..OptionDef::BASE
    };
    OptionDef::refused("a drive gives an offset other flash at each write, so the trims of an offset until it fails are of no block \
            that wears out, and fio 3.33 ends with a failed assertion where it would print them of more than one block",
            "continue_on_error=io counts the trims that fail")
        .off("block_error_percentiles", "errors by block, for trim endurance");
    SPRANDOM.off("sprandom", "precondition the device at random in one pass");
    SPRANDOM.of("spr_num_regions", Kind::COUNT, "100", "regions of the pass of sprandom");
    SPRANDOM.of("spr_op", Kind::Float { min: 0.0, max: 1.0 }, "0.15",
        "over-provisioning that sprandom assumes");
    SPRANDOM.of("spr_cs", Kind::BYTES, "0", "bytes of cache that sprandom assumes");
    // Options that fathom will not honour, by design, and those that fio itself no longer does.
    OptionDef::refused("fathom never writes to what is mounted, and no option changes that",
            "unmount it first, or use a file of its file system as the target").or_left_out()
        .off("allow_mounted_write", "write to a mounted device");
    PROGRAMS.row("exec_prerun", "shell command before the job");
    PROGRAMS.row("exec_postrun", "shell command after the job");
    OptionDef::refused("a job file never changes the machine", "set /sys/block/DISK/queue/scheduler beforehand")
        .row("ioscheduler", "I/O scheduler to set on the disk");
    OptionDef::refused("fathom locks no memory to leave less for the page cache",
            "limit the memory with a control group: systemd-run --scope -p MemoryMax=…")
        .of("lockmem", Kind::BYTES, "0", "bytes of memory to lock, to leave less for the page cache");
    OptionDef::refused("fio's built-in profiles are not part of fathom", "write the jobs out")
        .row("profile", "fio's built-in procedure");
    CGROUP.row("cgroup", "control group of the job");
    CGROUP.of("cgroup_weight", Kind::Int { min: 100, max: 1000 }, "", "weight of the control group");
    CGROUP.or_left_out().off("cgroup_nodelete", "keep the control group afterwards");
    USER.of("uid", Kind::COUNT, "", "user of the job");
    USER.of("gid", Kind::COUNT, "", "group of the job");
    OptionDef::refused("workers are named after their job", "give the job the name that its workers should have")
        .or_left_out()
        .row("comm", "name of the job's process");
    OptionDef::refused("fio's client and server are not part of fathom", "start it on each host: ssh HOST fathom fio …")
        .or_left_out()
        .of("unique_filename", Kind::Bool, "1", "put the client's address in file names");
    OptionDef::refused("buffers in GPU memory are not supported", "iomem=malloc has them in the memory of this machine")
        .row("gpu_dev_id", "GPU whose memory is used");
    OptionDef::refused("fio dropped this option", "percentage_random with 100 minus this percentage")
        .of("percentage_sequential", Kind::PERCENT, "", "dropped by fio");
    OptionDef::refused("fio dropped it and refuses it", "rwmixread, which applies to all I/Os")
        .of("rwmixcycle", Kind::COUNT, "", "dropped by fio");
    DEAD.of("verifysort", Kind::Bool, "", "dropped by fio");
    DEAD.of("verifysort_nr", Kind::COUNT, "", "dropped by fio");
    OptionDef {
        name: "threads", kind: Kind::Bool, default: "0", source: "fio's profile tiobench",
        status: OptionStatus::NoEffect("fio has it for its profile tiobench alone, and ignores it in a job; numjobs= is the \
            number of workers"),
        help: "threads of fio's profile tiobench", ..OptionDef::BASE
    };
    DEAD.of("flow_watermark", Kind::COUNT, "", "dropped by fio");
}
