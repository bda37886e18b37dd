//! Errors in the Testverse articles on fio (2015).

use super::Slip;

#[rustfmt::skip]
pub(super) const SLIPS: &[Slip] = &[
    Slip {
        id: "T-1", subject: "name of the wait",
        printed: "PAGELATCHIO_EX",
        right: "PAGEIOLATCH_EX",
        why: "it is written correctly in the same text above; PAGELATCH without IO is another wait, for a page in \
              memory",
    },
    Slip {
        id: "T-20", subject: "bandwidth of the sample",
        printed: "bw=1370.5MB/s",
        right: "1370.0 MiB/s",
        why: "350,728 IOPS of 4 KiB and 41,119 MiB in 30.013 s both give 1370.0",
    },
    Slip {
        id: "T-21", subject: "meaning of rw=rw",
        printed: "the IO pattern is \"random write\"",
        right: "sequential, reads and writes mixed (here with no reads); random is rw=randwrite or randrw",
        why: "the header of the output is right and the name of the job is not: the figures are those of sequential \
              writes",
    },
    Slip {
        id: "T-26", subject: "maximum against mean",
        printed: "~14x longer than the average of 344",
        right: "39.3 times",
        why: "13,505 ÷ 344 = 39.26",
    },
    Slip {
        id: "T-28", subject: "sum of the latency classes",
        printed: "91.01 % and 8.7 % are nearly 99,8 %",
        right: "99.7 %",
        why: "and the class from 500 to 750 µs is left out, although it lies between the two",
    },
    Slip {
        id: "T-31", subject: "I/Os of a call in class 16",
        printed: "in the range of 8 to 16",
        right: "9 to 16",
        why: "each class of fio ends with its number, so 8 is in the class before it",
    },
    Slip {
        id: "T-32", subject: "line of issued I/Os",
        printed: "total=w=10526416/w=0/d=0",
        right: "total=r=0/w=10526416/d=0",
        why: "the letters are reads, writes and discards; 10,526,416 writes of 4 KiB are the 41,119 MiB of the same \
              output",
    },
    Slip {
        id: "T-33", subject: "smallest and largest bandwidth",
        printed: "minb = maxb: I don't think this is correct",
        right: "correct: a group with group_reporting has one entry",
        why: "both are of the members of the group; with one member they are equal",
    },
    Slip {
        id: "T-35", subject: "unit of ticks",
        printed: "259476 ticks * 4ms = 1037s, ÷ 32 = 32,4s",
        right: "259.5 s in 35 s: 7.4 I/Os in the device on average",
        why: "the kernel prints milliseconds whatever CONFIG_HZ is, and the depth of 32 has no part in it",
    },
    Slip {
        id: "T-36", subject: "meaning of util",
        printed: "94.63 % means nearly saturated",
        right: "at 94.63 % of the time at least one I/O was in the device",
        why: "a drive that works on many I/Os at once can be busy all the time and still take more",
    },
    Slip {
        id: "T-37", subject: "when a block is erased",
        printed: "to add pages to a partially filled block, the drive must erase the entire block",
        right: "pages that are still erased are written without an erase",
        why: "an erase is needed only before used pages are written again, and drives avoid even that by writing \
              elsewhere",
    },
    Slip {
        id: "T-47", subject: "unit of readahead",
        printed: "128 * 4096 Bytes = 256KB",
        right: "128 sectors of 512 bytes = 64 KiB",
        why: "blockdev counts sectors of 512 bytes whatever the drive's are; 128 · 4096 would be 512 KiB; requests \
              of 182 KiB are several windows merged",
    },
    Slip {
        id: "T-50", subject: "IOPS from the page cache",
        printed: "853333 IOPS",
        right: "no rate: 2,560 reads in 3 ms",
        why: "fio counts whole milliseconds, so the time is 3 ms give or take one: 640,000 to 1,280,000 IOPS",
    },
    Slip {
        id: "T-60", subject: "names of the job files",
        printed: "jobfile3 twice",
        right: "the last is jobfile4",
        why: "the heading is repeated; the name of the file itself, randwrite_4KB_numjob1_sync_iodepth1, is right",
    },
];
