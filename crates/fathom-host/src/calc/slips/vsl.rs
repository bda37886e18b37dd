//! Errors in the performance guide of Fusion-io's VSL (2013).

use super::Slip;

#[rustfmt::skip]
pub(super) const SLIPS: &[Slip] = &[
    Slip {
        id: "V-14", subject: "restarting the interrupt balancer",
        printed: "/etc/init.d/irqbalance start",
        right: "/etc/init.d/irqbalance restart, today systemctl restart irqbalance",
        why: "start does nothing if the daemon runs already, and the guide wants it to look at the interrupts again",
    },
    Slip {
        id: "V-27", subject: "bytes written in the sample result",
        printed: "io=7018.6MB",
        right: "7017.9 MiB",
        why: "14,372,752 writes of 512 bytes are 7,358,849,024 bytes; bandwidth times run time agrees with that \
              count to 0.001 %, the printed total does not",
    },
    Slip {
        id: "V-43", subject: "jobs 03, 05 and 08",
        printed: "the tests produce the figures of the data sheet, and the fill writes the complete device",
        right: "03 and 08: size=25% with offset_increment=25%; 05: direct=1, end_fsync=1, refill_buffers=1, and \
                loops=2",
        why: "the four workers of 03 and 08 all begin at address 0 and write or read the same addresses; job 05 is \
              buffered, so its depth of 16 is one at a time and its end may be in the page cache only",
    },
    Slip {
        id: "V-44", subject: "direct I/O on a drive with sectors of 4 KB",
        printed: "all I/O 512-byte aligned and a multiple of 512 bytes, and at least 4 KB",
        right: "address and length are multiples of 4096",
        why: "a write of 6 KiB is longer than a sector and is refused, as is one of 4 KiB at address 512",
    },
    Slip {
        id: "V-45", subject: "end of the device in the C program",
        printed: "writes a pattern to the entire ioMemory device in 1MB chunks",
        right: "count the last, shorter write too (524,288 bytes on a drive of 640,000,983,040), and fail if a \
                write fails",
        why: "the loop takes every short write for the end: Linux writes the last one and the program does not \
              count it; an I/O error ends it with success, and so does a failed open (exit(ret) with 0)",
    },
    Slip {
        id: "V-47", subject: "rounding in the program for Windows",
        printed: "& (~((LONG) (Pow2)) - 1)",
        right: "& ~((LONG) (Pow2) - 1)",
        why: "for 512 the printed mask is -514 instead of -512: it clears bits 0 and 9, and the result is not a \
              multiple of 512; the define of drivePath is also lost at the end of a comment",
    },
    Slip {
        id: "V-50", subject: "contents of the fill",
        printed: "This will fill the device with random data",
        right: "one random buffer again and again, with a few bytes changed in each 512",
        why: "fio fills its buffers once; refill_buffers=1 makes new data for each write, which a drive with \
              deduplication needs",
    },
    Slip {
        id: "V-54", subject: "name of the control node",
        printed: "/dev/fctl, with a letter",
        right: "/dev/fct0, /dev/fct1 and so on",
        why: "the driver numbers its control nodes; the last character is a misread digit",
    },
    Slip {
        id: "V-55", subject: "longest iodrive_dma_delay",
        printed: "31 adds 10 µs",
        right: "31 adds 9.69 µs",
        why: "16 steps are 5 µs, so one is 0.3125 µs and 31 are 9.6875 µs",
    },
    Slip {
        id: "V-60", subject: "XFS mount options",
        printed: "noatime,nobarrier,discard",
        right: "noatime, and fstrim from a timer",
        why: "XFS removed nobarrier in 4.19; without barriers a volatile cache loses confirmed data; discard sends a \
              trim with every delete, in the middle of a measurement",
    },
    Slip {
        id: "V-63", subject: "data-bearing devices of RAID50",
        printed: "mirrored sets − 1",
        right: "devices − groups: 10 devices in 2 groups bear data on 8",
        why: "RAID50 has no mirrors; each of its groups is a RAID5 and uses one device for parity",
    },
    Slip {
        id: "V-65", subject: "stride and stripe width of the example",
        printed: "stride 64K, stripe width 5 · 64K",
        right: "stride 64 blocks, stripe width 320 blocks (1,280 KiB)",
        why: "256 KiB ÷ 4 KiB is a number of blocks without a unit, which mkfs expects",
    },
    Slip {
        id: "V-66", subject: "options of mkfs",
        printed: "-E stride=64 -E stripe_width=320",
        right: "-E stride=64,stripe_width=320",
        why: "mkfs keeps only the last -E: with mke2fs 1.47 the file system of the printed command has the stripe \
              width and no stride",
    },
    Slip {
        id: "V-69", subject: "swappiness of 100",
        printed: "100 keeps inactive processes from being swapped",
        right: "with 100, swapping and dropping page cache are equal; 0 avoids swapping; up to 200 since 5.8",
        why: "the value compares the cost of swapping with that of dropping cache; a higher value means more \
              swapping",
    },
    Slip {
        id: "V-70", subject: "base of dirty_background_ratio",
        printed: "percentage of total system memory",
        right: "percentage of available memory: free pages and page cache that can be given up",
        why: "the kernel leaves out memory that programs have, so on a full machine the limit is far lower than the \
              guide says",
    },
    Slip {
        id: "V-71", subject: "default of vm.dirty_ratio",
        printed: "40 %",
        right: "20 % of available memory",
        why: "40 % was the default of early 2.6 kernels; it has been 20 % since 2009",
    },
    Slip {
        id: "V-74", subject: "stars in the sample of an over-subscribed bus",
        printed: "three, the last at a bridge that needs 1000 and has 1000 MB/s",
        right: "two: 00:02.00 and 01:00.00 need 3000 and have 2000 MB/s",
        why: "the last bridge has enough bandwidth; only the two above it limit its drive",
    },
    Slip {
        id: "V-76", subject: "bridge in the sample of PCIe errors",
        printed: "Bridge 00L04.00, with the drive 0b:00.0 below it once more",
        right: "an address has the form BB:DD.F; one drive is below one bridge, here 0a:00.0 (bus 0b-0d)",
        why: "the bridge leads to buses 13-15, so the drive below it cannot be on bus 0b",
    },
    Slip {
        id: "V-79", subject: "name of the register 0x1011",
        printed: "link capabilities",
        right: "link status: 2.5 GT/s, one lane, slot clock",
        why: "the capabilities of the same device are said to be 16 lanes, and this register has one",
    },
];
