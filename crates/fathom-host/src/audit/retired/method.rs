//! Advice about tools, other systems and the way to go about it.

use super::{Advice, Standing};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "async-and-direct",
        advice: "Test with asynchronous, direct I/O.",
        sources: &["V-10", "V-11", "H-9"],
        standing: Standing::Qualified,
        instead: "It is right for the drive: direct I/O leaves the page cache out, and asynchronous I/O lets one thread \
                  keep many requests in flight. An application that reads through the page cache, or waits for each \
                  request, never sees that figure: measure its way too (direct=0, or ioengine=psync with more \
                  workers) at the same block size. io_uring is today's engine for it; libaio is asynchronous with \
                  direct I/O only.",
        checks: &["fs.dio", "sys.io_uring", "sys.aio", "vm.cache_cold"],
        words: &["direct i/o", "direct=1", "o_direct", "asynchronous i/o", "libaio", "io_uring", "async"],
    },
    Advice {
        id: "hot-share",
        advice: "Leave a tenth or a fifth of the drive unused, fill it as far as the application does, and rewrite only \
                 the share that is hot.",
        sources: &["V-51", "V-52", "V-53"],
        standing: Standing::Valid,
        instead: "It holds. A test that writes at random to the whole drive is harder than nearly every application, \
                  because only the spare area is left for moving data about. Empty the drive (fathom purge), write no \
                  more than the share in use (size=80%), and say so beside the figure. What that adds to the spare \
                  area: fathom calc op 812GB 640GB --used 80. On NVMe a smaller namespace does the same for good.",
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
        standing: Standing::Qualified,
        instead: "One socket spares the question which one a drive is near; with two, place the job near the drive and \
                  little is lost. Clock and memory are no fixed numbers: what counts is whether this host can ask for \
                  more than the drive can give. Every run of fathom measures what its own workers could reach without \
                  a drive, and calls a figure near that ceiling limited by the host.",
        checks: &["numa.job_local", "numa.device_node", "cpu.freq_cap", "mem.headroom"],
        words: &["one socket", "single socket", "haswell", "2.2 ghz", "how much memory", "which server"],
    },
    Advice {
        id: "build-fio",
        advice: "Build fio from source, of a certain version or later; on Windows install it; in a guest install it there.",
        sources: &["V-18", "V-19", "H-18", "I-13"],
        standing: Standing::Superseded,
        instead: "fathom is one program that needs nothing installed, reads fio's job files and writes fio's output, and \
                  its version stands in every result. Where fio itself must be used, take that of the distribution: \
                  all since 3.5 have the options of the guides. In a virtual machine either measures the guest's \
                  disk: sys.virt says which layer that is.",
        checks: &["sys.virt"],
        words: &["build fio", "install fio", "fio version", "compile fio", "fio 3.5", "git clone fio"],
    },
    Advice {
        id: "install-tools",
        advice: "Install gcc, libaio-devel, sysstat, numactl, sg3_utils, nvme-cli, pciutils and mdadm before a test.",
        sources: &["I-9"],
        standing: Standing::Superseded,
        instead: "fathom reads the kernel's own files and asks drives itself, so that it needs none of them to run. They \
                  are good to have for repairs that it leaves to you: nvme-cli and sg3_utils for drives, mdadm for \
                  arrays, pciutils to look at a slot twice. A minimal installation is right for another reason: fewer \
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
        advice: "Format, update and look at the drive with the maker's tool (intelmas, isdct, fio-format).",
        sources: &["I-12", "I-15"],
        standing: Standing::Superseded,
        instead: "For NVMe the standard has commands that all makers' drives take. Looking (show): nvme list, nvme \
                  smart-log, or fathom doctor. Firmware (load): nvme fw-download and nvme fw-commit. Formatting \
                  (nvmeformat): fathom purge, which names every namespace that is lost, takes several drives at once \
                  and proves by reading that they are empty; --lba 4096 chooses the block size.",
        checks: &["nvme.firmware", "nvme.health", "nvme.lbaf"],
        words: &["intelmas", "isdct", "nvmeformat", "vendor tool", "fio-update", "firmware update"],
    },
    Advice {
        id: "support-bundle",
        advice: "Send the output of fio-bugreport to the maker, with the results.",
        sources: &["V-73", "V-82"],
        standing: Standing::Superseded,
        instead: "Send three things: the directory of the run, which holds job, record and results; fathom doctor \
                  capture -o host.tree, which holds everything that the audit reads, with serial numbers and names \
                  taken out; and fathom topology --format svg where a slot or a link is in question. Anybody can \
                  audit that capture on another machine: fathom doctor --root host.tree.",
        checks: &["nvme.health", "pcie.aer"],
        words: &["fio-bugreport", "bug report", "bugreport", "support", "sosreport", "send to vendor"],
    },
    Advice {
        id: "windows-interrupts",
        advice: "On Windows: an elevated prompt, IrqPolicyAllCloseProcessors by the affinity policy tool, and one \
                 processor group where there are more than 64 CPUs.",
        sources: &["V-15", "V-25"],
        standing: Standing::Qualified,
        instead: "It is advice for another system, on which fathom does not run. What it is after holds here too: \
                  interrupts on the processors near the drive, which Linux does for NVMe by itself (irq.managed) and \
                  irq.unmanaged_place judges for the rest; there are no processor groups. The elevated prompt is sudo: \
                  fathom asks for no rights until a step needs them, and doctor says how many facts did.",
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
