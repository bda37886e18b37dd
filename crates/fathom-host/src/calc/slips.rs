//! Figures in guides that do not agree with the guide's own rule, or with the kernel.
//!
//! The guides are right in most things, so their errors are copied for years.
//! Each entry has the printed text, the right one and the reason, for users who
//! follow a guide exactly.

use schemars::JsonSchema;
use serde::Serialize;

/// One error in a guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Slip {
    /// Row of the contract (`docs/guide-index.md`).
    pub id: &'static str,
    /// The subject of the error.
    pub subject: &'static str,
    /// What the guide says.
    pub printed: &'static str,
    /// What is right.
    pub right: &'static str,
    /// The reason.
    pub why: &'static str,
}

/// All known errors in what the guides say about hosts, in the order of their
/// IDs.
#[rustfmt::skip]
pub const SLIPS: &[Slip] = &[
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
        id: "V-69", subject: "swappiness of 100",
        printed: "100 keeps inactive processes from being swapped",
        right: "with 100, swapping and dropping page cache are equal; 0 avoids swapping; up to 200 since 5.8",
        why: "the value compares the cost of swapping with that of dropping cache; a higher value means more swapping",
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
    Slip {
        id: "M-4", subject: "device names of the slots",
        printed: "slot 1: fiog, fiqh or fiog, fioh; slot 5: fiom, fion or fiof, fiom; slot 7: fioe, fiof or fioe, fiog",
        right: "eight duos are 16 names, fioa to fiop, each once: slot 1 g and h, slot 3 o and p, slot 5 m and n, slot 7 e and f",
        why: "letters depend on the order of discovery and are easily mistyped: a slot table needs serial numbers",
    },
    Slip {
        id: "M-10", subject: "use of slots 10 and 11",
        printed: "Available, by the firmware's slot table",
        right: "in use: lspci has Fibre Channel adapters at 14:00 and 17:00",
        why: "the firmware fills the table at power-on and may be wrong; lspci reads the bus",
    },
    Slip {
        id: "I-7", subject: "sibling threads and turbo",
        printed: "on in one guide, off in another",
        right: "neither is a general rule",
        why: "both guides tuned one machine for one goal; an A/B run on this machine decides",
    },
    Slip {
        id: "I-16", subject: "name of the container",
        printed: "imesm0",
        right: "imsm0",
        why: "the metadata format is imsm, as in the -e of the same command; any name works, but this one is \
              misleading",
    },
    Slip {
        id: "I-24", subject: "size of the file that fills 16 TB",
        printed: "15892G",
        right: "at most 14901G, less a few for the file system: 14897G",
        why: "G is 2³⁰ bytes: 15,892 GiB are 17.06 TB, and 16 TB are 14,901 GiB",
    },
];

/// The error of this row, if there is one.
pub fn slip(id: &str) -> Option<&'static Slip> {
    SLIPS.iter().find(|slip| slip.id.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calc::link_register::LinkStatus;
    use crate::calc::stripe::{Array, RaidLevel};
    use crate::calc::{dma_delay, fill};

    /// The rows that the contract marks as errors, among those about hosts.
    #[test]
    fn every_marked_row_is_here() {
        let marked = [
            "V-54", "V-55", "V-60", "V-63", "V-65", "V-69", "V-71", "V-76", "M-4", "M-10", "I-7", "I-16",
            "I-24",
        ];
        for id in marked {
            assert!(slip(id).is_some(), "{id}");
        }
        assert!(slip("v-63").is_some());
        assert!(slip("V-1").is_none());
    }

    #[test]
    fn each_id_is_there_once_and_says_something() {
        for (at, slip) in SLIPS.iter().enumerate() {
            assert!(SLIPS[..at].iter().all(|other| other.id != slip.id), "{}", slip.id);
            let texts = [slip.subject, slip.printed, slip.right, slip.why];
            assert!(texts.iter().all(|text| !text.is_empty()), "{}", slip.id);
            assert_ne!(slip.printed, slip.right);
        }
    }

    fn right(id: &str) -> &'static str {
        slip(id).unwrap().right
    }

    /// The calculators give the values that are called right.
    #[test]
    fn the_calculators_agree() {
        let longest = dma_delay::delay_us(31).unwrap();
        assert_eq!(right("V-55"), format!("31 adds {longest:.2} µs"));

        let array = |level, groups| Array { level, devices: 10, groups, chunk_kib: 256, block_bytes: 4096 };
        let bear = array(RaidLevel::Raid50, 2).data_devices().unwrap();
        assert!(right("V-63").ends_with(&format!("10 devices in 2 groups bear data on {bear}")));
        let stripe = array(RaidLevel::Raid10, 5).stripe().unwrap();
        let counts =
            format!("stride {} blocks, stripe width {}", stripe.stride_blocks, stripe.stripe_width_blocks);
        assert!(right("V-65").starts_with(&counts));

        let status = LinkStatus::decode(0x1011).rate().unwrap();
        assert_eq!((status.generation.gigatransfers(), status.lanes), (2.5, 1));
        assert!(right("V-79").contains("2.5 GT/s, one lane"));

        let most = fill::size_gib(16_000_000_000_000, 0).unwrap();
        let safe = fill::size_gib(16_000_000_000_000, fill::SPARE_BYTES_DEFAULT).unwrap();
        assert!(right("I-24").contains(&format!("{most}G")) && right("I-24").contains(&format!("{safe}G")));
        assert!(fill::fits(15_892 * fill::GIB, 16_000_000_000_000).is_err());
    }
}
