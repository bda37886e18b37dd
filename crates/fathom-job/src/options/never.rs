//! Options that fathom will not honour, by design, and those that fio itself
//! no longer does.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::rows;

const PROGRAMS: OptionDef = refused("a job file never runs programs; run them around fathom");
const CGROUP: OptionDef =
    refused("fathom does not move itself between control groups; start it in one: systemd-run --scope -p …");
const USER: OptionDef = refused("fathom does not change its user; start it as the user you want");
const DEAD: OptionDef = without_effect("fio dropped it: fio accepts it with a message and ignores it");

/// A row that is refused for this reason.
const fn refused(why: &'static str) -> OptionDef {
    OptionDef { status: OptionStatus::Refused(why), ..OptionDef::BASE }
}

/// A row that is accepted and does nothing, for this reason.
const fn without_effect(why: &'static str) -> OptionDef {
    OptionDef { status: OptionStatus::NoEffect(why), ..OptionDef::BASE }
}

rows! {
    OptionDef {
        name: "allow_mounted_write", kind: Kind::Bool, default: "0",
        help: "write to a mounted device",
        ..refused("fathom never writes to what is mounted, and no option changes that")
    };
    OptionDef { name: "exec_prerun", help: "shell command before the job", ..PROGRAMS };
    OptionDef { name: "exec_postrun", help: "shell command after the job", ..PROGRAMS };
    OptionDef {
        name: "ioscheduler", help: "I/O scheduler to set on the disk",
        ..refused("a job file never changes the machine: set /sys/block/DISK/queue/scheduler beforehand")
    };
    OptionDef {
        name: "lockmem", kind: Kind::BYTES, default: "0",
        help: "bytes of memory to lock, to leave less for the page cache",
        ..refused("limit the memory with a control group instead: systemd-run --scope -p MemoryMax=…")
    };
    OptionDef {
        name: "profile", help: "fio's built-in procedure",
        ..refused("fio's built-in profiles are not part of fathom; write the jobs out")
    };
    OptionDef { name: "cgroup", help: "control group of the job", ..CGROUP };
    OptionDef {
        name: "cgroup_weight", kind: Kind::Int { min: 100, max: 1000 },
        help: "weight of the control group", ..CGROUP
    };
    OptionDef {
        name: "cgroup_nodelete", kind: Kind::Bool, default: "0",
        help: "keep the control group afterwards", ..CGROUP
    };
    OptionDef { name: "uid", kind: Kind::COUNT, help: "user of the job", ..USER };
    OptionDef { name: "gid", kind: Kind::COUNT, help: "group of the job", ..USER };
    OptionDef {
        name: "comm", help: "name of the job's process",
        ..refused("workers are named after their job")
    };
    OptionDef {
        name: "unique_filename", kind: Kind::Bool, default: "1",
        help: "put the client's address in file names",
        ..refused("fio's client and server are not part of fathom")
    };
    OptionDef {
        name: "gpu_dev_id", help: "GPU whose memory is used",
        ..refused("buffers in GPU memory are not supported")
    };
    OptionDef {
        name: "percentage_sequential", kind: Kind::PERCENT, help: "dropped by fio",
        ..refused("fio dropped it; use percentage_random with 100 minus this percentage")
    };
    OptionDef {
        name: "rwmixcycle", kind: Kind::COUNT, help: "dropped by fio",
        ..refused("fio dropped it and refuses it; rwmixread applies to all I/Os")
    };
    OptionDef {
        name: "verifysort", kind: Kind::Bool, help: "dropped by fio", ..DEAD
    };
    OptionDef {
        name: "verifysort_nr", kind: Kind::COUNT, help: "dropped by fio", ..DEAD
    };
    OptionDef {
        name: "flow_watermark", kind: Kind::COUNT, help: "dropped by fio", ..DEAD
    };
}
