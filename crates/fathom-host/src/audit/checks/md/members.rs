//! `md.members`: are the members of the array equal?

use std::collections::BTreeMap;

use super::array::{Array, Member, each_array};
use crate::audit::{Check, Needs, Observe, Observed, Scene};
use fathom_device::Goal::Repeatability;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "md.members",
    title: "Differences between the array's members",
    reads: "/sys/block/mdX/md/rd*/block, size; model, firmware_rev or rev, numa_node, current_link_speed and \
            current_link_width of each",
    why: "A stripe is done when its slowest member is done. One drive of another model, with an older firmware, in a \
          narrower slot or on the other socket slows down all of them: N members give N times the rate of the slowest, \
          not the sum. Of ten measured combinations of cards, eight agreed with this rule within 5 %.",
    judged: "Any difference in model, firmware, size, link or NUMA node warns for repeatability, and is a remark for \
             the others. If all members are equal: ok. Properties that a member does not report are not compared.",
    remedy: "Choose drives of one model and firmware (nvme fw-download, fw-commit), in slots of one kind on one \
             socket; pcie.width, pcie.speed and numa.array_span give details. Or report the differences with the \
             result.",
    needs: Needs::Hardware,
    kernels: "2.6.17 and later; links in sysfs since 4.13",
    sources: &["M-6", "M-7", "Documentation/admin-guide/md.rst"],
    observe: Observe::Once(|scene| each_array(scene, |array| one(scene, array))),
};

fn one(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let members = array.members(scene);
    if members.is_empty() {
        return Err(Unknown::missing(array.file("rd0")));
    }
    let mut seen = array.seen();
    let mut facts: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for member in &members {
        let (size, raw) = scene.value::<u64>(member.dir.join("size"))?;
        seen = seen.show(&raw);
        let told = told(scene, member).into_iter().chain([("size in KiB", size.to_string())]);
        for (what, value) in told {
            facts.entry(what).or_default().entry(value).or_default().push(&member.name);
        }
    }
    let differ: Vec<String> = facts.iter().filter(|(_, values)| values.len() > 1).map(difference).collect();
    Ok(match differ.is_empty() {
        true => seen.ok(format!("{} members, all equal", members.len())),
        false => seen.warn_for(&[Repeatability], differ.join("; ")),
    })
}

/// `model: A (sda, sdb), B (sdc)`.
fn difference((what, values): (&&str, &BTreeMap<String, Vec<&str>>)) -> String {
    let each = values.iter().map(|(value, names)| format!("{value} ({})", names.join(", ")));
    format!("{what}: {}", each.collect::<Vec<_>>().join(", "))
}

/// The properties that the member reports.
fn told(scene: &Scene<'_>, member: &Member) -> Vec<(&'static str, String)> {
    let Some(disk) = scene.queues().find(|disk| disk.sys_dir == member.disk_dir) else { return Vec::new() };
    let link = disk.function().and_then(|function| {
        let read = |file: &str| scene.read(function.join(file)).ok().map(|raw| raw.text);
        Some(format!("{} x{}", read("current_link_speed")?, read("current_link_width")?))
    });
    let node = disk.near(scene.root).ok().map(|near| near.text);
    let (model, firmware) = (disk.model(scene.root), disk.firmware(scene.root));
    let facts = [("model", model), ("firmware", firmware), ("link", link), ("node", node)];
    facts.into_iter().filter_map(|(what, value)| Some((what, value?))).collect()
}
