//! Advice about file systems, memory and security.

use super::{Advice, Standing};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "xfs-nobarrier",
        advice: "Mount XFS (or ext4) with nobarrier.",
        sources: &["V-60"],
        standing: Standing::Obsolete,
        instead: "XFS has dropped the option: such a mount fails. On ext4 it still exists and risks the file system when \
                  the power goes, unless the drive's cache survives that. A drive that is protected says so (write_cache \
                  write through), and then the kernel sends no flushes anyway. What a flush costs is part of the truth: \
                  measure it with fsync=1 rather than hide it.",
        checks: &["fs.barrier", "nvme.cache"],
        words: &["nobarrier", "barrier=0", "barriers", "no barrier", "mount nobarrier"],
    },
    Advice {
        id: "mount-discard",
        advice: "Mount with the discard option.",
        sources: &["V-60", "V-61"],
        standing: Standing::Superseded,
        instead: "With it every deletion sends discards in between other I/O, which some drives answer slowly. \
                  Distributions run fstrim once a week instead (fstrim.timer). Before a measurement run fstrim once, \
                  and see to it that the timer does not fall into the run: noise.timers.",
        checks: &["fs.discard", "blk.discard", "noise.timers"],
        words: &["discard", "mount discard", "-o discard", "trim", "fstrim", "online discard"],
    },
    Advice {
        id: "ext4-stride",
        advice: "Compute stride and stripe_width by hand for mkfs.ext4 on an array.",
        sources: &["V-62", "V-64", "V-65", "V-66"],
        standing: Standing::Superseded,
        instead: "mkfs.ext4 and mkfs.xfs read the geometry from md by themselves (queue/minimum_io_size and \
                  optimal_io_size). Verify instead of computing: dumpe2fs -h, xfs_info. By hand only on controllers \
                  that hide the geometry; both numbers are counts of file system blocks (256 KiB chunk / 4 KiB = 64, \
                  times 5 data disks = 320), not sizes, as one printed example has it.",
        checks: &["fs.geometry", "md.geometry"],
        words: &["stride", "stripe_width", "stripe width", "stripe-width", "mkfs stride"],
    },
    Advice {
        id: "raid50-data-disks",
        advice: "A RAID 50 has as many data disks as mirrored sets, less one.",
        sources: &["V-63"],
        standing: Standing::Wrong,
        instead: "A RAID 50 is a stripe over several RAID 5: each gives up one disk, so of n disks in g groups n - g hold \
                  data (two groups of five: eight).",
        checks: &["md.geometry"],
        words: &["raid 50", "raid50", "data disks", "raid 5+0"],
    },
    Advice {
        id: "no-alignment",
        advice: "Partitions need no alignment on flash.",
        sources: &["V-57", "I-21"],
        standing: Standing::Wrong,
        instead: "It was said of one product. A drive with 4 KiB physical blocks that gets 4 KiB writes at an odd 512-byte \
                  offset must read, change and write two blocks each time. Start partitions at a multiple of 1 MiB, \
                  which every current tool does, and let alignment_offset be 0.",
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
        standing: Standing::Wrong,
        instead: "It is the other way round: more means more willing to swap. 100 weighs swapping and dropping of file \
                  pages alike, and since 5.8 the range goes to 200. What matters to a run is whether pages move: pswpin \
                  and pswpout in /proc/vmstat, which fathom reads before and after. Without movement the value does \
                  nothing.",
        checks: &["vm.swappiness"],
        words: &["swappiness", "swappiness 100", "vm.swappiness", "swappiness=100", "swap", "no swap"],
    },
    Advice {
        id: "pdflush-dirty-ratio",
        advice: "Tune pdflush; dirty_ratio is 40 %, and should be lowered.",
        sources: &["V-70", "V-71"],
        standing: Standing::Obsolete,
        instead: "pdflush went in 2.6.32: each device has its own flusher. The upper limit is 20 % by default, of the \
                  memory that can hold file pages. A share of a big memory is a lot (200 GiB of 1 TiB), so for a \
                  buffered test set an absolute limit, dirty_bytes and dirty_background_bytes, and put the ratio back \
                  afterwards. Direct I/O does not meet any of it.",
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
        standing: Standing::Harmful,
        instead: "Record it and leave it. Files made while it is disabled carry no label, so to switch it on again takes a \
                  relabelling of everything and a reboot, and meanwhile the host is open. Its answers are cached; if you \
                  want to know the cost on your host, compare setenforce 0 with setenforce 1, interleaved, which keeps \
                  the labels.",
        checks: &["sys.selinux"],
        words: &["selinux", "disable selinux", "setenforce", "selinux=0", "selinux disabled", "apparmor"],
    },
    Advice {
        id: "cp-benchmark",
        advice: "Time cp, rsync or dd to see how fast a drive is.",
        sources: &["V-81"],
        standing: Standing::Harmful,
        instead: "The guides are right to warn of it. cp and rsync do one I/O at a time through the page cache: they \
                  measure latency, memory and the other end, and end before the data is on the drive. At a depth of 1 a \
                  fast drive shows a few per cent of what it can do. fathom quick takes a minute.",
        checks: &["vm.cache_cold"],
        words: &["cp", "rsync", "dd", "cp benchmark", "dd benchmark", "time cp", "hdparm"],
    },
    Advice {
        id: "fctl-node",
        advice: "Use the control node /dev/fctl.",
        sources: &["V-54"],
        standing: Standing::Wrong,
        instead: "A slip of the printer: the control nodes were /dev/fct0, /dev/fct1 (a digit, not the letter l), one for \
                  each card. The drives of that family need a driver that is gone; on NVMe the counterpart is /dev/nvme0.",
        checks: &["safe.identity"],
        words: &["fctl", "/dev/fctl", "fct0", "/dev/fct0", "fio-status", "fusion-io"],
    },
];
