//! Makes findings of the facts: every rule that says when a device must not be written, as a pure
//! function.

use crate::facts::{Behind, Facts, NodeContents};
use crate::finding::{Finding, FindingKind, Weight};
use fathom_device::device::{DevNumber, Graph, Node, Relation};
use fathom_device::kernel_use::KernelUse;
use fathom_device::mounts::PoolMember as Member;
use fathom_device::signature::{Class, Contents};

/// Everything found, the most severe first.
pub fn inspect(facts: &Facts) -> Vec<Finding> {
    let mut findings: Vec<Finding> = facts.graph.nodes().iter().flat_map(|n| on_node(n, facts)).collect();
    findings.extend(facts.paths.iter().flat_map(|path| on_path(path, facts)));
    findings.extend(facts.behind.iter().map(on_file_behind));
    findings.extend(on_target(facts));
    findings.extend(facts.contents.iter().flat_map(|c| on_contents(c, &facts.graph)));
    findings.extend(on_samples(facts));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.weight));
    findings
}

/// What forbids writing on any node of the graph, above or below the target.
fn on_node(node: &Node, facts: &Facts) -> Vec<Finding> {
    use FindingKind::{Mounted, PoolMember, Swap, SystemDevice};
    let absolute = |kind, detail| Finding::new(kind, Weight::Absolute, &node.name, detail);
    let mut findings = Vec::new();

    let reserved = facts.shared.reserved.iter().filter(|r| r.number == node.number);
    findings.extend(reserved.map(|r| absolute(SystemDevice, format!("holds the {}", r.purpose))));

    let mounts = facts.shared.mounts.iter().filter(|(number, _)| *number == node.number);
    let mut points: Vec<String> = mounts.map(|(_, m)| m.point.display().to_string()).collect();
    points.sort();
    points.dedup();
    findings.extend(points.iter().map(|p| absolute(Mounted, format!("is mounted on {p}"))));

    let pools = facts.shared.pools.iter().filter(|p| p.number == node.number);
    let in_pool = |p: &Member| format!("is in the mounted {}{}", p.pool, points_of_pool(&p.pool, facts));
    findings.extend(pools.map(|p| absolute(PoolMember, in_pool(p))));

    let swaps = facts.shared.swaps.iter().filter(|s| s.device == Some(node.number));
    findings.extend(swaps.map(|_| absolute(Swap, "is active swap".to_owned())));

    findings.extend(relation(node));
    findings.extend(open_elsewhere(node, facts));
    findings
}

/// Where a file system of several devices is mounted: its mounts name one of the devices.
fn points_of_pool(pool: &str, facts: &Facts) -> String {
    let members = facts.shared.pools.iter().filter(|member| member.pool == pool);
    let members: Vec<DevNumber> = members.map(|member| member.number).collect();
    let mounts = facts.shared.mounts.iter().filter(|(number, _)| members.contains(number));
    let mut points: Vec<String> = mounts.map(|(_, mount)| mount.point.display().to_string()).collect();
    points.sort();
    points.dedup();
    if points.is_empty() { String::new() } else { format!(", on {}", points.join(" and ")) }
}

/// What follows from the place of the node in the graph.
fn relation(node: &Node) -> Option<Finding> {
    use FindingKind::{Held, LoopBacking, Partition};
    let (kind, weight, detail) = match node.relation {
        Relation::Holder => (Held, Weight::Absolute, "is built on the target and in use"),
        Relation::Loop => (LoopBacking, Weight::Absolute, "is a loop device over the target"),
        Relation::PossibleLoop => (
            LoopBacking,
            Weight::Absolute,
            "may be a loop device over the target's file: fathom cannot find out which file it is over",
        ),
        Relation::Partition => (Partition, Weight::Contents, "is a partition of the target"),
        Relation::Target | Relation::WholeDisk | Relation::Slave => return None,
    };
    let is_doubt = node.relation == Relation::PossibleLoop;
    Some(Finding::new(kind, weight, &node.name, detail).doubted(is_doubt))
}

/// A process that only reads the disk around the target (smartd) is not disturbed by writes inside
/// the target; a process that writes may be.
fn open_elsewhere(node: &Node, facts: &Facts) -> Vec<Finding> {
    use FindingKind::{OpenForReading, OpenForWriting};
    let openers = facts.shared.openers.iter().filter(|o| o.number == node.number);
    let shown = openers.filter(|o| o.writes || node.relation.is_within_target());
    let mut findings: Vec<Finding> = shown
        .map(|o| {
            let (kind, weight, how) = match o.writes {
                true => (OpenForWriting, Weight::Absolute, "writing"),
                false => (OpenForReading, Weight::Residue, "reading"),
            };
            let detail = format!("is open for {how} by {} (pid {})", o.comm, o.pid);
            Finding::new(kind, weight, &node.name, detail)
        })
        .collect();
    // One process often has a device open many times.
    findings.dedup();
    findings
}

/// A target that is in use through another path is in use. Even a path that is not in use needs
/// consent to destroy, at both doors: the claim on one path does not keep others from writing
/// through the other.
fn on_path(path: &Graph, facts: &Facts) -> Vec<Finding> {
    let mut findings: Vec<Finding> = path.nodes().iter().flat_map(|node| on_node(node, facts)).collect();
    let name = facts.identity.wwid.as_deref().unwrap_or_default();
    let detail =
        format!("has the same size and name ({name}) as the target: it is another path to the same disk");
    findings.push(Finding::new(FindingKind::OtherPath, Weight::Contents, &path.target().name, detail));
    findings
}

/// The target is over a file that has another use as well.
fn on_file_behind(behind: &Behind) -> Finding {
    let Behind { device, standing } = behind;
    let kind = match &standing.by {
        KernelUse::Loop(_) => FindingKind::LoopBacking,
        KernelUse::Swap(_) => FindingKind::Swap,
        KernelUse::Mount(_) => FindingKind::Mounted,
        KernelUse::Overlay(_) => FindingKind::OverlayLayer,
    };
    let detail = format!("is over {}, which {standing}", device.backing_file.display());
    Finding::new(kind, Weight::Absolute, &device.name, detail)
}

fn on_target(facts: &Facts) -> Vec<Finding> {
    let identity = &facts.identity;
    let absolute = |kind, detail| Finding::new(kind, Weight::Absolute, &identity.kernel_name, detail);
    let mut findings = Vec::new();
    if identity.read_only {
        findings.push(absolute(FindingKind::ReadOnly, "is read-only"));
    }
    if identity.size_bytes == 0 {
        findings.push(absolute(FindingKind::NoMedium, "has size 0"));
    }
    findings
}

fn on_contents(node_contents: &NodeContents, graph: &Graph) -> Vec<Finding> {
    let finding = |kind, weight, detail| vec![Finding::new(kind, weight, &node_contents.node, detail)];
    match &node_contents.contents {
        Err(reason) => finding(
            FindingKind::Unreadable,
            Weight::Contents,
            format!("cannot be searched for data: {reason}"),
        ),
        Ok(contents) if !contents.signatures.is_empty() => signatures(&node_contents.node, contents, graph),
        Ok(contents) => match contents.first_nonzero_bytes {
            // Data of no known format on another node is reported when that node is the target;
            // once is enough.
            Some(at) if node_contents.node == graph.target().name => finding(
                FindingKind::UnknownContents,
                Weight::Residue,
                format!("holds data of no known format, from byte {at}"),
            ),
            _ => Vec::new(),
        },
    }
}

/// What the samples of the whole target found. They are taken only where the places of superblocks
/// look blank.
fn on_samples(facts: &Facts) -> Option<Finding> {
    let finding = |kind, weight, detail| Some(Finding::new(kind, weight, &facts.graph.target().name, detail));
    match facts.samples.as_ref()? {
        Err(reason) => {
            let detail = format!("cannot be searched for data: {reason}");
            finding(FindingKind::Unreadable, Weight::Contents, detail)
        }
        Ok(samples) => {
            samples.data_at_bytes?;
            finding(FindingKind::UnknownContents, Weight::Residue, samples.to_string())
        }
    }
}

/// The partition table that a partition is in does not count as content of the disk around it, or
/// of the file of which a loop device shows a part.
fn signatures(node: &str, contents: &Contents, graph: &Graph) -> Vec<Finding> {
    let within = graph.nodes().iter().filter(|n| n.relation.is_within_target());
    let is_around = !within.into_iter().any(|n| n.name == node);
    let lost = contents.signatures.iter().filter(|s| !is_around || s.class != Class::PartitionTable);
    let shown = lost.map(|signature| {
        let (kind, what) = match signature.class {
            Class::PartitionTable => (FindingKind::PartitionTable, "partition table"),
            Class::FileSystem => (FindingKind::Signature, "file system"),
            Class::Swap => (FindingKind::Signature, "swap area"),
            Class::Member => (FindingKind::Signature, "signature"),
            Class::Encrypted => (FindingKind::Signature, "encrypted volume"),
        };
        let detail = format!("has the {what} {:?} at byte {}", signature.name, signature.offset_bytes);
        Finding::new(kind, Weight::Contents, node, detail)
    });
    shown.collect()
}
