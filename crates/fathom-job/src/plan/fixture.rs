//! A small machine with known targets, for tests of plans and lints.

use super::{Machine, Plan, TargetFacts, TargetKind, TargetLookup, TargetZones, plan};
use crate::diagnostic::Diagnostic;
use crate::job::Job;
use crate::parse::{self, Adjust, Keywords, Surroundings};
use crate::trace::{ReplayTerms, TraceFacts, TraceFault, scan};
use crate::units::Bytes;
use std::io::Cursor;
use std::sync::Arc;

pub(crate) use crate::engine::ENGINES;

/// Eight CPUs, so that the vendor's `cpus_allowed=1-4` fits.
pub(crate) const MACHINE: Machine =
    Machine { cpus: 8, memory: Bytes::gib(16), memory_available: Bytes::gib(16) };

/// Targets by path; what is not listed is missing.
pub(crate) struct Targets;

const DEVICE: TargetFacts = TargetFacts {
    kind: TargetKind::Block,
    size: Some(Bytes::gib(1)),
    direct_align: Some(Bytes(512)),
    ..TargetFacts::MISSING
};

impl TargetLookup for Targets {
    /// One device was purged; its first MiB has been written since.
    fn never_written(&self, path: &str, start: Bytes, end: Bytes) -> Option<Bytes> {
        (path == "/dev/purged").then(|| Bytes(end.0.saturating_sub(start.0.max(1 << 20))))
    }

    /// The first MiB of it was written whole.
    fn is_written(&self, path: &str, _start: Bytes, end: Bytes) -> bool {
        path == "/dev/covered" && end <= Bytes::mib(1)
    }

    /// Half of one file is a hole.
    fn without_data(&self, path: &str) -> Option<Bytes> {
        Some(if path == "/data/sparse" { Bytes::gib(10) } else { Bytes(0) })
    }

    /// One directory has files: one that is empty, one of a mebibyte, and a long one.
    fn files_below(&self, directory: &str, most: usize) -> Result<Vec<String>, String> {
        match directory {
            "/data" if most < 3 => Err("too many".to_owned()),
            "/data" => Ok(["/data/dense", "/data/empty", "/data/mib"].map(str::to_owned).to_vec()),
            "/a" => Ok(Vec::new()),
            _ => Err("No such file or directory".to_owned()),
        }
    }

    /// A trace of one read; the name of the trace says where.
    fn trace(&self, paths: &[String], terms: &ReplayTerms) -> Result<Arc<TraceFacts>, TraceFault> {
        let io = match paths[0].as_str() {
            "/t/new" => "/data/new read 0 4096",
            "/t/gone" => "/dev/gone read 0 4096",
            "/t/far" => "/data/mib read 3298534883328 32768",
            "/t/odd" => "/data/mib jump 0 4096",
            "/t/priority" => "/data/mib read 0 4096 2/7",
            other => panic!("there is no trace {other}"),
        };
        let file = io.split(' ').next().expect("a name");
        let text = format!("fio version 3 iolog\n0 {file} add\n0 {file} open\n5 {io}\n");
        Ok(Arc::new(scan(vec![Cursor::new(text)], terms)?))
    }

    fn look_up(&self, path: &str) -> TargetFacts {
        let free = Some(Bytes::gib(10));
        let file = TargetFacts { kind: TargetKind::File, free, file_system: Some(1), ..DEVICE };
        let of = |size, allocated, inode| TargetFacts {
            size: Some(size),
            allocated: Some(allocated),
            inode: Some(inode),
            ..file
        };
        match path {
            "/dev/fioa" | "/dev/purged" | "/dev/covered" => DEVICE,
            "/dev/ng0n1" => {
                TargetFacts { kind: TargetKind::Namespace, direct_align: Some(Bytes(4096)), ..DEVICE }
            }
            "/dev/sda" => TargetFacts { is_scsi_disk: true, ..DEVICE },
            "/dev/sg1" => TargetFacts { kind: TargetKind::ScsiNode, is_scsi_disk: true, ..DEVICE },
            "/dev/fourk" => TargetFacts { direct_align: Some(Bytes(4096)), ..DEVICE },
            "/dev/zoned" => TargetFacts {
                zones: Some(TargetZones {
                    size: Bytes::mib(64),
                    open_max: 8,
                    active_max: 0,
                    write_unit: Bytes(4096),
                }),
                ..DEVICE
            },
            "/dev/small" => TargetFacts { size: Some(Bytes::mib(10)), ..DEVICE },
            "/dev/detached" => TargetFacts { size: Some(Bytes(0)), ..DEVICE },
            "/dev/null" | "/dev/tty" => TargetFacts { kind: TargetKind::Char, ..TargetFacts::MISSING },
            "/data" | "/a" | "/b" | "/dev/shm" => {
                TargetFacts { kind: TargetKind::Directory, ..TargetFacts::MISSING }
            }
            "/data/mib" | "/data/alias" => of(Bytes::mib(1), Bytes::mib(1), 7),
            "/data/c:d" => of(Bytes::mib(1), Bytes::mib(1), 10),
            "/data/sparse" => of(Bytes::gib(20), Bytes(0), 8),
            "/data/dense" => of(Bytes::gib(20), Bytes::gib(20), 9),
            "/data/empty" => TargetFacts { size: Some(Bytes(0)), ..file },
            p if p.starts_with("/b/") => TargetFacts { free, file_system: Some(2), ..TargetFacts::MISSING },
            _ => TargetFacts { free, file_system: Some(1), ..TargetFacts::MISSING },
        }
    }
}

/// A world without files, and with one variable.
pub(crate) struct Nothing;

impl Surroundings for Nothing {
    fn read(&self, _: &str, _: Option<&str>) -> Result<String, String> {
        Err("there are no files".to_owned())
    }
    fn read_data(&self, path: &str) -> Result<String, String> {
        let bytes: &[u8] = if path == "/data/pattern" { b"a\0b" } else { return self.read(path, None) };
        Ok(fathom_text::carried::of_text(bytes))
    }
    fn variable(&self, name: &str) -> Option<String> {
        (name == "SIZE").then(|| "64m".to_owned())
    }
    fn keywords(&self) -> Keywords {
        Keywords { page_size: 4096, memory_mb: 16 << 10, cpus: 8 }
    }
}

/// The jobs of a job file.
pub(crate) fn jobs(text: &str) -> Vec<Job> {
    let loaded = parse::load_text("test.fio", text, &Adjust::default(), &Nothing);
    loaded.unwrap_or_else(|errors| panic!("{}\n{text}", told(&errors))).jobs
}

/// The plan of a job file with its target replaced.
pub(crate) fn planned_on(target: &str, text: &str) -> Plan {
    let adjust = Adjust { target: Some(target.to_owned()), ..Adjust::default() };
    let loaded = parse::load_text("test.fio", text, &adjust, &Nothing);
    let jobs = loaded.unwrap_or_else(|errors| panic!("{}\n{text}", told(&errors))).jobs;
    plan(&jobs, ENGINES, &MACHINE, &Targets).unwrap_or_else(|errors| panic!("{}", told(&errors)))
}

/// The plan, or all errors.
pub(crate) fn try_plan(text: &str) -> Result<Plan, Vec<Diagnostic>> {
    plan(&jobs(text), ENGINES, &MACHINE, &Targets)
}

/// The plan of a job file without errors.
pub(crate) fn planned(text: &str) -> Plan {
    try_plan(text).unwrap_or_else(|errors| panic!("{}", told(&errors)))
}

/// A plan of one section `[t]`, its options separated by blanks.
pub(crate) fn one(options: &str) -> Plan {
    planned(&section(options))
}

/// The only error of such a plan.
pub(crate) fn error_of(options: &str) -> Diagnostic {
    let mut errors = try_plan(&section(options)).expect_err(options);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.remove(0)
}

/// The plan of a job whose file is given as on a command line, or all errors: `;` is no comment there.
pub(crate) fn try_plan_of_name(name: &str) -> Result<Plan, Vec<Diagnostic>> {
    let adjust = Adjust { set: vec![("filename".to_owned(), name.to_owned())], ..Adjust::default() };
    let jobs = parse::load_text("test.fio", "[t]\nsize=1m\nbs=4k\n", &adjust, &Nothing)?.jobs;
    plan(&jobs, ENGINES, &MACHINE, &Targets)
}

/// The codes of all findings.
pub(crate) fn codes(plan: &Plan) -> Vec<&str> {
    plan.findings.iter().map(|finding| finding.code.as_str()).collect()
}

fn told(findings: &[Diagnostic]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn section(options: &str) -> String {
    format!("[t]\n{}\n", options.split(' ').collect::<Vec<_>>().join("\n"))
}
