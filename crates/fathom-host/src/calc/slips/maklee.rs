//! Errors in Maklee's slides on Fusion-io drives and Orion.

use super::Slip;

#[rustfmt::skip]
pub(super) const SLIPS: &[Slip] = &[
    Slip {
        id: "M-4", subject: "device names of the slots",
        printed: "slot 1: fiog, fiqh or fiog, fioh; slot 5: fiom, fion or fiof, fiom; slot 7: fioe, fiof or fioe, \
                  fiog",
        right: "eight duos are 16 names, fioa to fiop, each once: slot 1 g and h, slot 3 o and p, slot 5 m and n, \
                slot 7 e and f",
        why: "letters depend on the order of discovery and are easily mistyped: a slot table needs serial numbers",
    },
    Slip {
        id: "M-10", subject: "use of slots 10 and 11",
        printed: "Available, by the firmware's slot table",
        right: "in use: lspci has Fibre Channel adapters at 14:00 and 17:00",
        why: "the firmware fills the table at power-on and may be wrong; lspci reads the bus",
    },
    Slip {
        id: "M-22", subject: "processors of a driver thread",
        printed: "current affinity mask: ffffffff",
        right: "ffff,ffffffff,ffffffff",
        why: "the next command prints 0-79 for the same thread: 80 processors, and the printed mask has 32",
    },
    Slip {
        id: "M-26", subject: "names of four parallel runs of Orion",
        printed: "-testname fio in all four commands",
        right: "a test name and a .lun file for each: fio1 to fio4",
        why: "Orion names its result files after the test, so four runs that start together write into the same \
              files",
    },
];
