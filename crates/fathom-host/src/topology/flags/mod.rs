//! The rules that find flags: one file for each subject.
//!
//! A rule uses the finished map and reads nothing itself, so every flag is
//! based on facts that the map shows. Only the paths of the selected drives are
//! judged.

mod link;

use std::collections::BTreeSet;
use std::fmt::{self, Debug};
use std::path::PathBuf;

use super::address::Address;
use super::block::{BlockDevice, Stack};
use super::bus::Bus;
use super::fact::Reading;
use super::function::Function;
use super::link::{Link, LinkEnd};
use super::map::Topology;
use serde::Serialize;

/// The input of a rule.
pub struct Sight<'a> {
    /// The map, still without flags and without the tree.
    pub map: &'a Topology,
    /// The tree.
    pub bus: &'a Bus,
    /// Every function that data of the selected drives passes.
    on_path: BTreeSet<Address>,
}

/// A disk of an array, and the function that it is behind.
type Member<'a> = (&'a BlockDevice, &'a Function);

type OfLink = fn(&Sight, &Function, &Link) -> Option<Flag>;
type OfArray = fn(&Sight, &Stack, &[Member]) -> Option<Flag>;

/// Rules for each function on the path that has a link.
const OF_LINK: &[OfLink] =
    &[link::narrowed, link::slowed, link::slot_limited, link::oversubscribed, link::power_saving];

/// Rules for each stack over more than one disk.
const OF_ARRAY: &[OfArray] = &[cross_node, uneven, shared_uplink];

/// Rules that choose for themselves what they judge.
const OTHERS: &[fn(&Sight) -> Vec<Flag>] = &[link::chipset, link::errors, link::payload, unknown_node, hot];

/// All flags, worst first, then by node.
pub fn find(sight: &Sight) -> Vec<Flag> {
    let mut flags: Vec<Flag> = OTHERS.iter().flat_map(|rule| rule(sight)).collect();
    for (function, link) in sight.links().filter_map(|function| Some((function, function.link.as_ref()?))) {
        flags.extend(OF_LINK.iter().filter_map(|rule| rule(sight, function, link)));
    }
    for (stack, members) in arrays(sight) {
        flags.extend(OF_ARRAY.iter().filter_map(|rule| rule(sight, stack, &members)));
    }
    flags.sort_by(|a, b| (b.severity, a.id, &a.node).cmp(&(a.severity, b.id, &b.node)));
    flags
}

impl<'a> Sight<'a> {
    /// The input for a map and its tree.
    pub fn new(map: &'a Topology, bus: &'a Bus) -> Self {
        let mut sight = Self { map, bus, on_path: BTreeSet::new() };
        sight.on_path = sight.disks().flat_map(|disk| sight.path_of(disk)).map(|f| f.address).collect();
        sight
    }

    /// The selected disks.
    fn disks(&self) -> impl Iterator<Item = &'a BlockDevice> {
        let map = self.map;
        map.block.iter().filter(|block| map.selected.contains(&block.name))
    }

    /// The functions that a disk's data passes, on each of its paths.
    fn path_of(&self, disk: &BlockDevice) -> impl Iterator<Item = &'a Function> {
        let bus = self.bus;
        disk.functions.clone().into_iter().flat_map(move |address| bus.up_from(address))
    }

    /// Those functions of all selected disks that have a link above them.
    fn links(&self) -> impl Iterator<Item = &'a Function> {
        let bus = self.bus;
        self.on_path.iter().filter_map(|address| bus.functions.get(address)).filter(|f| f.link.is_some())
    }

    /// The name of a function in a sentence: address, and disk or slot.
    fn called(&self, function: &Function) -> String {
        let names = self.map.disks_of(function.address).map(|block| block.name.clone());
        let slot = self.slot_of(function).map(|slot| format!("\"{slot}\""));
        let more: Vec<String> = names.chain(slot).collect();
        match more.is_empty() {
            true => function.address.short(),
            false => format!("{} ({})", function.address.short(), more.join(", ")),
        }
    }

    /// The label of the slot that a function is in, or is behind.
    fn slot_of(&self, function: &Function) -> Option<&'a str> {
        let labels = self.bus.up_from(function.address).filter_map(|f| f.slot.as_ref());
        labels.filter_map(|label| label.value.as_deref()).next()
    }
}

/// Speed and lanes of an end of a link as evidence.
fn of_end(end: &LinkEnd) -> Vec<FlagEvidence> {
    vec![evidence(&end.speed), evidence(&end.lanes)]
}

/// A fact as evidence.
fn evidence<T: Debug>(fact: &Reading<T>) -> FlagEvidence {
    let value = fact.raw.clone().or_else(|| fact.reason.clone());
    FlagEvidence { path: fact.path.clone(), value: value.unwrap_or_default() }
}

// Problems and remarks about the paths of the map.

/// How much it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FlagSeverity {
    /// A remark.
    Info,
    /// May lower the figures.
    Warn,
    /// Lowers the figures.
    Bad,
}

/// The kinds of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FlagId {
    /// A link with fewer lanes than both ends have.
    DowngradedWidth,
    /// A link that is slower than both ends support.
    DowngradedSpeed,
    /// A device in a slot that is slower than the device.
    SlotLimited,
    /// The devices below a port need more than its link carries.
    Oversubscribed,
    /// A device behind the chipset, whose own link is shared and may not be visible.
    ChipsetAttached,
    /// An array over several NUMA nodes.
    CrossNumaArray,
    /// Members of one array with different links.
    UnevenMembers,
    /// Members of one array that share a link.
    SharedUplinkArray,
    /// No NUMA node is known although the machine has several.
    UnknownNuma,
    /// A link on the path may save power.
    AspmOnPath,
    /// Errors have been counted on a link.
    AerErrors,
    /// A payload size below what the whole path can take.
    MpsGap,
    /// A drive at or above the temperature from which it warns.
    Hot,
}

/// The name in output is that in JSON: `downgraded-width`.
impl fmt::Display for FlagId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A file where a user can check the flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlagEvidence {
    /// The path of the file.
    #[serde(with = "fathom_device::saved_path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// The text of the file, or the value in it.
    pub value: String,
}

/// A flag on one node of the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Flag {
    /// The kind of flag.
    pub id: FlagId,
    /// How much it matters.
    pub severity: FlagSeverity,
    /// The node of the map: an address, a disk, an array.
    pub node: String,
    /// One line for the map.
    pub short: String,
    /// What it means and what to do.
    pub explain: String,
    /// The facts behind it.
    pub evidence: Vec<FlagEvidence>,
}

// Problems of a single drive: no known node, too warm.

fn unknown_node(sight: &Sight) -> Vec<Flag> {
    if sight.map.numa_nodes.len() < 2 {
        return Vec::new();
    }
    let ends = sight.disks().flat_map(|disk| disk.functions.iter().map(move |address| (disk, address)));
    let ends = ends.filter_map(|(disk, address)| Some((disk, sight.bus.functions.get(address)?)));
    let without = ends.filter(|(_, function)| function.numa_node.value.is_none());
    without
        .map(|(disk, function)| Flag {
            id: FlagId::UnknownNuma,
            severity: FlagSeverity::Warn,
            node: disk.name.clone(),
            short: "NUMA node unknown".to_owned(),
            explain: format!(
                "The machine has {} NUMA nodes, and the firmware does not report which one is nearest to {}. So fathom \
                 cannot place jobs near it; measure from each node, and look for a firmware update.",
                sight.map.numa_nodes.len(), disk.name
            ),
            evidence: vec![evidence(&function.numa_node)],
        })
        .collect()
}

fn hot(sight: &Sight) -> Vec<Flag> {
    let drives = sight.disks().filter_map(|disk| Some((disk, disk.drive.as_ref()?)));
    let warm = drives.filter_map(|(disk, drive)| {
        let now = drive.temperature_c.value?;
        let warning = drive.temperature_warning_c.value?;
        (now >= warning).then(|| Flag {
            id: FlagId::Hot,
            severity: FlagSeverity::Bad,
            node: disk.name.clone(),
            short: format!("{now:.0} °C, warns from {warning:.0}"),
            explain: format!(
                "{} is at {now:.1} °C and warns from {warning:.1} °C. A drive this warm slows down to protect itself, \
                 so a figure measured now shows only its cooling. Improve the air flow, raise the fan speed, and wait \
                 until it is cooler.",
                disk.name
            ),
            evidence: vec![evidence(&drive.temperature_c), evidence(&drive.temperature_warning_c)],
        })
    });
    warm.collect()
}

// Arrays whose members differ, or share a link.

/// The PCI functions under a stack, each with its disk.
fn functions<'a>(sight: &Sight<'a>, stack: &Stack) -> Vec<Member<'a>> {
    let disks = stack.members.iter().flat_map(|member| &member.disks);
    let disks: BTreeSet<&String> = disks.filter(|disk| sight.map.selected.contains(*disk)).collect();
    let map = sight.map;
    let blocks = disks.into_iter().filter_map(|name| map.block(name));
    let bus = sight.bus;
    blocks.flat_map(|b| b.functions.iter().filter_map(move |a| Some((b, bus.functions.get(a)?)))).collect()
}

/// Stacks over more than one disk. A volume on an array has the same problem as
/// the array; it is reported once, for the array.
fn arrays<'a>(sight: &Sight<'a>) -> impl Iterator<Item = (&'a Stack, Vec<Member<'a>>)> {
    let several = sight.map.stacks.iter().filter(|stack| stack.members.len() > 1);
    let sight = Sight { on_path: BTreeSet::new(), ..*sight };
    several.map(move |stack| (stack, functions(&sight, stack))).filter(|(_, f)| f.len() > 1)
}

fn flag(id: FlagId, severity: FlagSeverity, stack: &Stack, short: String, explain: String) -> Flag {
    Flag { id, severity, node: stack.name.clone(), short, explain, evidence: Vec::new() }
}

fn cross_node(_: &Sight, stack: &Stack, functions: &[Member]) -> Option<Flag> {
    let nodes: BTreeSet<u32> = functions.iter().filter_map(|(_, f)| f.numa_node.value).collect();
    let list: Vec<String> = nodes.iter().map(u32::to_string).collect();
    let name = &stack.name;
    let explain = format!(
        "Members of {name} are on the NUMA nodes {}. Whichever CPU submits, part of the data crosses the link between \
         the sockets, which costs latency, and other memory traffic shares this link. Build arrays of drives on one \
         node, or expect varying figures.",
        list.join(" and ")
    );
    let short = format!("{name} spans nodes {}", list.join(","));
    let evidence = functions.iter().map(|(_, function)| evidence(&function.numa_node)).collect();
    (nodes.len() > 1)
        .then(|| Flag { evidence, ..flag(FlagId::CrossNumaArray, FlagSeverity::Warn, stack, short, explain) })
}

/// A stripe waits for its slowest member: N members give N times its rate.
fn uneven(_: &Sight, stack: &Stack, functions: &[Member]) -> Option<Flag> {
    let rate = |function: &Function| function.link.as_ref()?.current.rate();
    let mut rates: Vec<_> = functions.iter().filter_map(|(b, f)| Some((rate(f)?, *b, *f))).collect();
    rates.sort_by(|a, b| a.0.raw_mbps().total_cmp(&b.0.raw_mbps()));
    let ((least, block, function), (most, ..)) = (rates.first()?, rates.last()?);
    let name = &stack.name;
    let explain = format!(
        "{} of {name} has a link of {least}, others have {most}. A stripe waits for its slowest member, so {} members \
         give {} times its rate and not the sum.",
        block.name,
        functions.len(),
        functions.len()
    );
    let short = format!("{} has {least}, others {most}", block.name);
    let evidence = of_end(&function.link.as_ref()?.current);
    let is_uneven = least.raw_mbps() < most.raw_mbps();
    is_uneven
        .then(|| Flag { evidence, ..flag(FlagId::UnevenMembers, FlagSeverity::Warn, stack, short, explain) })
}

/// The shared link that has the highest load by the members alone.
fn shared_uplink(sight: &Sight, stack: &Stack, functions: &[Member]) -> Option<Flag> {
    let ends: BTreeSet<Address> = functions.iter().map(|(_, function)| function.address).collect();
    let links = sight.links().filter_map(|link| Some((link, shared_by(sight, link, &ends)?)));
    let (link, (members, ratio)) = links.max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let severity = if ratio > 1.001 { FlagSeverity::Bad } else { FlagSeverity::Info };
    let name = &stack.name;
    let explain = format!(
        "{members} members of {name} share the link above {}, and can move {ratio:.2} times what it carries. Above 1 \
         the array cannot reach the sum of its members; spread them over several ports.",
        sight.called(link)
    );
    let short = format!("{members} members share {} ({ratio:.2}:1)", link.address.short());
    let evidence = of_end(&link.link.as_ref()?.current);
    Some(Flag { evidence, ..flag(FlagId::SharedUplinkArray, severity, stack, short, explain) })
}

/// How many of the ends are below this link, and the ratio of their load to its
/// capacity; `None` for fewer than two ends.
fn shared_by(sight: &Sight, link: &Function, ends: &BTreeSet<Address>) -> Option<(usize, f64)> {
    let below = ends.iter().filter(|end| sight.bus.is_below(**end, link.address));
    let below: Vec<&Function> = below.filter_map(|end| sight.bus.functions.get(end)).collect();
    let need: f64 = below.iter().filter_map(|function| function.link.as_ref()?.raw_mbps).sum();
    let capacity = link.link.as_ref()?.raw_mbps?;
    (below.len() > 1).then_some((below.len(), need / capacity))
}
