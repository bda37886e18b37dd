//! Advice about interrupts, block queues and what counters mean.

use super::{Advice, AdviceStanding};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "uninstall-irqbalance",
        advice: "Uninstall irqbalance, or disable it permanently.",
        sources: &["V-14", "V-18", "M-17", "I-25"],
        standing: AdviceStanding::Harmful,
        instead: "Stop it for the run if interrupts that can be moved matter (network cards, some HBAs, virtio), and \
                  start it again: systemctl stop irqbalance, then start. If it never runs, all interrupts that nobody \
                  placed are handled by a few CPUs, which has caused soft lockups. For NVMe drives it makes no \
                  difference: the kernel manages their queue interrupts, and nothing else can move them.",
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
        standing: AdviceStanding::Obsolete,
        instead: "For NVMe the kernel gives each CPU (or group of CPUs) its own queue and interrupt and keeps it \
                  there; such an interrupt is managed, and a write to its mask fails (newer kernels show the file as \
                  0444). There are no worker threads to bind either. Choose CPUs near the drive for the job instead, \
                  and each completion comes back to the CPU that submitted the I/O. Masks still matter for network \
                  cards, some HBAs and virtio (see irq.unmanaged_place).",
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
        standing: AdviceStanding::Obsolete,
        instead: "It set the size of a queue in the old single-queue block layer. Today the job's iodepth sets how \
                  many I/Os are in flight. Without a scheduler, nr_requests cannot exceed the tags of the drive (1,023 \
                  for many NVMe drives), and a larger number is refused or reduced. The gain of about 10 % was \
                  measured on the old layer. Raise it only where the depth of the job exceeds it and a scheduler is in \
                  use.",
        checks: &["blk.nr_requests", "nvme.qdepth"],
        words: &["nr_requests", "nr_requests=4096", "queue depth sysfs"],
    },
    Advice {
        id: "elevator-boot",
        advice: "Boot with elevator=noop (or deadline).",
        sources: &["V-16"],
        standing: AdviceStanding::Obsolete,
        instead: "The parameter has had no effect since 5.0, and noop is called none. Write none into \
                  /sys/block/D/queue/scheduler for the run; NVMe drives have it by default on most distributions.",
        checks: &["blk.scheduler"],
        words: &["elevator", "elevator=noop", "noop", "deadline scheduler", "cfq", "elevator=deadline"],
    },
    Advice {
        id: "util-is-saturation",
        advice: "A disk at 95-100 % util (iostat, fio's disk statistics) is saturated.",
        sources: &["V-29", "T-36"],
        standing: AdviceStanding::Wrong,
        instead: "util is the share of time in which at least one I/O was under way. That means saturation for a drive \
                  that does one I/O at a time. A solid-state drive that can do 64 or more at a time is already at 100 \
                  % with one I/O in flight, at a few per cent of what it can do. Search for the saturation point \
                  instead: run the job at rising depths until latency grows and IOPS no longer do.",
        checks: &["noise.device"],
        words: &["util", "%util", "iostat util", "disk util", "utilisation", "utilization", "saturated"],
    },
    Advice {
        id: "ticks-times-hz",
        advice: "Multiply the ticks of fio's disk statistics by 4 ms (HZ=250) to get the time.",
        sources: &["T-35"],
        standing: AdviceStanding::Wrong,
        instead: "They are milliseconds already, whatever HZ is (the kernel converts them; \
                  Documentation/block/stat.rst). The sum over all requests may exceed the run time. The sum divided by \
                  the run time is the mean number of requests in flight (259 s of waiting in a run of 35 s: 7.4).",
        checks: &["blk.iostats"],
        words: &["ticks", "hz", "disk ticks", "in_queue", "ticks 4 ms", "hz=250"],
    },
    Advice {
        id: "read-ahead-units",
        advice: "blockdev --setra counts in 4 KiB blocks, so 128 is 512 KiB.",
        sources: &["T-45", "T-46", "T-47"],
        standing: AdviceStanding::Wrong,
        instead: "It counts in sectors of 512 bytes: 128 is 64 KiB. queue/read_ahead_kb counts in KiB: 128 there is \
                  256 sectors. Several windows may be merged into one request, so the requests at the drive can be \
                  larger. Read-ahead affects buffered reads only; with direct=1 it does nothing.",
        checks: &["blk.read_ahead"],
        words: &[
            "setra",
            "blockdev --setra",
            "getra",
            "read ahead",
            "readahead",
            "read_ahead_kb",
            "readahead unit",
        ],
    },
    Advice {
        id: "batch-equals-depth",
        advice: "Set iodepth_batch to iodepth, because fio may limit the depth to 16.",
        sources: &["I-37"],
        standing: AdviceStanding::Wrong,
        instead: "No such limit exists: the default batch is 1 and does not limit the depth. With a batch as large as \
                  the depth, the queue drains and fills in turn, so the mean depth is lower than the requested one. Do \
                  not set it, and check the depths that were reached, which every result of fathom contains.",
        checks: &["nvme.qdepth"],
        words: &["iodepth_batch", "batch", "iodepth batch", "limit to 16"],
    },
];
