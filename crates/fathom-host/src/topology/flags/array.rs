//! Arrays whose members differ, or share a link.

use std::collections::BTreeSet;

use super::{Sight, evidence, of_end};
use crate::topology::address::Address;
use crate::topology::array::Stack;
use crate::topology::block::BlockDevice;
use crate::topology::flag::{Flag, FlagId, FlagSeverity};
use crate::topology::function::Function;

/// The PCI functions under a stack, each with its disk.
fn functions<'a>(sight: &Sight<'a>, stack: &Stack) -> Vec<(&'a BlockDevice, &'a Function)> {
    let disks = stack.members.iter().flat_map(|member| &member.disks);
    let disks: BTreeSet<&String> = disks.filter(|disk| sight.map.selected.contains(*disk)).collect();
    let map = sight.map;
    let blocks = disks.into_iter().filter_map(|name| map.block(name));
    let bus = sight.bus;
    blocks.flat_map(|b| b.functions.iter().filter_map(move |a| Some((b, bus.functions.get(a)?)))).collect()
}

/// Stacks over more than one disk. A volume on an array has the same problem as
/// the array; it is reported once, for the array.
fn arrays<'a>(sight: &Sight<'a>) -> impl Iterator<Item = (&'a Stack, Vec<(&'a BlockDevice, &'a Function)>)> {
    let several = sight.map.stacks.iter().filter(|stack| stack.members.len() > 1);
    let sight = Sight { on_path: BTreeSet::new(), ..*sight };
    several.map(move |stack| (stack, functions(&sight, stack))).filter(|(_, f)| f.len() > 1)
}

fn flag(id: FlagId, severity: FlagSeverity, stack: &Stack, short: String, explain: String) -> Flag {
    Flag { id, severity, node: stack.name.clone(), short, explain, evidence: Vec::new() }
}

pub fn cross_node(sight: &Sight) -> Vec<Flag> {
    arrays(sight).filter_map(|(stack, functions)| cross_node_flag(stack, &functions)).collect()
}

fn cross_node_flag(stack: &Stack, functions: &[(&BlockDevice, &Function)]) -> Option<Flag> {
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

pub fn uneven(sight: &Sight) -> Vec<Flag> {
    arrays(sight).filter_map(|(stack, functions)| uneven_flag(stack, &functions)).collect()
}

/// A stripe waits for its slowest member: N members give N times its rate
/// (M-7).
fn uneven_flag(stack: &Stack, functions: &[(&BlockDevice, &Function)]) -> Option<Flag> {
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

pub fn shared_uplink(sight: &Sight) -> Vec<Flag> {
    arrays(sight).filter_map(|(stack, functions)| shared_flag(sight, stack, &functions)).collect()
}

/// The shared link that has the highest load by the members alone.
fn shared_flag(sight: &Sight, stack: &Stack, functions: &[(&BlockDevice, &Function)]) -> Option<Flag> {
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
