//! Is everything as it was when the procedure began?
//!
//! Rounds that were measured on different devices, kernels or versions of fathom do not belong
//! together. The person who resumes is told what differs, and decides.

use crate::exit::{Exit, Failure};
use crate::facts;
use crate::grounds::PlanGrounds;
use crate::here::Here;
use fathom_job::plan::simulated_model;
use fathom_results::Fact;
use fathom_results::procedure::{ProcedureRecord, ProcedureResult, TargetIdentity};
use fathom_text::carried::{of_os, to_path};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Facts of the machine that must be the same.
const MACHINE: [(&str, &str); 2] = [("hostname", "the machine"), ("kernel", "the kernel")];

/// What differs, one sentence each. `now` are the facts of the host today.
pub(super) fn differences(procedure: &ProcedureResult, now: &[Fact], now_unix_ns: u64) -> Vec<String> {
    let record = &procedure.record;
    let mut differing = Vec::new();
    let mut compare = |what: &str, before: &str, now: &str| {
        if before != now {
            differing.push(format!("{what} was {before} and is {now}"));
        }
    };
    compare("fathom", &record.fathom, env!("CARGO_PKG_VERSION"));
    for (name, what) in MACHINE {
        compare(what, value(&record.shared.host, name), value(now, name));
    }
    if names_paths_here(record) {
        compare("the current directory", &record.working_dir, &working_dir());
    }
    for before in &record.targets {
        let path = &before.path;
        let today = identity(path, now);
        compare(
            &format!("the serial number of the disk of {path}"),
            text_or_none(&before.serial),
            text_or_none(&today.serial),
        );
        compare(
            &format!("the model of the disk of {path}"),
            text_or_none(&before.model),
            text_or_none(&today.model),
        );
        let size = |size: Option<u64>| size.map_or("unknown".to_owned(), |n| format!("{n} bytes"));
        compare(
            &format!("the size of the disk of {path}"),
            &size(before.size_bytes),
            &size(today.size_bytes),
        );
        compare(&format!("the file below {path}"), &below(before), &below(&today));
        let file =
            |inode: Option<u64>| inode.map_or("missing".to_owned(), |inode| format!("the file {inode}"));
        // A round may have created a file that did not exist before.
        if before.inode.is_some() {
            compare(&format!("what {path} leads to"), &file(before.inode), &file(today.inode));
        }
    }
    let has_measured = procedure.rounds().next().is_some();
    let simulated =
        record.targets.iter().map(|target| &target.path).filter(|path| simulated_model(path).is_some());
    differing.extend(simulated.filter(|_| has_measured).map(|drive| {
        format!("{drive} was in the memory of the process that ended, and begins again as a new drive")
    }));
    if let Some(last) = procedure.steps.last().filter(|last| last.ended_unix_ns > now_unix_ns) {
        let seconds = (last.ended_unix_ns - now_unix_ns).div_ceil(1_000_000_000);
        differing.push(format!("the clock is {seconds} s before the end of the last step"));
    }
    differing
}

/// What tells a target now from another one.
pub fn target_now(target: &Path, here: &Here) -> TargetIdentity {
    let facts = facts::host_facts(here, &PlanGrounds { targets: vec![target.to_owned()], facts: Vec::new() });
    identity(&of_os(target), &facts)
}

/// Is a target the one that a procedure wrote to, by the serial number, or by the file below a loop device, whatever its path is
/// now?
pub fn is_same_disk(wrote: &ProcedureRecord, now: &TargetIdentity) -> bool {
    wrote.targets.first().is_some_and(|before| {
        let has_serial = now.serial.is_some() && before.serial == now.serial && before.model == now.model;
        let has_backing = now.backing_inode.is_some()
            && before.backing_inode == now.backing_inode
            && before.backing_file == now.backing_file;
        has_serial || has_backing
    })
}

/// In what a target is another one than the one that a procedure wrote to, under whatever path it is now; one clause each.
/// What is unknown of either does not differ.
///
/// # Errors
/// The procedure names no target.
pub fn other_target(wrote: &ProcedureRecord, now: &TargetIdentity) -> Result<Vec<String>, Failure> {
    let nothing = || Failure::new(Exit::Incomplete, "it names no target that it wrote to");
    let before = wrote.targets.first().ok_or_else(nothing)?;
    let bytes = |size: Option<u64>| size.map(|size| size.to_string());
    let pairs = [
        ("serial number", before.serial.clone(), now.serial.clone()),
        ("model", before.model.clone(), now.model.clone()),
        ("size in bytes", bytes(before.size_bytes), bytes(now.size_bytes)),
        ("file", before.backing_file.clone(), now.backing_file.clone()),
    ];
    let differs = |(what, before, now): (&str, Option<String>, Option<String>)| match (before, now) {
        (Some(before), Some(now)) if before != now => {
            Some(format!("the {what} of the disk was {before} and is {now}"))
        }
        _ => None,
    };
    Ok(pairs.into_iter().filter_map(differs).collect())
}

/// Does the procedure name files by paths that begin in the current directory?
fn names_paths_here(record: &ProcedureRecord) -> bool {
    let is_here = |path: &String| !path.is_empty() && to_path(path).is_relative();
    record.targets.iter().any(|target| is_here(&target.path))
}

/// The current directory, as the record has it.
pub(super) fn working_dir() -> String {
    std::env::current_dir().map(of_os).unwrap_or_default()
}

/// What tells a target from another of the same name.
pub(super) fn identity(path: &str, facts: &[Fact]) -> TargetIdentity {
    let of = |name: &str| {
        let name = format!("target.{path}.{name}");
        facts.iter().find(|fact| fact.name == name).and_then(|fact| fact.value.clone())
    };
    let size_bytes = of("size_bytes").and_then(|bytes| bytes.parse().ok());
    let meta = std::fs::metadata(to_path(path)).ok().filter(|meta| meta.is_file());
    let inode = meta.map(|meta| meta.ino());
    let backing_file = of("backing_file");
    let backing = backing_file.as_ref().and_then(|file| std::fs::metadata(to_path(file)).ok());
    TargetIdentity {
        path: path.to_owned(),
        inode,
        serial: of("serial"),
        model: of("model"),
        size_bytes,
        backing_inode: backing.map(|meta| meta.ino()),
        backing_file,
        holds_written: false,
    }
}

fn value<'a>(facts: &'a [Fact], name: &str) -> &'a str {
    let differing = facts.iter().find(|fact| fact.name == name).and_then(|fact| fact.value.as_deref());
    differing.unwrap_or("unknown")
}

/// The file below a loop device: another one may have its name.
fn below(target: &TargetIdentity) -> String {
    match target.backing_inode {
        Some(inode) => format!("{} (inode {inode})", text_or_none(&target.backing_file)),
        None => text_or_none(&target.backing_file).to_owned(),
    }
}

fn text_or_none(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or("unknown")
}
