//! Advice about PCIe, arrays and method.

use super::{Advice, Standing};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "aspm-by-grub",
        advice: "Put pcie_aspm.policy=performance into grub, reboot, check again.",
        sources: &["V-8", "H-5", "H-6"],
        standing: Standing::Superseded,
        instead: "No reboot is needed: write 0 into link/l0s_aspm, l1_aspm and their like of the links on the way to the \
                  drive (fathom run --tune, which puts them back), or performance into \
                  /sys/module/pcie_aspm/parameters/policy for all. It does not work where the firmware kept control of \
                  link power; then it is a BIOS setting. The exit from L1 costs microseconds to tens of them at low \
                  depth, and nothing under full load.",
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
        standing: Standing::Obsolete,
        instead: "It made way for the maker's own driver on RHEL 8.1, in 2021. The driver in the kernel has done the same \
                  work since; with it blacklisted, drives behind VMD are not there at all. Enable VMD only where its RAID \
                  is used: all drives behind it share its interrupt vectors.",
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
        standing: Standing::Qualified,
        instead: "It is valid, and has its risks. A payload of 256 bytes instead of 128 saves headers: at most 8 % of \
                  bandwidth, nothing of latency. The parameter also sets the largest read request to the payload size, \
                  and can break transfers between devices and cards that are plugged in later. Look at the gap that \
                  pcie.mps shows, and leave it if there is none: many firmwares have set 256 or 512 already.",
        checks: &["pcie.mps", "pcie.mrrs"],
        words: &["pcie_bus_perf", "pci=pcie_bus_perf", "max payload size", "mps", "payload size"],
    },
    Advice {
        id: "group-thread-cnt",
        advice: "Set group_thread_cnt to 4 for RAID 5, and raise sync_speed_max.",
        sources: &["I-19", "I-20"],
        standing: Standing::Valid,
        instead: "It holds: by default one thread computes all parity, and four gave about 10 % more writes; more than \
                  that hurt reads in the same guide, so sweep 0, 1, 2, 4 and 8 on your host. sync_speed_max makes a \
                  rebuild end sooner, before the measurement; never measure while it runs. fathom puts both back.",
        checks: &["md.threads", "md.sync_speed", "md.sync"],
        words: &["group_thread_cnt", "group_thread_cnt=4", "sync_speed_max", "raid5 threads", "md threads"],
    },
    Advice {
        id: "link-width",
        advice: "Check that the card trained at full width and speed: x4 of the second generation is 2 GB/s, a slot of x8 \
                 may be wired x4, a bad contact gives x1.",
        sources: &["V-78", "V-79", "V-80", "M-11", "H-16"],
        standing: Standing::Valid,
        instead: "It holds for every generation: lanes times rate times coding (8b/10b up to 5 GT/s, 128b/130b from 8 to \
                  32 GT/s) over 8, so x4 at 16 GT/s is 7.9 GB/s raw, and some 10 to 15 % less after headers. fathom \
                  compares both ends of every link on the way; a lower speed at idle may be power saving, so look again \
                  under load.",
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
        advice: "Choose slots by dmidecode -t 9: what is \"Available\" is empty.",
        sources: &["M-10"],
        standing: Standing::Qualified,
        instead: "The table is the firmware's, and it errs: in the guide's own listing two slots that are said to be free \
                  hold Fibre Channel cards, as lspci shows. Use it for the labels only, joined with the bus addresses \
                  that the kernel found: fathom topology does that.",
        checks: &["pcie.slot_name"],
        words: &["dmidecode", "dmidecode -t 9", "slot available", "slots", "which slot"],
    },
    Advice {
        id: "precondition-and-repeat",
        advice: "Run the tests in their order, empty the drive before each write test, fill it before the first read \
                 test, run for hours, three times, and accept 5 % of difference.",
        sources: &["V-21", "V-22", "V-23", "H-20", "I-23", "I-27", "I-30", "I-50", "T-37"],
        standing: Standing::Valid,
        instead: "That is the core of every honest figure. A fresh drive answers reads of blocks that were never written \
                  without touching its flash, and writes faster than it ever will again; and each test finds the \
                  drive as the one before has left it, so the same tests in another order give other figures. Empty \
                  the drive (fathom purge, which keeps account of it), bring it to a steady state with the very \
                  pattern, and repeat. fathom gives an interval with each rate instead of 5 %.",
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
        standing: Standing::Harmful,
        instead: "pidof may look before fio is there or find another one, and when the script is interrupted irqbalance \
                  stays stopped until somebody notices. Tie the change to the run: fathom run --tune writes down what it \
                  changes before it does, and puts it back on every way out, a crash included.",
        checks: &["irq.daemon", "sys.daemons"],
        words: &["wait pidof", "pidof fio", "wait $(pidof fio)", "pidof", "stop irqbalance script"],
    },
    Advice {
        id: "bridge-errors",
        advice: "Any PCIe error that is reported means a bad card or slot.",
        sources: &["V-75", "V-76", "V-77"],
        standing: Standing::Qualified,
        instead: "Some bridges report errors that never were: with no traffic, before a driver is loaded, or many at once. \
                  Only counts that grow under load mean something; then reseat the card, repeat the load, try another \
                  slot or riser. fathom reads the counters of both ends before and after each run.",
        checks: &["pcie.aer"],
        words: &["pcie errors", "aer", "correctable errors", "bus errors", "pci errors", "badtlp"],
    },
];
