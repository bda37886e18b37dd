//! Advice about tools, other systems and methods.

use super::{Advice, AdviceStanding};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "async-and-direct",
        advice: "Test with asynchronous, direct I/O.",
        sources: &["V-10", "V-11", "H-9"],
        standing: AdviceStanding::Qualified,
        instead: "It is right for the drive: direct I/O does not use the page cache, and asynchronous I/O lets one \
                  thread keep many requests in flight. An application that reads through the page cache, or waits for \
                  each request, never reaches that figure: measure as it works too (direct=0, or ioengine=psync with \
                  more workers) at the same block size. The best engine for asynchronous I/O today is io_uring; libaio \
                  is asynchronous with direct I/O only.",
        checks: &["fs.dio", "sys.io_uring", "sys.aio", "vm.cache_cold"],
        words: &["direct i/o", "direct=1", "o_direct", "asynchronous i/o", "libaio", "io_uring", "async"],
    },
    Advice {
        id: "hot-share",
        advice: "Leave a tenth or a fifth of the drive unused, fill it as far as the application does, and rewrite \
                 only the hot data.",
        sources: &["V-51", "V-52", "V-53", "H-32"],
        standing: AdviceStanding::Valid,
        instead: "It is right. A test that writes at random to the whole drive is harder than almost every \
                  application, because the drive has only its spare area for garbage collection. Empty the drive \
                  (fathom purge), write no more than the share in use (size=80%), and report that with the figure. \
                  fathom calc op 812GB 640GB --used 80 shows what this adds to the spare area. On NVMe a smaller \
                  namespace does the same permanently.",
        checks: &["nvme.utilisation", "blk.discard"],
        words: &[
            "over-provisioning",
            "overprovisioning",
            "spare area",
            "hot data",
            "hot and cold",
            "down-format",
            "fio-format",
        ],
    },
    Advice {
        id: "one-socket-host",
        advice: "Use a host with one socket, a clock of 2.2 GHz or more and 16 GB of memory.",
        sources: &["H-15"],
        standing: AdviceStanding::Qualified,
        instead: "With one socket every CPU is near the drive; with two, place the job near the drive and little is \
                  lost. There is no fixed number for clock and memory: the host must be able to send more I/O than the \
                  drive can do. Every run of fathom measures what its own workers reach without a drive, and reports a \
                  figure near that limit as limited by the host.",
        checks: &["numa.job_local", "numa.device_node", "cpu.freq_cap", "mem.headroom"],
        words: &["one socket", "single socket", "haswell", "2.2 ghz", "how much memory", "which server"],
    },
    Advice {
        id: "build-fio",
        advice: "Build fio from source, in a certain version or later; on Windows and in a guest, install it there.",
        sources: &["V-18", "V-19", "H-18", "I-13"],
        standing: AdviceStanding::Superseded,
        instead: "fathom is one program that needs no installation, reads fio's job files and writes fio's output, and \
                  every result contains its version. Where you must use fio itself, take the one of the distribution: \
                  all versions since 3.5 have the options of the guides. In a virtual machine both measure the guest's \
                  disk: sys.virt shows which layer that is.",
        checks: &["sys.virt"],
        words: &["build fio", "install fio", "fio version", "compile fio", "fio 3.5", "git clone fio"],
    },
    Advice {
        id: "install-tools",
        advice: "Install gcc, libaio-devel, sysstat, numactl, sg3_utils, nvme-cli, pciutils and mdadm before a test.",
        sources: &["I-9"],
        standing: AdviceStanding::Superseded,
        instead: "fathom reads the kernel's own files and sends commands to drives itself, so it needs none of these \
                  tools. They are useful for repairs that fathom does not do: nvme-cli and sg3_utils for drives, mdadm \
                  for arrays, pciutils to check a slot. A minimal installation is right for another reason: fewer \
                  programs disturb the run (noise.load, noise.timers).",
        checks: &["noise.load", "noise.timers"],
        words: &[
            "install tools",
            "packages",
            "sysstat",
            "sg3_utils",
            "pciutils",
            "nvme-cli",
            "minimal install",
        ],
    },
    Advice {
        id: "vendor-tool",
        advice: "Format, update and inspect the drive with the vendor's tool (intelmas, isdct, fio-format).",
        sources: &["I-12", "I-15"],
        standing: AdviceStanding::Superseded,
        instead: "NVMe has standard commands that the drives of all vendors accept. To inspect (show): nvme list, nvme \
                  smart-log, or fathom doctor. To load firmware (load): nvme fw-download and nvme fw-commit. To format \
                  (nvmeformat): fathom purge, which names every namespace that will be lost, accepts several drives at \
                  once and proves by reads that they are empty; --lba 4096 chooses the block size.",
        checks: &["nvme.firmware", "nvme.health", "nvme.lbaf"],
        words: &["intelmas", "isdct", "nvmeformat", "vendor tool", "fio-update", "firmware update"],
    },
    Advice {
        id: "support-bundle",
        advice: "Send the output of fio-bugreport to the vendor, with the results.",
        sources: &["V-73", "V-82"],
        standing: AdviceStanding::Superseded,
        instead: "Send three things: the directory of the run, which contains job, record and results; the file of \
                  fathom doctor capture -o host.tree, which contains everything that the audit reads, without serial \
                  numbers and names; and the output of fathom topology --format svg if the problem may be a slot or a \
                  link. Anybody can audit that capture on another machine: fathom doctor --root host.tree.",
        checks: &["nvme.health", "pcie.aer"],
        words: &["fio-bugreport", "bug report", "bugreport", "support", "sosreport", "send to vendor"],
    },
    Advice {
        id: "windows-interrupts",
        advice: "On Windows: an elevated prompt, IrqPolicyAllCloseProcessors by the affinity policy tool, and one \
                 processor group where there are more than 64 CPUs.",
        sources: &["V-15", "V-25"],
        standing: AdviceStanding::Qualified,
        instead: "It is advice for another system, on which fathom does not run. Its aim is right on Linux too: \
                  interrupts should arrive on the processors near the drive. Linux does this for NVMe by itself \
                  (irq.managed), and irq.unmanaged_place judges the other interrupts; there are no processor groups. \
                  The elevated prompt corresponds to sudo: fathom needs no rights until a step requires them, and \
                  fathom doctor reports how many facts did.",
        checks: &["irq.managed", "irq.unmanaged_place"],
        words: &[
            "windows",
            "irqpolicyallcloseprocessors",
            "processor group",
            "elevated prompt",
            "administrator prompt",
            "sudo",
        ],
    },
];
