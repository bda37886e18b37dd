//! One PCI function, with everything that the map says about it.

use schemars::JsonSchema;
use serde::Serialize;

use super::address::Address;
use super::aer::Aer;
use super::config::Express;
use super::fact::Reading;
use super::interrupt::{Interrupt, interrupts};
use super::link::Link;
use super::load::Load;
use super::role::{FunctionKind, Role};
use super::slot::SlotLabels;
use fathom_device::root::{Root, Unknown};

/// Files under `link/` that say whether a link may save power (5.5).
const POWER_SAVERS: [&str; 5] = ["l0s_aspm", "l1_aspm", "l1_1_aspm", "l1_2_aspm", "clkpm"];

/// One PCI function.
#[derive(Debug, Clone, Serialize, JsonSchema)]
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
