//! Advice about interrupts, block queues and what counters mean.

use super::{Advice, Standing};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "uninstall-irqbalance",
        advice: "Uninstall irqbalance, or disable it for good.",
        sources: &["V-14", "V-18", "M-17", "I-25"],
        standing: Standing::Harmful,
        instead: "Stop it for the run if interrupts that can be moved matter (network cards, some HBAs, virtio), and start \
                  it again: systemctl stop irqbalance, then start. Without it for good, all interrupts that nobody \
                  placed end on a few CPUs, and soft lockups have followed. To NVMe drives it makes no difference: \
                  their queue interrupts are managed by the kernel and cannot be moved by anybody.",
        checks: &["irq.daemon", "irq.managed"],
        words: &[
            "irqbalance",
            "uninstall irqbalance",
            "remove irqbalance",
            "disable irqbalance",
            "stop irqbalance",
        ],
    },
    Advice {
        id: "smp-affinity",
        advice: "Write a mask into /proc/irq/N/smp_affinity for each interrupt of each drive, and taskset the driver's \
                 worker threads.",
        sources: &["M-16", "M-19", "M-21", "V-13"],
        standing: Standing::Obsolete,
        instead: "For NVMe the kernel gives each CPU (or group of CPUs) its own queue and interrupt and keeps it there; \
                  such an interrupt is managed, and a write to its mask fails (newer kernels show the file as 0444). \
                  There are no worker threads to bind either. Choose the job's CPUs near the drive instead, and each \
                  completion comes back to the CPU that asked. Masks still matter for network cards, some HBAs and \
                  virtio: irq.unmanaged_place.",
        checks: &["irq.managed", "irq.unmanaged_place", "irq.queue_map"],
        words: &[
            "smp_affinity",
            "irq affinity",
            "interrupt affinity",
            "pin interrupts",
            "irq pinning",
            "fct worker",
            "set_irq_affinity",
        ],
    },
    Advice {
        id: "nr-requests-4096",
        advice: "Raise nr_requests to 4096.",
        sources: &["M-15"],
        standing: Standing::Obsolete,
        instead: "It sized a queue of the old single-queue block layer. How many I/Os are in flight is the job's iodepth \
                  today; without a scheduler, nr_requests is bounded by the tags that the drive gives (1,023 for many \
                  NVMe drives), and a bigger number is refused or cut. The gain of about 10 % that was measured once \
                  was on that old layer. Raise it only where the depth of the job exceeds it and a scheduler is in \
                  use.",
        checks: &["blk.nr_requests", "nvme.qdepth"],
        words: &["nr_requests", "nr_requests=4096", "queue depth sysfs"],
    },
    Advice {
        id: "elevator-boot",
        advice: "Boot with elevator=noop (or deadline).",
        sources: &["V-16"],
        standing: Standing::Obsolete,
        instead: "The parameter has had no effect since 5.0, and noop is called none. Write none into \
                  /sys/block/D/queue/scheduler for the run; NVMe drives have it by default on most distributions.",
        checks: &["blk.scheduler"],
        words: &["elevator", "elevator=noop", "noop", "deadline scheduler", "cfq", "elevator=deadline"],
    },
    Advice {
        id: "util-is-saturation",
        advice: "A disk at 95-100 % util (iostat, fio's disk statistics) is saturated.",
        sources: &["V-29", "T-36"],
        standing: Standing::Wrong,
        instead: "util is the share of time in which at least one I/O was under way. That meant saturation for a drive \
                  that does one thing at a time. A solid-state drive with 64 in flight is at 100 % at one percent of \
                  what it can do. Look for the knee instead: run the job at rising depths until latency grows and \
                  IOPS no longer do.",
        checks: &["noise.device"],
        words: &["util", "%util", "iostat util", "disk util", "utilisation", "utilization", "saturated"],
    },
    Advice {
        id: "ticks-times-hz",
        advice: "Multiply the ticks of fio's disk statistics by 4 ms (HZ=250) to get the time.",
        sources: &["T-35"],
        standing: Standing::Wrong,
        instead: "They are milliseconds already, whatever HZ is (the kernel converts them; Documentation/block/stat.rst). \
                  The sum over all requests may exceed the run time: divided by it, it is the mean number in flight \
                  (259 s of waiting in a run of 35 s: 7.4).",
        checks: &["blk.iostats"],
        words: &["ticks", "hz", "disk ticks", "in_queue", "ticks 4 ms", "hz=250"],
    },
    Advice {
        id: "read-ahead-units",
        advice: "blockdev --setra counts in 4 KiB blocks, so 128 is 512 KiB.",
        sources: &["T-45", "T-46", "T-47"],
        standing: Standing::Wrong,
        instead: "It counts in sectors of 512 bytes: 128 is 64 KiB. queue/read_ahead_kb counts in KiB: 128 there is 256 \
                  sectors. Several windows may be merged into one request, which is why requests on the drive looked \
                  bigger. Read-ahead acts on buffered reads only; with direct=1 it does nothing.",
        checks: &["blk.read_ahead"],
        words: &["setra", "blockdev --setra", "getra", "read ahead", "readahead", "read_ahead_kb"],
    },
    Advice {
        id: "batch-equals-depth",
        advice: "Set iodepth_batch to iodepth, because fio may limit the depth to 16.",
        sources: &["I-37"],
        standing: Standing::Wrong,
        instead: "No such limit was found: the default batch is 1 and does not cap the depth. A batch as big as the depth \
                  makes the queue drain and fill in waves, so the mean depth falls below what was asked for. Leave it \
                  alone, and look at the depths achieved, which every fathom result has.",
        checks: &["nvme.qdepth"],
        words: &["iodepth_batch", "batch", "iodepth batch", "limit to 16"],
    },
];
