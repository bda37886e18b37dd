//! The Link Status and Link Capabilities registers of a PCI Express function
//! (PCI Express Base 5.0, §7.5.3.6 and §7.5.3.8): how lspci, and tools older
//! than it, print a link.

use super::pcie::{Generation, LinkRate};

/// The decoded Link Status register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkStatus {
    /// Speed, from its code of 1 to 6; `None` for any other code.
    pub generation: Option<Generation>,
    /// Lanes in use; 0 is "undefined", which an empty port reports.
    pub lanes: u32,
    /// The link is being trained at this moment.
    pub is_training: bool,
    /// Both ends use the slot's clock.
    pub uses_slot_clock: bool,
}

impl LinkStatus {
    /// Bits 3:0 speed, 9:4 width, 11 training, 12 slot clock. 0x1011 is one
    /// lane of 2.5 GT/s (V-79).
    pub fn decode(register: u16) -> Self {
        Self {
            generation: Generation::from_number((register & 0xf) as u8),
            lanes: u32::from(register >> 4 & 0x3f),
            is_training: register >> 11 & 1 == 1,
            uses_slot_clock: register >> 12 & 1 == 1,
        }
    }

    /// Speed and width, if it has both.
    pub fn rate(self) -> Option<LinkRate> {
        let generation = self.generation?;
        (self.lanes > 0).then_some(LinkRate { generation, lanes: self.lanes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V-78, V-79: a device of sixteen lanes whose link trained with one lane.
    #[test]
    fn a_link_of_one_lane() {
        let status = LinkStatus::decode(0x1011);
        let rate = status.rate().unwrap();
        assert_eq!((rate.generation.gigatransfers(), rate.lanes), (2.5, 1));
        assert_eq!(rate.raw_mbps(), 250.0);
        assert!(status.uses_slot_clock && !status.is_training);
    }

    #[test]
    fn other_registers() {
        assert_eq!(LinkStatus::decode(0x1044).rate().unwrap().to_string(), "Gen4 x4");
        assert_eq!(LinkStatus::decode(0).rate(), None);
        assert_eq!(LinkStatus::decode(0x000f).generation, None);
    }
}
