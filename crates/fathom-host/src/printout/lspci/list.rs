//! `lspci -D`: every function with its class and name (M-12), and the cards that
//! can be recognised from this list alone.

use crate::topology::address::Address;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Address.
    pub address: Address,
    /// `PCI bridge`.
    pub class: String,
    /// Vendor and device.
    pub name: String,
}

impl Listed {
    /// Whether it is a bridge to another bus.
    pub fn is_bridge(&self) -> bool {
        self.class.starts_with("PCI bridge")
    }

    /// Whether it is a drive or its controller; Fibre Channel is included.
    pub fn is_storage(&self) -> bool {
        let words = ["storage", "Non-Volatile memory", "SATA", "RAID", "SCSI", "Fibre Channel"];
        words.iter().any(|word| self.class.contains(word))
    }
}

/// All lines that begin with an address.
pub fn parse(text: &str) -> Vec<Listed> {
    text.lines().filter_map(line).collect()
}

/// A line that begins with an address, a class and a name.
pub(super) fn line(text: &str) -> Option<Listed> {
    let (address, rest) = text.trim().split_once(' ')?;
    let (class, name) = rest.split_once(": ")?;
    Some(Listed { address: address.parse().ok()?, class: class.to_owned(), name: name.to_owned() })
}

/// A card: an upper switch port, its lower ports, and the drives behind them. It is
/// recognised by the order of the bus numbers alone, because this form of the list
/// has nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Upper port: the function in the slot.
    pub upper: Address,
    /// Lower ports.
    pub lower: Vec<Address>,
    /// Drives.
    pub drives: Vec<Address>,
}

impl Card {
    fn leads_to(&self, address: Address) -> bool {
        let first = usize::from(self.upper.bus) + 2;
        let buses = first..first + self.lower.len();
        address.domain == self.upper.domain && buses.contains(&usize::from(address.bus))
    }
}

/// The cards that carry a switch and drives. Bridges on the bus after that of
/// a bridge are its lower ports. Each of the buses that follow belongs to one lower
/// port, so a drive there is part of the card.
pub fn cards(list: &[Listed]) -> Vec<Card> {
    let mut cards: Vec<Card> = Vec::new();
    for listed in list {
        let address = listed.address;
        match cards.last_mut() {
            Some(card) if listed.is_bridge() && card.upper.bus.checked_add(1) == Some(address.bus) => {
                card.lower.push(address);
            }
            _ if listed.is_bridge() => {
                cards.push(Card { upper: address, lower: Vec::new(), drives: Vec::new() });
            }
            Some(card) if listed.is_storage() && card.leads_to(address) => card.drives.push(address),
            _ => {}
        }
    }
    cards.retain(|card| !card.drives.is_empty());
    cards
}
