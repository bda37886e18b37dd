//! Which function is above which, by the buses that bridges lead to.

use std::collections::BTreeMap;

use super::function::PrintedFunction;
use crate::topology::address::Address;

/// The functions of a printout as a tree.
#[derive(Debug)]
pub struct FunctionTree<'a> {
    /// All functions.
    pub functions: &'a BTreeMap<Address, PrintedFunction>,
    /// The bridge above each bus, by domain and bus.
    above: BTreeMap<(u32, u8), Address>,
}

impl<'a> FunctionTree<'a> {
    /// The tree of all functions of a printout.
    pub fn of(functions: &'a BTreeMap<Address, PrintedFunction>) -> Self {
        let buses = functions.iter().filter_map(|(address, function)| {
            Some(((address.domain, *function.buses.as_ref()?.start()), *address))
        });
        Self { functions, above: buses.collect() }
    }

    /// The port that leads to a function's bus.
    pub fn port_above(&self, address: Address) -> Option<&'a PrintedFunction> {
        let port = self.above.get(&(address.domain, address.bus)).filter(|port| **port != address)?;
        self.functions.get(port)
    }

    /// The functions from this one up to the root port. `None` if the printout lacks a
    /// port in between.
    pub fn way(&self, address: Address) -> Option<Vec<&'a PrintedFunction>> {
        let mut way = vec![self.functions.get(&address)?];
        while let Some(above) = self.port_above(way.last()?.address) {
            // In a damaged printout, bridges may lead in a circle; there are only 256 buses.
            if way.len() > usize::from(u8::MAX) {
                return None;
            }
            way.push(above);
        }
        way.last()?.is_root_port().then_some(way)
    }

    /// Whether the function is a bridge to a bus with a device. `None` if the printout
    /// does not say where it leads.
    pub fn leads_somewhere(&self, bridge: &PrintedFunction) -> Option<bool> {
        let buses = bridge.buses.as_ref().filter(|buses| !buses.is_empty())?;
        let on = |bus: u8, device, function| Address { bus, device, function, ..bridge.address };
        let below = on(*buses.start(), 0, 0)..=on(*buses.end(), u8::MAX, u8::MAX);
        Some(self.functions.range(below).next().is_some())
    }
}
