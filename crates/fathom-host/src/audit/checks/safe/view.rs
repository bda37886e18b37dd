//! The guard's findings as observations.
//!
//! A finding forbids writing. For a job that writes it is bad where the guard
//! refuses even with consent, and a warning where consent is enough. For a job
//! that only reads, or where no job is known, it is a remark.

use std::path::PathBuf;

use crate::audit::{Grade, Grades, Observation, Safety, Scene};
use fathom_device::device::Node;
use fathom_device::root::Unknown;
use fathom_device::signature::Signature;
use fathom_guard::{Facts, Finding, FindingKind, Weight};

/// One or more observations for each target that is a block device.
pub(super) fn each_target(
    scene: &Scene<'_>,
    observe: impl Fn(&Safety, &Facts, &[Finding]) -> Vec<Observation>,
) -> Vec<Observation> {
    let seen = scene.safety().iter().flat_map(|safety| match &safety.view {
        Ok((facts, findings)) => observe(safety, facts, findings),
        Err(unknown) => vec![Observation::unknown(&safety.name, unknown.clone())],
    });
    let seen: Vec<Observation> = seen.collect();
    match seen.is_empty() {
        true if scene.job.spares_content => {
            vec![Observation::on("host").not_applicable("the job only reads, so the content does not matter")]
        }
        true => vec![Observation::on("host").not_applicable("no target is a block device")],
        false => seen,
    }
}

/// The findings of these kinds; ok with `nothing` where there is none.
pub(super) fn of_kinds(
    scene: &Scene<'_>,
    kinds: &[FindingKind],
    path: impl Fn(&Finding) -> PathBuf,
    nothing: &str,
) -> Vec<Observation> {
    each_target(scene, |safety, facts, findings| {
        let told = findings.iter().filter(|finding| kinds.contains(&finding.kind));
        let told: Vec<Observation> =
            told.map(|finding| tell(scene, safety, finding, path(finding))).collect();
        if told.is_empty() { vec![clear(safety, facts, nothing)] } else { told }
    })
}

/// `seen`, with the findings of this kind in place of what was ok on their
/// targets.
pub(super) fn with_kind(
    scene: &Scene<'_>,
    mut seen: Vec<Observation>,
    kind: FindingKind,
    path: impl Fn(&str) -> PathBuf,
) -> Vec<Observation> {
    let found = each_target(scene, |safety, _, findings| {
        let told = findings.iter().filter(|finding| finding.kind == kind);
        told.map(|finding| tell(scene, safety, finding, path(&finding.node))).collect()
    });
    let is_found = |seen: &Observation| seen.verdicts.worst() != Grade::NotApplicable;
    let found: Vec<Observation> = found.into_iter().filter(is_found).collect();
    seen.retain(|one| one.verdicts.worst() != Grade::Ok || found.iter().all(|f| f.subject != one.subject));
    seen.extend(found);
    seen
}

/// Nothing was found on any of the devices that share bytes with the target.
/// The evidence lists the devices that were checked.
pub(super) fn clear(safety: &Safety, facts: &Facts, nothing: &str) -> Observation {
    let asked: Vec<&str> = facts.graph.nodes().iter().map(|node| node.name.as_str()).collect();
    let target = facts.graph.target();
    Observation::on(&safety.name).with(&target.sys_dir, format!("checked: {}", asked.join(", "))).ok(nothing)
}

/// A finding, in the words of the guard.
pub(super) fn tell(scene: &Scene<'_>, safety: &Safety, finding: &Finding, path: PathBuf) -> Observation {
    let seen = Observation::on(&safety.name).with(path, &finding.detail);
    seen.judge(verdicts(scene, finding.weight), format!("{finding}{}", consequence(finding.weight)))
}

pub(super) fn verdicts(scene: &Scene<'_>, weight: Weight) -> Grades {
    Grades::all(match (scene.job.writes, weight) {
        (Some(true), Weight::Absolute) => Grade::Bad,
        (Some(true), _) => Grade::Warn,
        _ => Grade::Info,
    })
}

fn consequence(weight: Weight) -> &'static str {
    match weight {
        Weight::Absolute => ": fathom will not write to it, even with consent",
        _ => ": to write to it, fathom needs --destroy with its serial number",
    }
}

/// The signatures that `wanted` selects, on each node whose bytes are the
/// target's; n-a for a node that cannot be read.
pub(super) fn of_signatures(
    scene: &Scene<'_>,
    wanted: impl Fn(&Signature) -> bool,
    nothing: &str,
) -> Vec<Observation> {
    each_target(scene, |safety, facts, findings| {
        let of = |node| on_node(scene, safety, findings, node, &wanted);
        let nodes: Vec<Result<Vec<Observation>, Unknown>> = looked_into(facts).map(of).collect();
        let unknown = nodes.iter().find_map(|seen| seen.as_ref().err().cloned());
        let mut told: Vec<Observation> = nodes.into_iter().flatten().flatten().collect();
        match unknown {
            Some(unknown) => told.push(Observation::unknown(&safety.name, unknown)),
            None if told.is_empty() => told.push(clear(safety, facts, nothing)),
            None => {}
        }
        told
    })
}

/// The nodes whose content the guard reads, by the same rule as in its facts.
fn looked_into(facts: &Facts) -> impl Iterator<Item = &Node> {
    facts.graph.nodes().iter().filter(|node| facts.contents.iter().any(|found| found.node == node.name))
}

fn on_node(
    scene: &Scene<'_>,
    safety: &Safety,
    findings: &[Finding],
    node: &Node,
    wanted: impl Fn(&Signature) -> bool,
) -> Result<Vec<Observation>, Unknown> {
    let contents = scene.contents_of(&node.name)?;
    let told = contents.signatures.iter().filter(|signature| wanted(signature)).filter_map(|signature| {
        let place = format!("{:?} at byte {}", signature.name, signature.offset_bytes);
        let said = |finding: &&Finding| finding.node == node.name && finding.detail.ends_with(&place);
        Some(tell(scene, safety, findings.iter().find(said)?, node.dev_path.clone()))
    });
    Ok(told.collect())
}
