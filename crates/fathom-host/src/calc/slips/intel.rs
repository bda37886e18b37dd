//! Errors in Intel's guide to VROC and fio (2021).

use super::Slip;

#[rustfmt::skip]
pub(super) const SLIPS: &[Slip] = &[
    Slip {
        id: "I-7", subject: "sibling threads and turbo",
        printed: "on in one guide, off in another",
        right: "neither is a general rule",
        why: "both guides tuned one machine for one goal; an A/B run on this machine decides",
    },
    Slip {
        id: "I-9", subject: "name of a package",
        printed: "libreport-filessystem",
        right: "libreport-filesystem",
        why: "yum finds no package of the printed name",
    },
    Slip {
        id: "I-11", subject: "name of the driver",
        printed: "kmmod-iaavmd",
        right: "kmod-iavmd",
        why: "the list of the test system in the same guide has kmod-iavmd-1.0.0.1494",
    },
    Slip {
        id: "I-14", subject: "drives whose metadata is removed",
        printed: "mdadm --zero-superblock /dev/nvme*n1",
        right: "mdadm --zero-superblock /dev/nvme[0-3]n1",
        why: "the pattern takes every NVMe drive, those of other arrays too; the command that makes the array names \
              the four",
    },
    Slip {
        id: "I-16", subject: "name of the container",
        printed: "imesm0",
        right: "imsm0",
        why: "the metadata format is imsm, as in the -e of the same command; any name works, but this one is \
              misleading",
    },
    Slip {
        id: "I-22", subject: "path of the test file",
        printed: "mount at /mnt/VROC, then filename=/mnt/md126p1/iofile",
        right: "filename=/mnt/VROC/iofile",
        why: "nothing is mounted at the printed path: the job fails, or it fills the system's own disk",
    },
    Slip {
        id: "I-24", subject: "size of the file that fills 16 TB",
        printed: "15892G",
        right: "at most 14901G, less a few for the file system: 14897G",
        why: "G is 2³⁰ bytes: 15,892 GiB are 17.06 TB, and 16 TB are 14,901 GiB",
    },
    Slip {
        id: "I-33", subject: "processor that numactl gets",
        printed: "numactlCmd is set before numaCpu is corrected",
        right: "correct numaCpu first, then set numactlCmd",
        why: "on a machine with fewer nodes than the variable says, the script lowers numaCpu for cpus_allowed and \
              calls numactl with the old number, which fails",
    },
    Slip {
        id: "I-36", subject: "drives that need tausworthe64",
        printed: "like 4TB or 8TB",
        right: "from 2³² blocks: more than 16 TiB in blocks of 4 KiB, 2 TiB in blocks of 512 bytes",
        why: "the limit is the number of blocks, not the size; fio changes to tausworthe64 by itself unless a \
              generator is named",
    },
    Slip {
        id: "I-37", subject: "need for iodepth_batch",
        printed: "fio may limit the iodepth to 16",
        right: "iodepth alone is enough: what is submitted at a time does not limit what is in flight",
        why: "the default batch of 1 reaches any depth; a batch as large as the depth makes all I/Os start together",
    },
    Slip {
        id: "I-40", subject: "time in the script's progress line",
        printed: "$(date +%x %T)",
        right: "$(date '+%x %T')",
        why: "without quotes date has two operands, says that %T is one too many, and the line has no time",
    },
    Slip {
        id: "I-42", subject: "sequential mixes of the script",
        printed: "rw=randrw for every mix",
        right: "rw=rw where the script says Seq",
        why: "a sequential test with reads and writes becomes a random one and keeps the name of a sequential one",
    },
    Slip {
        id: "I-45", subject: "columns of the result file",
        printed: "sed 's/_/,/g', header from man fio",
        right: "fio --output-format=json, whose fields have names",
        why: "each underscore in a name of a job, file or device adds a column, and the header changes with the \
              manual page, which a minimal installation does not have",
    },
    Slip {
        id: "I-47", subject: "loop over the depths",
        printed: "for iodepth in \"${iodepths[@]}; do",
        right: "for iodepth in \"${iodepths[@]}\"; do",
        why: "one quote is missing: the shell reports an end of file inside quotes and runs nothing",
    },
    Slip {
        id: "I-49", subject: "waiting for fio",
        printed: "wait $(pidof fio)",
        right: "wait $!",
        why: "pidof also finds the fio of others, which the shell cannot wait for; and the script leaves irqbalance \
              stopped if it is interrupted",
    },
    Slip {
        id: "I-55", subject: "unit of the bandwidth table",
        printed: "2,344 MB/sec for 585,964 IOPS of 4k",
        right: "2,400 MB/s or 2,289 MiB/s",
        why: "KiB/s were divided by 1000, which is neither unit: all twelve values are IOPS · 4 ÷ 1000",
    },
];
