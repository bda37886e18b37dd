//! Options that belong to one engine or a few.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const URING: &[&str] = &["io_uring", "io_uring_cmd"];
const BASE: OptionDef = OptionDef { engines: URING, ..OptionDef::BASE };
const FLAG: OptionDef = OptionDef { engines: URING, ..OptionDef::FLAG };
const OFF: OptionDef = OptionDef { engines: URING, ..OptionDef::OFF };

table! {
    /// Polled completions.
    HIPRI: bool = OptionDef {
        name: "hipri", engines: &["io_uring", "io_uring_cmd", "pvsync2"],
        help: "poll the device for completions; needs direct=1 and poll queues", ..FLAG
    };
    /// Registered buffers.
    FIXEDBUFS: bool = OptionDef {
        name: "fixedbufs",
        status: OptionStatus::Differently("always on where the kernel allows it; the result says whether it was"),
        help: "register the buffers once, so that the kernel need not map them for each I/O", ..FLAG
    };
    /// Registered files.
    REGISTERFILES: bool = OptionDef {
        name: "registerfiles",
        status: OptionStatus::Differently("always on where the kernel allows it; the result says whether it was"),
        help: "register the files once, so that the kernel need not look them up for each I/O", ..FLAG
    };
    /// Kernel thread submits.
    SQTHREAD_POLL: bool = OptionDef {
        name: "sqthread_poll",
        help: "a kernel thread watches the submission ring, so that submitting needs no system call", ..FLAG
    };
    /// CPU of that thread.
    SQTHREAD_POLL_CPU: Option<u32> = OptionDef {
        name: "sqthread_poll_cpu", kind: Kind::COUNT,
        help: "CPU number of the kernel thread of sqthread_poll", ..BASE
    };
    /// Never block.
    NOWAIT: bool = OptionDef {
        name: "nowait", engines: &["io_uring", "io_uring_cmd", "libaio", "pvsync2"],
        help: "RWF_NOWAIT: fail with EAGAIN rather than block in submission", ..OFF
    };
    /// Drop pages after use.
    UNCACHED: bool = OptionDef {
        name: "uncached", engines: &["io_uring", "io_uring_cmd", "pvsync2"],
        help: "RWF_DONTCACHE: buffered I/O that leaves nothing in the page cache", ..OFF
    };
    /// Every N-th I/O by a kernel worker.
    FORCE_ASYNC: u32 = OptionDef {
        name: "force_async", kind: Kind::COUNT, default: "0",
        help: "give every N-th I/O to a kernel worker thread; 0 is none", ..BASE
    };
    /// Reap without a system call.
    USERSPACE_REAP: bool = OptionDef {
        name: "userspace_reap", engines: &["libaio"],
        status: OptionStatus::Differently("always on where the kernel's ring can be read; the result says whether it was"),
        help: "take completions from the shared ring, without a system call", ..FLAG
    };
}
