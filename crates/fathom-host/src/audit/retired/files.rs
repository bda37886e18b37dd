//! Advice about file systems, memory and security.

use super::{Advice, AdviceStanding};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "xfs-nobarrier",
        advice: "Mount XFS (or ext4) with nobarrier.",
        sources: &["V-60"],
        standing: AdviceStanding::Obsolete,
        instead: "XFS has dropped the option: such a mount fails. On ext4 it still exists and risks the file system in \
                  a power failure, unless the drive's cache survives it. A drive that is protected reports that \
                  (write_cache is write through), and then the kernel sends no flushes anyway. The cost of a flush \
                  belongs to an honest figure: measure it with fsync=1 and do not hide it.",
        checks: &["fs.barrier", "nvme.cache"],
        words: &["nobarrier", "barrier=0", "barriers", "no barrier", "mount nobarrier"],
    },
    Advice {
        id: "mount-discard",
        advice: "Mount with the discard option.",
        sources: &["V-60", "V-61"],
        standing: AdviceStanding::Superseded,
        instead: "With it every deletion sends discards between other I/O, which slows some drives down. Distributions \
                  run fstrim once a week instead (fstrim.timer). Before a measurement run fstrim once, and make sure \
                  that the timer does not start during the run (see noise.timers).",
        checks: &["fs.discard", "blk.discard", "noise.timers"],
        words: &["discard", "mount discard", "-o discard", "trim", "fstrim", "online discard"],
    },
    Advice {
        id: "ext4-stride",
        advice: "Compute stride and stripe_width by hand for mkfs.ext4 on an array.",
        sources: &["V-62", "V-64", "V-65", "V-66"],
        standing: AdviceStanding::Superseded,
        instead: "mkfs.ext4 and mkfs.xfs read the geometry from md by themselves (queue/minimum_io_size and \
                  optimal_io_size). Verify instead of computing: dumpe2fs -h, xfs_info. Set them by hand only on \
                  controllers that hide the geometry. Both numbers are counts of file system blocks (256 KiB chunk / 4 \
                  KiB = 64, times 5 data disks = 320), and not sizes as in one printed example.",
        checks: &["fs.geometry", "md.geometry"],
        words: &["stride", "stripe_width", "stripe width", "stripe-width", "mkfs stride"],
    },
    Advice {
        id: "raid50-data-disks",
        advice: "A RAID 50 has as many data disks as mirrored sets, less one.",
        sources: &["V-63"],
        standing: AdviceStanding::Wrong,
        instead: "A RAID 50 is a stripe over several RAID 5 groups. Each group loses one disk to parity, so of n disks \
                  in g groups n - g hold data (two groups of five: eight).",
        checks: &["md.geometry"],
        words: &["raid 50", "raid50", "data disks", "raid 5+0"],
    },
    Advice {
        id: "no-alignment",
        advice: "Partitions need no alignment on flash.",
        sources: &["V-57", "I-21"],
        standing: AdviceStanding::Wrong,
        instead: "This was true for one product. A drive with 4 KiB physical blocks that gets 4 KiB writes at an odd \
                  512-byte offset must read, change and write two blocks each time. Start partitions at a multiple of \
                  1 MiB, which every current tool does, and check that alignment_offset is 0.",
        checks: &["blk.align"],
        words: &[
            "alignment",
            "partition alignment",
            "no alignment needed",
            "align-check",
            "aligned partition",
        ],
    },
    Advice {
        id: "swappiness-100",
        advice: "vm.swappiness=100 means that nothing is swapped for inactivity.",
        sources: &["V-69"],
        standing: AdviceStanding::Wrong,
        instead: "The opposite is true: with a higher value the kernel swaps earlier. With 100 it treats swapping and \
                  dropping of file pages as equal, and since 5.8 the range goes to 200. For a run it matters whether \
                  pages are swapped: pswpin and pswpout in /proc/vmstat, which fathom reads before and after the run. \
                  If no pages are swapped, the value has no effect.",
        checks: &["vm.swappiness"],
        words: &["swappiness", "swappiness 100", "vm.swappiness", "swappiness=100", "swap", "no swap"],
    },
    Advice {
        id: "pdflush-dirty-ratio",
        advice: "Tune pdflush; dirty_ratio is 40 %, and should be lowered.",
        sources: &["V-70", "V-71"],
        standing: AdviceStanding::Obsolete,
        instead: "pdflush was removed in 2.6.32: each device has its own flusher. By default the upper limit is 20 % \
                  of the memory that can hold file pages. With much memory this is a lot (200 GiB of 1 TiB), so for a \
                  buffered test set absolute limits, dirty_bytes and dirty_background_bytes, and restore the ratios \
                  afterwards. Direct I/O is not affected.",
        checks: &["vm.dirty"],
        words: &[
            "pdflush",
            "dirty_ratio",
            "dirty ratio",
            "dirty_background_ratio",
            "dirty pages",
            "vm.dirty_ratio",
            "dirty_bytes",
        ],
    },
    Advice {
        id: "disable-selinux",
        advice: "Disable SELinux before a benchmark.",
        sources: &["H-8"],
        standing: AdviceStanding::Harmful,
        instead: "Record its state and leave it. Files that are made while it is disabled have no label, so to enable \
                  it again you must relabel all file systems and reboot, and meanwhile the host is not protected. Its \
                  decisions are cached; to measure the cost on your host, compare setenforce 0 with setenforce 1, \
                  interleaved, which keeps the labels.",
        checks: &["sys.selinux"],
        words: &["selinux", "disable selinux", "setenforce", "selinux=0", "selinux disabled", "apparmor"],
    },
    Advice {
        id: "cp-benchmark",
        advice: "Time cp, rsync or dd to see how fast a drive is.",
        sources: &["V-81"],
        standing: AdviceStanding::Harmful,
        instead: "The guides are right to warn against it. cp and rsync do one I/O at a time through the page cache: \
                  they measure latency, memory and the other drive, and end before the data is on the drive. At a \
                  depth of 1 a fast drive reaches only a few per cent of what it can do. Use fathom quick, which takes \
                  a minute.",
        checks: &["vm.cache_cold"],
        words: &["cp", "rsync", "dd", "cp benchmark", "dd benchmark", "time cp", "hdparm"],
    },
    Advice {
        id: "fctl-node",
        advice: "Use the control node /dev/fctl.",
        sources: &["V-54"],
        standing: AdviceStanding::Wrong,
        instead: "This is a printing error: the control nodes were /dev/fct0, /dev/fct1 (with a digit, not the letter \
                  l), one for each card. The drives of that family need a driver that no longer exists; for NVMe the \
                  control node is /dev/nvme0.",
        checks: &["safe.identity"],
        words: &["fctl", "/dev/fctl", "fct0", "/dev/fct0", "fio-status", "fusion-io"],
    },
];
