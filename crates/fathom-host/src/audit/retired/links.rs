//! Advice about PCIe, arrays and method.

use super::{Advice, AdviceStanding};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "aspm-by-grub",
        advice: "Put pcie_aspm.policy=performance into grub, reboot, check again.",
        sources: &["V-8", "H-5", "H-6"],
        standing: AdviceStanding::Superseded,
        instead: "No reboot is needed: write 0 into link/l0s_aspm, l1_aspm and the similar files of the links on the \
                  path to the drive (fathom run --tune does this and restores them), or performance into \
                  /sys/module/pcie_aspm/parameters/policy for all. It does not work where the firmware kept control of \
                  link power; then it is a BIOS setting. At low depth the exit from L1 costs from a few to tens of \
                  microseconds; under full load it costs nothing.",
        checks: &["pcie.aspm"],
        words: &[
            "pcie_aspm",
            "pcie_aspm.policy",
            "pcie_aspm.policy=performance",
            "aspm",
            "pcie_aspm=off",
            "link power management",
        ],
    },
    Advice {
        id: "vmd-blacklist",
        advice: "Boot with initcall_blacklist=vmd_drv_init.",
        sources: &["I-8", "I-11"],
        standing: AdviceStanding::Obsolete,
        instead: "In 2021 on RHEL 8.1 this was needed for the vendor's own driver. Today the driver in the kernel does \
                  the same work; if you blacklist it, drives behind VMD are missing. Enable VMD only where its RAID is \
                  used, because all drives behind it share its interrupt vectors.",
        checks: &["pcie.vmd"],
        words: &[
            "initcall_blacklist",
            "vmd_drv_init",
            "vmd",
            "iavmd",
            "initcall_blacklist=vmd_drv_init",
            "vroc",
        ],
    },
    Advice {
        id: "pcie-bus-perf",
        advice: "Boot with pci=pcie_bus_perf to raise the payload size.",
        sources: &["I-10"],
        standing: AdviceStanding::Qualified,
        instead: "It is valid, but it has risks. A payload of 256 bytes instead of 128 saves headers: at most 8 % of \
                  bandwidth, nothing of latency. The parameter also sets the largest read request to the payload size, \
                  and can break transfers between devices and cards that are plugged in later. Do it only if pcie.mps \
                  shows a possible gain: many firmwares already set 256 or 512.",
        checks: &["pcie.mps", "pcie.mrrs"],
        words: &["pcie_bus_perf", "pci=pcie_bus_perf", "max payload size", "mps", "payload size"],
    },
    Advice {
        id: "group-thread-cnt",
        advice: "Set group_thread_cnt to 4 for RAID 5, and raise sync_speed_max.",
        sources: &["I-19", "I-20"],
        standing: AdviceStanding::Valid,
        instead: "It is right: by default one thread computes all parity, and four gave about 10 % more writes. In the \
                  same guide more threads made reads slower, so try 0, 1, 2, 4 and 8 on your host. A higher \
                  sync_speed_max ends a rebuild sooner; never measure while a rebuild runs. fathom restores both.",
        checks: &["md.threads", "md.sync_speed", "md.sync"],
        words: &["group_thread_cnt", "group_thread_cnt=4", "sync_speed_max", "raid5 threads", "md threads"],
    },
    Advice {
        id: "link-width",
        advice: "Check that the card trained at full width and speed: x4 of the second generation is 2 GB/s, a slot of x8 \
                 may be wired x4, a bad contact gives x1.",
        sources: &["V-78", "V-79", "V-80", "M-11", "H-16"],
        standing: AdviceStanding::Valid,
        instead: "It is right for every generation: lanes times rate times coding (8b/10b up to 5 GT/s, 128b/130b from \
                  8 to 32 GT/s) over 8, so x4 at 16 GT/s is 7.9 GB/s raw, and some 10 to 15 % less after headers. \
                  fathom compares both ends of every link on the path; a lower speed at idle may be power saving, so \
                  check again under load.",
        checks: &["pcie.width", "pcie.speed", "pcie.path_bw"],
        words: &[
            "link width",
            "x4",
            "x1",
            "pcie width",
            "link speed",
            "gen2",
            "lane",
            "lanes",
            "slot wiring",
        ],
    },
    Advice {
        id: "slot-available",
        advice: "Choose slots by dmidecode -t 9: a slot that it calls \"Available\" is empty.",
        sources: &["M-10"],
        standing: AdviceStanding::Qualified,
        instead: "The table comes from the firmware and has errors: in the guide's own listing two slots that the \
                  table calls free hold Fibre Channel cards, as lspci shows. Use only its labels, together with the \
                  bus addresses that the kernel found: fathom topology does that.",
        checks: &["pcie.slot_name"],
        words: &["dmidecode", "dmidecode -t 9", "slot available", "slots", "which slot"],
    },
    Advice {
        id: "precondition-and-repeat",
        advice: "Run the tests in their order, empty the drive before each write test, fill it before the first read \
                 test, run for hours, three times, and accept 5 % of difference.",
        sources: &["V-21", "V-22", "V-23", "H-20", "I-23", "I-27", "I-30", "I-50", "T-37", "H-32"],
        standing: AdviceStanding::Valid,
        instead: "Every honest figure needs this. A fresh drive serves reads of blocks that were never written without \
                  a read of its flash, and writes faster than it ever will again. Each test finds the drive in the \
                  state in which the test before it left it, so the same tests in another order give other figures. \
                  Empty the drive (fathom purge, which records it), bring it to a steady state with the same pattern \
                  as in the test, and repeat. fathom gives a confidence interval with each rate instead of 5 %.",
        checks: &["noise.cv", "nvme.utilisation", "fs.fill"],
        words: &[
            "precondition",
            "preconditioning",
            "fill",
            "steady state",
            "4 hours",
            "three runs",
            "5 %",
            "fill file",
        ],
    },
    Advice {
        id: "wait-pidof-fio",
        advice: "In scripts: stop irqbalance, start fio, wait $(pidof fio), start irqbalance.",
        sources: &["I-49"],
        standing: AdviceStanding::Harmful,
        instead: "pidof may run before fio has started, or find another fio, and when the script is interrupted \
                  irqbalance stays stopped until somebody notices. Let the run make the change: fathom run --tune \
                  records every change before it makes it, and restores it when the run ends, even after a crash.",
        checks: &["irq.daemon", "sys.daemons"],
        words: &["wait pidof", "pidof fio", "wait $(pidof fio)", "pidof", "stop irqbalance script"],
    },
    Advice {
        id: "bridge-errors",
        advice: "Any PCIe error that is reported means a bad card or slot.",
        sources: &["V-75", "V-76", "V-77"],
        standing: AdviceStanding::Qualified,
        instead: "Some bridges report errors that did not happen: with no traffic, before a driver is loaded, or many \
                  at once. Only counts that grow under load mean something. If they do, reseat the card, repeat the \
                  load, try another slot or riser. fathom reads the counters of both ends before and after each run. To see which \
                  slot it is, switch its locate light on: fathom tune plan --only --knob slot.locate=1 DEV -o light.json, \
                  then fathom tune apply light.json --yes; fathom tune revert switches it off.",
        checks: &["pcie.aer"],
        words: &["pcie errors", "aer", "correctable errors", "bus errors", "pci errors", "badtlp"],
    },
];
