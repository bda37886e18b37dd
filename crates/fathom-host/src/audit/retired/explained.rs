//! What the guides explain rather than advise: other systems, methods, and where to read on.

use super::{Advice, AdviceStanding};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "windows-direct-io",
        advice: "On Windows open the file with FILE_FLAG_NO_BUFFERING and FILE_FLAG_WRITE_THROUGH, ask the drive for \
                 its sector size, and align the buffer to it.",
        sources: &["V-47"],
        standing: AdviceStanding::Valid,
        instead: "It is right, and each part has a counterpart here. FILE_FLAG_NO_BUFFERING is O_DIRECT (direct=1): \
                  address of the buffer, offset and length must be multiples of the sector. FILE_FLAG_WRITE_THROUGH \
                  is O_DSYNC (sync=dsync): each write ends when the drive says that the data is safe, which costs a \
                  flush or a forced write. With the first flag alone, a write may end in the cache of the drive. The \
                  sample reads BytesPerPhysicalSector by IOCTL_STORAGE_QUERY_PROPERTY and aligns to it: on a drive \
                  with 512-byte emulation that is 4096, where 512 would be accepted and be slow (blk.512e). It writes \
                  1,024 sectors at once, which is 512 KiB or 4 MiB. It has two ways to align the buffer: \
                  _aligned_malloc, which works, and rounding a pointer up by a macro, whose brackets are wrong \
                  (fathom calc slips V-47). fathom aligns every buffer to a page, or as iomem_align says.",
        checks: &["fs.dio", "blk.512e", "nvme.cache"],
        words: &[
            "no_buffering",
            "file_flag_no_buffering",
            "write_through",
            "file_flag_write_through",
            "bytesperphysicalsector",
            "_aligned_malloc",
            "createfile",
            "ioctl_storage_query_property",
        ],
    },
    Advice {
        id: "seek-tests",
        advice: "Access the whole device at random, so that the seek time of the device is part of the figure.",
        sources: &["V-48", "H-32"],
        standing: AdviceStanding::Obsolete,
        instead: "Such tests were made for the heads of hard disks, where a distant address takes longer. On flash an \
                  address has no distance, so the test says little about it. What changes a figure there is how many \
                  I/Os are in flight, their size, the share of writes, and the state of the drive: blocks that were \
                  never written are answered without the flash (fathom precondition), and writes at random to the \
                  whole device leave only the spare area for garbage collection, which is harder than almost every \
                  application (hot-share). The order of addresses still matters a little, because the kernel and the \
                  drive merge and read ahead. On a hard disk (blk.rotational) the test is right.",
        checks: &["blk.rotational", "nvme.utilisation"],
        words: &[
            "seek",
            "seek time",
            "seek test",
            "flash against disk",
            "flash versus disk",
            "spinning media",
            "disk heads",
        ],
    },
    Advice {
        id: "raid-overhead",
        advice: "Measure a software RAID 0 and then its devices without it: the difference is the overhead of the RAID.",
        sources: &["H-32"],
        standing: AdviceStanding::Valid,
        instead: "It is right if the devices are measured side by side, as the array uses them: one by one they do not \
                  share a link, and then a shared link would count as overhead of the RAID. The overhead is 1 less the \
                  IOPS of the array divided by the sum of its devices; fathom calc additivity RATE … --together RATE \
                  computes the share, and says whether the slowest device or a common limit explains it. The same job \
                  with all devices in filename= shows what striping by the application would give.",
        checks: &["md.members", "md.geometry", "numa.array_span"],
        words: &[
            "raid overhead",
            "md overhead",
            "dynamic disk",
            "application striping",
            "aggregation",
            "overhead of raid",
        ],
    },
    Advice {
        id: "vroc-key",
        advice: "For RAID 0, 1, 5 and 10 by VROC, a hardware key (Premium or Intel-SSD-only) must be on the board.",
        sources: &["I-3"],
        standing: AdviceStanding::Qualified,
        instead: "It is right for arrays whose metadata the firmware keeps (imsm). The key itself is in no file of \
                  Linux. Its effect is: the firmware tells the system in an EFI variable which RAID levels it offers \
                  and its version, and md.external shows both beside each such array. A level that is missing there \
                  needs another key. The setup of the firmware names the key, and mdadm --detail-platform prints the \
                  levels too. An array with md's own metadata (fathom array create) needs no key, and computes parity \
                  by the same code of the kernel; what it lacks is booting from RAID by the firmware.",
        checks: &["md.external", "pcie.vmd"],
        words: &[
            "vroc key",
            "hardware key",
            "raid key",
            "premium key",
            "licence key",
            "license key",
            "detail-platform",
        ],
    },
    Advice {
        id: "fio-output",
        advice: "fio's output is explained on a blog, in its manual page and in its HOWTO.",
        sources: &["I-34"],
        standing: AdviceStanding::Superseded,
        instead: "The explanations are in fathom. fathom report --details prints each figure with its name and unit, \
                  and fathom help trust says what each line of an answer means. fathom options NAME explains an option, \
                  and fathom fio --cmdhelp=NAME prints the same for fio's users. fathom import FILE reads fio's own \
                  JSON, terse output and logs. The words that confuse most: slat is the time to submit, clat the time \
                  from there to the completion, lat the sum; bw is in KiB/s in old versions although it says KB/s; util \
                  does not measure saturation (util-is-saturation), and ticks are milliseconds (ticks-times-hz).",
        checks: &["noise.device", "blk.iostats"],
        words: &[
            "fio output",
            "output explained",
            "fio manual",
            "howto",
            "man fio",
            "slat",
            "clat",
            "terse output",
        ],
    },
    Advice {
        id: "pageiolatch",
        advice: "Look at the waits of the database: PAGEIOLATCH_SH and PAGEIOLATCH_EX mean that the disk is slow.",
        sources: &["T-1"],
        standing: AdviceStanding::Qualified,
        instead: "They mean that a task waits for a page that is being read into memory, shared or exclusive. A slow \
                  disk is one reason. The other one is many tasks that want the same page: in the blog's test all 33 \
                  rows of a table were in one page of 8 KiB, and the waits ended when each row had its own page, on the \
                  same disk. Compare the wait with the latency that the disk itself has at that time (iostat's r_await, \
                  or fathom report --as iostat --each): if the disk answers in 0.1 ms while a task waits for 10 ms, the \
                  disk is not the reason. fathom measures the disk and not the database. To see what one hot block \
                  costs, run a job with random_distribution=zoned:100/1 on a small range.",
        checks: &["noise.device", "blk.wbt"],
        words: &[
            "pageiolatch_sh",
            "pageiolatch_ex",
            "pagelatch",
            "latch contention",
            "sql server",
            "hot page",
            "database waits",
        ],
    },
    Advice {
        id: "standard-tools",
        advice: "Run SNIA's Performance Test Specification with a script of James Bowen, TKperf or block-storage.",
        sources: &["T-41"],
        standing: AdviceStanding::Superseded,
        instead: "fathom pts runs the tests itself (fathom help jobs, docs/concepts/pts.md). What the three programs do \
                  differently: the script runs its 24 hours to the end, whether the drive was steady earlier or never; \
                  TKperf has four of the tests, needs fio, hdparm and a description of the drive, and loses everything \
                  if one step fails; block-storage measures volumes of clouds, where no secure erase exists, so it \
                  cannot begin from an empty drive. fathom pts --as tkperf uses TKperf's cells and order, to compare \
                  with its older reports.",
        checks: &["nvme.utilisation", "noise.cv"],
        words: &[
            "tkperf",
            "block-storage",
            "james bowen",
            "snia",
            "pts",
            "performance test specification",
            "snia script",
        ],
    },
    Advice {
        id: "raw-first",
        advice: "Measure the raw device first, without a file system and the page cache; then what the application uses.",
        sources: &["T-55"],
        standing: AdviceStanding::Valid,
        instead: "It is right. The raw device with direct I/O is the figure that vendors state, and the only one that is \
                  comparable between systems: a file system and the page cache differ from version to version. In the \
                  blog, the same reads gave 9,142 IOPS on the raw device, 8,767 on a file with direct I/O, and 853,333 \
                  from the page cache. So keep a baseline of the raw device (fathom baseline save NAME), and measure \
                  the way of the application beside it. A job with a mix of sizes is still an invention: the truth about \
                  production is its own load, with its think times and bursts.",
        checks: &["fs.type", "vm.cache_cold", "fs.dio"],
        words: &[
            "raw device",
            "raw first",
            "baseline first",
            "raw performance",
            "file system or raw",
            "production workload",
        ],
    },
    Advice {
        id: "depth-share",
        advice: "IO depths 32=115.3% or 116.7%: the job kept more I/Os in flight than it was asked to.",
        sources: &["V-28", "T-30"],
        standing: AdviceStanding::Obsolete,
        instead: "It did not. At the end of the ramp, fio of that time set the count of issued I/Os back to zero and kept \
                  the counts of depths. With 5 s of ramp and 30 s of measurement, the depths of up to 35 s are divided by \
                  the I/Os of 30 s: at most 35 ÷ 30 = 116.7 %, and less if the ramp was slower (115.3 %). The share says \
                  that nearly all I/Os found the full depth, and nothing more. fathom counts the depths of the ramp \
                  apart, so its shares add up to 100 %.",
        checks: &["blk.nr_requests"],
        words: &[
            "io depths",
            "116.7",
            "115.3",
            "32=116.7%",
            "32=115.3%",
            "depth above 100",
            "more than 100 %",
        ],
    },
    Advice {
        id: "bios-checklist",
        advice: "Set eighteen lines of the firmware for a test of storage, from Hyper-Threading to the fans.",
        sources: &["I-6", "V-17"],
        standing: AdviceStanding::Qualified,
        instead: "The list follows, with what this system shows of each line now. About half of them can be seen from \
                  Linux, and most of those can also be changed from Linux for the time of a run (fathom tune plan), \
                  without a reboot. The others are in the setup of the firmware only. Two guides contradict each other \
                  on four lines: fathom run --tune and fathom tune try measure which is right here.",
        checks: &["cpu.smt", "cpu.turbo", "cpu.epp", "cpu.cstates", "cpu.platform_profile"],
        words: &[
            "bios",
            "bios settings",
            "bios checklist",
            "uefi settings",
            "firmware settings",
            "bios setup",
        ],
    },
];
