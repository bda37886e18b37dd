//! Options that belong to one engine or a few.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const URING: &[&str] = &["io_uring", "io_uring_cmd"];
const BASE: OptionDef = OptionDef { engines: URING, ..OptionDef::BASE };
const FLAG: OptionDef = OptionDef { engines: URING, ..OptionDef::FLAG };
const OFF: OptionDef = OptionDef { engines: URING, ..OptionDef::OFF };

table! {
    HIPRI: bool = OptionDef {
        name: "hipri", engines: &["io_uring", "io_uring_cmd", "pvsync2"],
        help: "poll the device for completions; needs direct=1 and poll queues", ..FLAG
    };
    FIXEDBUFS: bool = OptionDef {
        name: "fixedbufs",
        status: OptionStatus::Differently("always on where the kernel allows it; the result says whether it was"),
        help: "register the buffers once, so that the kernel need not map them for each I/O", ..FLAG
    };
    REGISTERFILES: bool = OptionDef {
        name: "registerfiles",
        status: OptionStatus::Differently("always on where the kernel allows it; the result says whether it was"),
        help: "register the files once, so that the kernel need not look them up for each I/O", ..FLAG
    };
    SQTHREAD_POLL: bool = FLAG.row("sqthread_poll",
        "a kernel thread watches the submission ring, so that submitting needs no system call");
    SQTHREAD_POLL_CPU: Option<u32> = BASE.of("sqthread_poll_cpu", Kind::COUNT, "",
        "CPU number of the kernel thread of sqthread_poll");
    NOWAIT: bool = OptionDef {
        name: "nowait", engines: &["io_uring", "io_uring_cmd", "libaio", "pvsync2"],
        help: "RWF_NOWAIT: fail with EAGAIN rather than block in submission", ..OFF
    };
    UNCACHED: bool = OptionDef {
        name: "uncached", engines: &["io_uring", "io_uring_cmd", "pvsync2"],
        help: "RWF_DONTCACHE: buffered I/O that leaves nothing in the page cache", ..OFF
    };
    FORCE_ASYNC: u32 = BASE.of("force_async", Kind::COUNT, "0",
        "give every N-th I/O to a kernel worker thread; 0 is none");
    USERSPACE_REAP: bool = OptionDef {
        name: "userspace_reap", engines: &["libaio"],
        status: OptionStatus::Differently("always on where the kernel's ring can be read; the result says whether it was"),
        help: "take completions from the shared ring, without a system call", ..FLAG
    };
}
