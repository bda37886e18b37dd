//! Options that fathom will not honour, by design, and those that fio itself
//! no longer does.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::rows;

const PROGRAMS: OptionDef = refused("a job file never runs programs; run them around fathom");
const CGROUP: OptionDef =
    refused("fathom does not move itself between control groups; start it in one: systemd-run --scope -p …");
const USER: OptionDef = refused("fathom does not change its user; start it as the user you want");
const DEAD: OptionDef = OptionDef {
    status: OptionStatus::NoEffect("fio dropped it: fio accepts it with a message and ignores it"),
    ..OptionDef::BASE
};

const fn refused(why: &'static str) -> OptionDef {
    OptionDef::refused(why)
}

rows! {
    refused("fathom never writes to what is mounted, and no option changes that")
        .off("allow_mounted_write", "write to a mounted device");
    PROGRAMS.row("exec_prerun", "shell command before the job");
    PROGRAMS.row("exec_postrun", "shell command after the job");
    refused("a job file never changes the machine: set /sys/block/DISK/queue/scheduler beforehand")
        .row("ioscheduler", "I/O scheduler to set on the disk");
    refused("limit the memory with a control group instead: systemd-run --scope -p MemoryMax=…")
        .of("lockmem", Kind::BYTES, "0", "bytes of memory to lock, to leave less for the page cache");
    refused("fio's built-in profiles are not part of fathom; write the jobs out")
        .row("profile", "fio's built-in procedure");
    CGROUP.row("cgroup", "control group of the job");
    CGROUP.of("cgroup_weight", Kind::Int { min: 100, max: 1000 }, "", "weight of the control group");
    CGROUP.off("cgroup_nodelete", "keep the control group afterwards");
    USER.of("uid", Kind::COUNT, "", "user of the job");
    USER.of("gid", Kind::COUNT, "", "group of the job");
    refused("workers are named after their job").row("comm", "name of the job's process");
    refused("fio's client and server are not part of fathom; start it on each host: ssh HOST fathom fio …")
        .of("unique_filename", Kind::Bool, "1", "put the client's address in file names");
    refused("buffers in GPU memory are not supported").row("gpu_dev_id", "GPU whose memory is used");
    refused("fio dropped it; use percentage_random with 100 minus this percentage")
        .of("percentage_sequential", Kind::PERCENT, "", "dropped by fio");
    refused("fio dropped it and refuses it; rwmixread applies to all I/Os")
        .of("rwmixcycle", Kind::COUNT, "", "dropped by fio");
    DEAD.of("verifysort", Kind::Bool, "", "dropped by fio");
    DEAD.of("verifysort_nr", Kind::COUNT, "", "dropped by fio");
    DEAD.of("flow_watermark", Kind::COUNT, "", "dropped by fio");
}
