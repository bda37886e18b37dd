//! One PCI function, with everything that the map says about it.

use std::collections::BTreeMap;

use super::address::Address;
use super::fact::Reading;
use super::link::{Express, Link, Load};
use crate::smbios::{TABLE, system_slots};
use fathom_device::address::aer_total;
use fathom_device::cpus::CpuSet;
use fathom_device::root::{Root, Unknown};
use serde::Serialize;

/// Files under `link/` that say whether a link may save power (5.5).
const POWER_SAVERS: [&str; 5] = ["l0s_aspm", "l1_aspm", "l1_1_aspm", "l1_2_aspm", "clkpm"];

/// One PCI function.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Function {
    /// Its address.
    pub address: Address,
    /// The function above it: a port, or the VMD that made its domain.
    pub parent: Option<Address>,
    /// The host bridge it is below, as `pci0000:00`.
    pub host_bridge: String,
    /// Its position in the tree (root port, port of a switch, endpoint, …).
    pub kind: FunctionKind,
    /// Whether `kind` is read from the configuration space (`true`) or inferred
    /// from the position in the tree.
    pub kind_is_read: bool,
    /// Its purpose.
    pub role: Role,
    /// Class code, 24 bits.
    pub class: Reading<u32>,
    /// Vendor, as a number.
    pub vendor: Reading<u32>,
    /// Device, as a number.
    pub device: Reading<u32>,
    /// Driver bound to it.
    pub driver: Reading<String>,
    /// NUMA node; unknown if the firmware reports none.
    pub numa_node: Reading<u32>,
    /// Label of its slot.
    pub slot: Option<Reading<String>>,
    /// The link above it, if it has one.
    pub link: Option<Link>,
    /// Bytes of payload that it is set to.
    pub payload_bytes: Reading<u32>,
    /// Bytes of payload that it can take.
    pub payload_capable_bytes: Reading<u32>,
    /// Largest read request, in bytes.
    pub read_request_bytes: Reading<u32>,
    /// Ways of saving power that its link may use.
    pub aspm: Vec<Reading<bool>>,
    /// Error counters.
    pub aer: Aer,
    /// Message interrupts, for storage only.
    pub interrupts: Vec<Interrupt>,
    /// The load on its link, if it has one.
    pub load: Option<Load>,
}

impl Function {
    /// Reads a function. `above` is the function above it in the tree.
    pub fn read(
        root: &Root,
        address: Address,
        above: Option<&Self>,
        host_bridge: String,
        slots: &SlotLabels,
    ) -> Self {
        let dir = address.sys_dir();
        let express = Express::read(root, address);
        let class = Reading::read(root, format!("{dir}/class"), hex);
        let driver = Reading::link(root, format!("{dir}/driver"));
        let role = Role::of(class.value.unwrap_or_default(), driver.value.as_deref());
        // A domain of VMD is like a new tree: its first bridges are root ports.
        let above_kind = above.filter(|parent| parent.role != Role::Nest).map(|parent| parent.kind);
        let read = express.port_type().value.and_then(FunctionKind::of_port_type);
        let kind = read.unwrap_or_else(|| FunctionKind::of_place(role == Role::Bridge, above_kind));
        let port = above.filter(|parent| kind.faces_up() && parent.role == Role::Bridge);
        Self {
            address,
            parent: above.map(|parent| parent.address),
            host_bridge,
            kind,
            kind_is_read: read.is_some(),
            role,
            class,
            vendor: Reading::read(root, format!("{dir}/vendor"), hex),
            device: Reading::read(root, format!("{dir}/device"), hex),
            driver,
            numa_node: numa_node(root, &dir),
            slot: slots.label(address).cloned(),
            link: port.map(|port| Link::read(root, address, port.address, express.payload_bytes().value)),
            payload_bytes: express.payload_bytes(),
            payload_capable_bytes: express.payload_capable_bytes(),
            read_request_bytes: express.read_request_bytes(),
            aspm: aspm(root, &dir),
            aer: Aer::read(root, address),
            interrupts: if role == Role::Storage { interrupts(root, address) } else { Vec::new() },
            load: None,
        }
    }
}

fn hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// The kernel shows -1 if the firmware reports no node.
fn numa_node(root: &Root, dir: &str) -> Reading<u32> {
    let node = Reading::<i32>::parsed(root, format!("{dir}/numa_node"));
    match (node.value, node.raw) {
        (Some(-1), Some(raw)) => {
            let unknown = Unknown::absent(&node.path, "the firmware reports no node");
            Reading { raw: Some(raw), ..Reading::unknown(unknown) }
        }
        (value, raw) => Reading {
            value: value.and_then(|node| u32::try_from(node).ok()),
            path: node.path,
            raw,
            reason: node.reason,
            why: node.why,
        },
    }
}

fn aspm(root: &Root, dir: &str) -> Vec<Reading<bool>> {
    let files = POWER_SAVERS.iter().map(|file| format!("{dir}/link/{file}"));
    let there = files.filter(|path| root.exists(path));
    let flag = |path: String| {
        Reading::read(root, path, |text| match text {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })
    };
    there.map(flag).collect()
}

// What a PCI function is for, by its class code (PCI Code and ID Assignment
// Specification 1.15), and its position in the tree.

/// The purpose of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Drives and their controllers, including Fibre Channel.
    Storage,
    /// Network, InfiniBand.
    Network,
    /// Graphics.
    Display,
    /// Other processors: accelerators, co-processors.
    Processing,
    /// Bridges to other functions.
    Bridge,
    /// Intel's VMD, which makes a PCI domain of its own behind itself.
    Nest,
    /// Anything else.
    Other,
}

impl Role {
    /// The role from class code (24 bits) and driver. The class of VMD is RAID
    /// controller, but it moves no data of its own.
    pub fn of(class: u32, driver: Option<&str>) -> Self {
        if driver == Some("vmd") {
            return Self::Nest;
        }
        match (class >> 16, class >> 8 & 0xff) {
            (0x01, _) | (0x0c, 0x04) => Self::Storage,
            (0x02, _) | (0x0c, 0x06) => Self::Network,
            (0x03, _) => Self::Display,
            (0x0b | 0x12 | 0x40, _) => Self::Processing,
            (0x06, _) => Self::Bridge,
            _ => Self::Other,
        }
    }

    /// A word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Network => "network",
            Self::Display => "graphics",
            Self::Processing => "accelerator",
            Self::Bridge => "bridge",
            Self::Nest => "VMD",
            Self::Other => "other",
        }
    }
}

/// The position of a function in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FunctionKind {
    /// Port of the CPU or chipset.
    RootPort,
    /// Port of a switch towards the CPU.
    SwitchUp,
    /// Port of a switch away from the CPU.
    SwitchDown,
    /// Another bridge.
    Bridge,
    /// A function with a link above it.
    Endpoint,
    /// A function of the CPU or chipset itself, without a link.
    Integrated,
}

impl FunctionKind {
    /// The kind from the type in the configuration space (PCI Express Base 5.0,
    /// §7.5.3.2).
    pub fn of_port_type(port_type: u8) -> Option<Self> {
        match port_type {
            0 | 1 => Some(Self::Endpoint),
            4 => Some(Self::RootPort),
            5 => Some(Self::SwitchUp),
            6 => Some(Self::SwitchDown),
            7 | 8 => Some(Self::Bridge),
            9 | 10 => Some(Self::Integrated),
            _ => None,
        }
    }

    /// The kind from the function's position in the tree, which works without
    /// root. Bridges below each other alternate: root port, switch up, switch
    /// down, switch up.
    pub fn of_place(is_bridge: bool, above: Option<Self>) -> Self {
        match (is_bridge, above) {
            (true, None) => Self::RootPort,
            (true, Some(Self::RootPort | Self::SwitchDown)) => Self::SwitchUp,
            (true, Some(Self::SwitchUp)) => Self::SwitchDown,
            (true, Some(_)) => Self::Bridge,
            (false, None) => Self::Integrated,
            (false, Some(_)) => Self::Endpoint,
        }
    }

    /// A word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::RootPort => "root port",
            Self::SwitchUp => "switch up",
            Self::SwitchDown => "switch down",
            Self::Bridge => "bridge",
            Self::Endpoint => "endpoint",
            Self::Integrated => "integrated",
        }
    }

    /// Whether its port is the lower end of the link above it.
    pub fn faces_up(self) -> bool {
        matches!(self, Self::SwitchUp | Self::Endpoint | Self::Bridge)
    }
}

// Errors that a function has counted since it was found (Advanced Error
// Reporting, Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats).
//
// Some bridges count errors that did not happen, mostly without load or
// drivers, so it matters whether the counts grow during a run.

/// Totals by severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Aer {
    /// Errors that were repaired by a retransmission, which costs time.
    pub correctable: Reading<u64>,
    /// Errors that lost a request.
    pub nonfatal: Reading<u64>,
    /// Errors that lost the link.
    pub fatal: Reading<u64>,
}

impl Aer {
    /// Reads the counters of a function.
    pub fn read(root: &Root, address: Address) -> Self {
        let total =
            |kind: &str| Reading::read(root, format!("{}/aer_dev_{kind}", address.sys_dir()), aer_total);
        Self { correctable: total("correctable"), nonfatal: total("nonfatal"), fatal: total("fatal") }
    }
}

// The interrupts of a function, and whether they may be moved.

/// Bits of a file's permissions that let anybody write it.
const WRITABLE: u32 = 0o222;

/// One interrupt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interrupt {
    /// The number of the interrupt.
    pub number: u32,
    /// Whether the kernel keeps it on the CPUs of its queue. Then its affinity
    /// file cannot be written, so a user or irqbalance cannot move it.
    pub managed: Reading<bool>,
    /// CPUs that handle it.
    pub cpus: Reading<CpuSet>,
}

/// All message interrupts of a function, in their order.
pub fn interrupts(root: &Root, address: Address) -> Vec<Interrupt> {
    let numbers = root.numbers(format!("{}/msi_irqs", address.sys_dir()), "");
    numbers.into_iter().map(|number| interrupt(root, number)).collect()
}

fn interrupt(root: &Root, number: u32) -> Interrupt {
    let dir = format!("/proc/irq/{number}");
    let path = format!("{dir}/smp_affinity");
    let managed = match root.mode(&path) {
        Ok(mode) => Reading::known(mode & WRITABLE == 0, path, format!("mode {mode:04o}")),
        Err(unknown) => Reading::unknown(unknown),
    };
    let list = |file: &str| Reading::read(root, format!("{dir}/{file}"), |text| CpuSet::from_list(text).ok());
    // The effective CPUs, where the kernel reports them (4.15), or else the requested ones.
    let places = ["effective_affinity_list", "smp_affinity_list"].map(list);
    let cpus = places.into_iter().reduce(|first, second| match first.value {
        Some(_) => first,
        None => second,
    });
    Interrupt { number, managed, cpus: cpus.expect("there are two places") }
}

// The names of slots, from the hotplug drivers and from the firmware.

/// Slots of the hotplug drivers; all users may read them.
const HOTPLUG: &str = "/sys/bus/pci/slots";

/// Every slot's label by the device in it (function 0).
#[derive(Debug)]
pub struct SlotLabels {
    labels: BTreeMap<Address, Reading<String>>,
    /// Why the firmware's names are not known, if they are not.
    pub unknown: Option<Unknown>,
}

impl SlotLabels {
    /// Reads both sources. The firmware's name has priority, because it is the one on the board.
    pub fn read(root: &Root) -> Self {
        let mut labels: BTreeMap<_, _> = hotplug(root).collect();
        let table = root.read_bytes(TABLE);
        let unknown = table.as_ref().err().cloned();
        for (name, address) in system_slots(&table.unwrap_or_default()) {
            if let Some(address) = address {
                let raw = format!("type 9, {name}, {address}");
                labels.insert(Address { function: 0, ..address }, Reading::known(name, TABLE, raw));
            }
        }
        Self { labels, unknown }
    }

    /// The label of the slot that this function's device is in.
    pub fn label(&self, address: Address) -> Option<&Reading<String>> {
        self.labels.get(&Address { function: 0, ..address })
    }
}

fn hotplug(root: &Root) -> impl Iterator<Item = (Address, Reading<String>)> {
    let names = root.list(HOTPLUG).unwrap_or_default().into_iter();
    names.filter_map(|name| {
        let path = format!("{HOTPLUG}/{name}/address");
        let raw = root.read_text(&path).ok()?;
        let address = format!("{raw}.0").parse().ok()?;
        Some((address, Reading::known(name, path, raw)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_by_class() {
        let table = [
            (0x01_08_02, None, Role::Storage),
            (0x01_80_00, None, Role::Storage),
            (0x0c_04_00, None, Role::Storage),
            (0x01_04_00, Some("vmd"), Role::Nest),
            (0x02_00_00, None, Role::Network),
            (0x03_02_00, None, Role::Display),
            (0x06_04_00, Some("pcieport"), Role::Bridge),
            (0x0c_03_30, None, Role::Other),
        ];
        for (class, driver, role) in table {
            assert_eq!(Role::of(class, driver), role, "{class:06x}");
        }
    }

    #[test]
    fn places_take_turns() {
        let root = FunctionKind::of_place(true, None);
        let up = FunctionKind::of_place(true, Some(root));
        let down = FunctionKind::of_place(true, Some(up));
        assert_eq!(
            [root, up, down],
            [FunctionKind::RootPort, FunctionKind::SwitchUp, FunctionKind::SwitchDown]
        );
        assert_eq!(FunctionKind::of_place(true, Some(down)), FunctionKind::SwitchUp);
        assert_eq!(FunctionKind::of_place(false, Some(down)), FunctionKind::Endpoint);
        assert_eq!(FunctionKind::of_place(false, None), FunctionKind::Integrated);
        assert_eq!(FunctionKind::of_port_type(5), Some(up));
        assert_eq!(FunctionKind::of_port_type(15), None);
    }
}
