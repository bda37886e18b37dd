//! What `lspci` prints of a function: address, class and name (docs/guide-index.md: M-12), and with
//! `-vv` its links, errors and packets.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::calc::pcie::{Generation, LANES, LinkRate};
use crate::printout::{after, name, number};
use crate::topology::address::Address;

/// A function and what is printed about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedFunction {
    /// Address.
    pub address: Address,
    /// `PCI bridge`.
    pub class: String,
    /// Vendor and device.
    pub name: String,
    /// First and last bus below a bridge.
    pub buses: Option<RangeInclusive<u8>>,
    /// The type of its port: `Endpoint, MSI 00`.
    pub port: Option<String>,
    /// The speed and width of its link now.
    pub link_now: Option<PrintedLinkEnd>,
    /// The speed and width that its link could have.
    pub link_max: Option<PrintedLinkEnd>,
    /// The largest payload of a packet that it can receive, in bytes.
    pub payload_capable_bytes: Option<u32>,
    /// The payload that it is set to, in bytes.
    pub payload_bytes: Option<u32>,
    /// Bytes that one of its read requests may request.
    pub read_request_bytes: Option<u32>,
    /// Its capabilities are hidden, as they are from every user but root.
    pub is_denied: bool,
    /// It does not answer: every bit that is read from it is one.
    pub is_silent: bool,
    /// All its lines without their indentation, with the first.
    pub(super) lines: Vec<String>,
}

/// Speed and width of one end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrintedLinkEnd {
    /// Speed, if it is known.
    pub generation: Option<Generation>,
    /// Lanes, if they are known.
    pub lanes: Option<u32>,
}

impl PrintedLinkEnd {
    /// Both, if both are known.
    pub fn rate(self) -> Option<LinkRate> {
        Some(LinkRate { generation: self.generation?, lanes: self.lanes? })
    }
}

/// The functions of a printout. If one is printed more than once, for example by
/// `lspci -D` and then by `lspci -vv`, the one with the most lines counts.
pub fn parse(text: &str) -> BTreeMap<Address, PrintedFunction> {
    let mut blocks: Vec<Vec<String>> = Vec::new();
    for line in text.lines() {
        if begins(line) {
            blocks.push(vec![line.trim().to_owned()]);
        } else if let Some(block) = blocks.last_mut() {
            block.push(line.trim().to_owned());
        }
    }
    let mut functions: BTreeMap<Address, PrintedFunction> = BTreeMap::new();
    for function in blocks.into_iter().filter_map(PrintedFunction::of) {
        let held = functions.get(&function.address);
        if held.is_none_or(|held| held.lines.len() < function.lines.len()) {
            functions.insert(function.address, function);
        }
    }
    functions
}

/// Whether it is the first line of a function, the only one that is not indented.
pub(super) fn begins(line: &str) -> bool {
    !line.starts_with(char::is_whitespace) && listed(line).is_some()
}

/// Address, class and name.
fn listed(line: &str) -> Option<(Address, &str, &str)> {
    let (address, rest) = line.trim().split_once(' ')?;
    let (class, name) = rest.split_once(": ")?;
    Some((address.parse().ok()?, class, name))
}

impl PrintedFunction {
    fn of(lines: Vec<String>) -> Option<Self> {
        let (address, class, name) = listed(&lines[0])?;
        let field = |word| lines.iter().find_map(|line| line.strip_prefix(word)).map(str::trim);
        let has = |word| lines.iter().any(|line| line.contains(word));
        Some(Self {
            address,
            class: class.to_owned(),
            name: name.to_owned(),
            buses: field("Bus:").and_then(buses),
            port: lines.iter().find_map(|line| port(line)),
            link_now: field("LnkSta:").map(end),
            link_max: field("LnkCap:").map(end),
            payload_capable_bytes: payload(&lines, "DevCap:"),
            payload_bytes: payload(&lines, "DevCtl:"),
            read_request_bytes: lines.iter().find_map(|line| bytes_after(line, "MaxReadReq ")),
            is_denied: has("<access denied>"),
            is_silent: name.contains("(rev ff)") && has("header type 7f"),
            lines,
        })
    }

    /// Class and name, as a sentence shows them.
    pub(in crate::printout) fn title(&self) -> String {
        name(&format!("{}: {}", self.class, self.name))
    }

    /// Whether it is a bridge to another bus.
    pub fn is_bridge(&self) -> bool {
        self.class.starts_with("PCI bridge")
    }

    /// Whether it is a drive or its controller; Fibre Channel is included.
    pub fn is_storage(&self) -> bool {
        let words = ["storage", "Non-Volatile memory", "SATA", "RAID", "SCSI", "Fibre Channel"];
        words.iter().any(|word| self.class.contains(word))
    }

    /// Whether it has a link upwards. Root ports and the lower ports of switches have
    /// their link below, and a part of the root complex has none.
    pub fn is_lower_end(&self) -> bool {
        let upper = ["Root Port", "Downstream Port", "Root Complex"];
        self.port.as_ref().is_some_and(|port| !upper.iter().any(|word| port.starts_with(word)))
    }

    /// Whether it is a root port, with the processor on its other side.
    pub fn is_root_port(&self) -> bool {
        self.port.as_ref().is_some_and(|port| port.starts_with("Root Port"))
    }
}

/// `primary=00, secondary=01, subordinate=05`.
fn buses(field: &str) -> Option<RangeInclusive<u8>> {
    let bus = |word| u8::from_str_radix(after(field, word)?.get(..2)?, 16).ok();
    Some(bus("secondary=")?..=bus("subordinate=")?)
}

/// `Capabilities: [70] Express (v2) Endpoint, MSI 00`.
fn port(line: &str) -> Option<String> {
    Some(after(line, "] Express (v")?.split_once(") ")?.1.to_owned())
}

/// The sizes are on the line of their register or on those below it, up to
/// the next register.
fn payload(lines: &[String], register: &str) -> Option<u32> {
    let from = lines.iter().position(|line| line.starts_with(register))?;
    let is_other = |line: &&String| line.split_once(':').is_some_and(|(word, _)| !word.contains(' '));
    let below = lines[from + 1..].iter().take_while(|line| !is_other(line));
    lines[from..=from].iter().chain(below).find_map(|line| bytes_after(line, "MaxPayload "))
}

/// `Speed 8GT/s (ok), Width x4 (ok)`.
fn end(field: &str) -> PrintedLinkEnd {
    let speed = after(field, "Speed ").and_then(|rest| rest.split_once("GT/s")).map(|(rate, _)| rate);
    let lanes = after(field, "Width x").and_then(number).map(|lanes| lanes as u32);
    PrintedLinkEnd {
        generation: speed.and_then(|rate| Generation::from_gigatransfers(rate.trim().parse().ok()?)),
        lanes: lanes.filter(|lanes| LANES.contains(lanes)),
    }
}

/// Sizes of packets are powers of two from 128 to 4096 (PCI Express Base 5.0,
/// §7.5.3.4).
fn bytes_after(line: &str, word: &str) -> Option<u32> {
    let bytes = number(after(line, word)?)? as u32;
    Some(bytes).filter(|bytes| (128..=4096).contains(bytes) && bytes.is_power_of_two())
}

// Which function is above which, by the buses that bridges lead to.

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
