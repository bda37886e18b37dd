//! Errors in HGST's best practices (2018).

use super::Slip;

#[rustfmt::skip]
pub(super) const SLIPS: &[Slip] = &[
    Slip {
        id: "H-11", subject: "path of the NUMA node",
        printed: "/sys/class/pci_bus/<bus:device>/device/numa_node",
        right: "/sys/bus/pci/devices/0000:BB:DD.F/numa_node",
        why: "the entries of pci_bus are named domain and bus (0000:05): no entry is found with bus and device",
    },
    Slip {
        id: "H-17", subject: "processors and memory of the sample machine",
        printed: "CPU 88, RAM 125GB",
        right: "2 processors of 22 cores with 2 threads each",
        why: "88 counts logical processors; 125 GB is no size of modules but what the kernel reports of 128; and \
              the E5-2699 v4 is a Broadwell, while the text asks for Haswell",
    },
    Slip {
        id: "H-23", subject: "sample output",
        printed: "output of a run with bs=512, rw=rw and fio-2.0.8",
        right: "none of the seven jobs: they have bs=4k or 1M, rw=randrw or write, and ask for fio 3.5",
        why: "it is the sample of the older guide (V-27) with the device renamed; all its figures are the same",
    },
];
