//! Cards with a switch and drives behind it. They are recognised by the order of
//! the bus numbers alone, because the list without details (M-12) has nothing else.

use std::collections::BTreeMap;

use super::function::PrintedFunction;
use crate::topology::address::Address;

/// An upper switch port, its lower ports, and the drives behind them.
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
pub fn cards(functions: &BTreeMap<Address, PrintedFunction>) -> Vec<Card> {
    let mut cards: Vec<Card> = Vec::new();
    for (&address, function) in functions {
        match cards.last_mut() {
            Some(card) if function.is_bridge() && card.upper.bus.checked_add(1) == Some(address.bus) => {
                card.lower.push(address);
            }
            _ if function.is_bridge() => {
                cards.push(Card { upper: address, lower: Vec::new(), drives: Vec::new() });
            }
            Some(card) if function.is_storage() && card.leads_to(address) => card.drives.push(address),
            _ => {}
        }
    }
    cards.retain(|card| !card.drives.is_empty());
    cards
}
