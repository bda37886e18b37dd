//! Makes one run, from its target to its result.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::cases::Case;
use super::ground::Made;
use super::quiet::{Disturbance, Time, wait};
use super::verdict::Judged;
use fathom_results::{Frame, LatencyWindow, RunRecord, RunResult, SpoolReader, SpoolWriter, load};
use serde::{Deserialize, Serialize};
use xtask::workspace::{self, at};

/// A run that was made.
pub struct Run {
    /// The result.
    pub run: RunResult,
    /// The taints that it must have.
    pub expected: Expected,
}

/// How often a run is made again after other programs disturbed it.
const TRIES: usize = 40;

/// Makes the run. If other programs compute meanwhile, it is made again, unless it is disturbed in
/// such a way that the taints they cause are allowed.
pub fn make(program: &Path, case: &Case, name: &str, scratch: &Path) -> Result<Run, String> {
    let mut made = case.ground.make()?;
    if let Disturbance::Confined(confinement) = case.disturbance {
        made.confine(confinement)?;
    }
    let is_clean = case.disturbance == Disturbance::Quiet;
    // Virtual time does not pass while others compute.
    let is_virtual = case.job.contains("oracle_clock=virtual");
    let needs_quiet = !is_virtual && (is_clean || !case.may().iter().any(|code| code == "host-disturbed"));
    for n in 0..TRIES {
        if needs_quiet {
            wait()?;
        }
        let runs = scratch.join(format!("{name}-{n}"));
        let before = Time::now()?;
        let run = once(program, case, &made, &runs)?;
        let others = before.others_since()?;
        if (others.are_quiet() || !needs_quiet) && (others.stole_little() || !is_clean) {
            let mut expected = expected(case)?;
            if !others.stole_nothing() {
                expected.may.push("steal".to_owned());
            }
            return Ok(Run { expected, run });
        }
    }
    Err(format!("others computed during each of {TRIES} runs"))
}

fn once(program: &Path, case: &Case, made: &Made, runs: &Path) -> Result<RunResult, String> {
    fs::create_dir_all(runs).map_err(at(runs))?;
    let job = runs.join("j.fio");
    fs::write(&job, job_text(case, made)).map_err(at(&job))?;
    let mut command = command(program, case.disturbance, made, &job, runs);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.map_err(|e| format!("fathom: {e}"))?;
    let going = case.disturbance.start(made, child.id());
    let output = child.wait_with_output().map_err(|e| format!("fathom: {e}"))?;
    drop(going?);
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()));
    }
    load(&only_run(runs)?).map_err(|e| e.to_string())
}

fn job_text(case: &Case, made: &Made) -> String {
    let target = match &made.path {
        Some(path) => format!("filename={}", path.display()),
        None => "size=1g".to_owned(),
    };
    let options = case.job.replace(' ', "\n");
    format!("[j]\n{target}\n{options}\ntime_based\nnorandommap\n")
}

fn command(program: &Path, how: Disturbance, made: &Made, job: &Path, runs: &Path) -> Command {
    let mut words: Vec<PathBuf> = how.before().iter().map(PathBuf::from).collect();
    for processes in &made.groups {
        let enter = "echo $$ > \"$0\"; exec \"$@\"";
        words.extend(["sh".into(), "-c".into(), enter.into(), processes.clone()]);
    }
    words.extend([program.into(), "run".into(), "-q".into(), job.into()]);
    words.extend(["--runs-dir".into(), runs.join("runs")]);
    if let Some(file) = made.path.as_ref().filter(|path| path.is_file()) {
        words.extend(["--overwrite".into(), file.clone()]);
    }
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

fn only_run(runs: &Path) -> Result<PathBuf, String> {
    let runs = runs.join("runs");
    let entries = fs::read_dir(&runs).map_err(at(&runs))?;
    let found = entries.flatten().map(|entry| entry.path()).find(|path| path.join("run.json").exists());
    found.ok_or_else(|| format!("no run in {}", runs.display()))
}

fn expected(case: &Case) -> Result<Expected, String> {
    let own = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<Vec<String>>();
    let meminfo = fs::read_to_string("/proc/meminfo").map_err(|e| format!("/proc/meminfo: {e}"))?;
    let kib = meminfo.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok());
    Ok(Expected {
        is_disturbed: case.disturbance != Disturbance::Quiet,
        what: format!("{:?}, {:?}: {}", case.ground, case.disturbance, case.job),
        must: [own(case.ground.taints()), case.must.clone()].concat(),
        may: case.may().to_vec(),
        limit: case.limit.clone(),
        memory_bytes: kib.unwrap_or(0) << 10,
        cpus: std::thread::available_parallelism().map_or(1, usize::from),
    })
}

// What is kept of a run: only what is needed to judge it.

/// The taints that a run must have, saved in the directory of the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expected {
    /// It was disturbed on purpose.
    pub is_disturbed: bool,
    /// What it measured and what disturbed it, for people.
    pub what: String,
    /// Taints that it must have.
    pub must: Vec<String>,
    /// Taints that it may have.
    pub may: Vec<String>,
    /// Words that the answer must name as the limit; empty where it may name any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub limit: String,
    /// Memory of the machine, bytes.
    pub memory_bytes: u64,
    /// CPUs of the machine.
    pub cpus: usize,
}

const EXPECTED: &str = "expected.json";
/// Facts that rules need, in addition to those of the targets.
const FACTS: &[&str] = &["hypervisor", "hypervisor_flag", "system_product", "run.steal_percent"];
/// Facts of targets that rules need, by the end of their names.
const TARGET_FACTS: &[&str] = &[
    "disk",
    "disks",
    "iostats",
    "fs_type",
    "is_virtual_disk",
    "model",
    "backing_file",
    "loop_direct_io",
    fathom_results::MEMORY_BENEATH,
    "nowait",
    "completes_inline",
];

fn home() -> PathBuf {
    workspace::root().join("crates/fathom-judge/tests/taints")
}

/// Keeps a run under its name. The path `scratch`, where it was made, is replaced by `/tmp`.
pub fn save(name: &str, made: &Run, scratch: &Path) -> Result<(), String> {
    let to = home().join(name);
    let failed = |e: std::io::Error| format!("{}: {e}", to.display());
    if to.exists() {
        fs::remove_dir_all(&to).map_err(failed)?;
    }
    fs::create_dir_all(&to).map_err(failed)?;
    let json = |e: serde_json::Error| format!("{}: {e}", to.display());
    let record = serde_json::to_string(&reduced(&made.run.record, name)).map_err(json)?;
    let record = record.replace(&*scratch.to_string_lossy(), "/tmp");
    let mut record: RunRecord = serde_json::from_str(&record).map_err(json)?;
    let mut writer = SpoolWriter::create(&to, name).map_err(failed)?;
    for frame in SpoolReader::open(&made.run.dir).map_err(failed)? {
        writer.append(&without_shapes(frame)).map_err(failed)?;
    }
    record.save_sealed(&to, writer.extent()).map_err(failed)?;
    // After the seal, because people change what is expected.
    let expected = serde_json::to_string_pretty(&made.expected).map_err(json)?;
    fs::write(to.join(EXPECTED), expected + "\n").map_err(failed)
}

/// The record without what no rule uses.
fn reduced(record: &RunRecord, name: &str) -> RunRecord {
    let mut kept = record.clone();
    kept.id = name.to_owned();
    kept.host.retain(|fact| is_needed(&fact.name));
    kept.host.iter_mut().for_each(|fact| fact.source.clear());
    (kept.command, kept.findings) = (Vec::new(), Vec::new());
    kept.self_knowledge.audit.clear();
    kept.self_knowledge.checks.clear();
    kept
}

fn is_needed(name: &str) -> bool {
    let is_of_target = || TARGET_FACTS.iter().any(|end| name.ends_with(&format!(".{end}")));
    FACTS.contains(&name) || (name.starts_with("target.") && is_of_target())
}

/// Latencies without their distributions, because rules only use counts, means and extremes.
fn without_shapes(mut frame: Frame) -> Frame {
    if let Frame::Window(window) = &mut frame {
        let plain = |latency: &mut LatencyWindow| latency.histogram = None;
        for (_, direction) in &mut window.directions {
            let all = [
                &mut direction.total,
                &mut direction.completion,
                &mut direction.submission,
                &mut direction.response,
            ];
            all.into_iter().for_each(plain);
        }
        plain(&mut window.sync);
    }
    frame
}

/// A run that was kept: its name, the taints that it must have, and the run.
type Kept = (String, Expected, RunResult);

/// All runs that are kept, in the order of their names.
pub fn load_all() -> Result<Vec<Kept>, String> {
    let home = home();
    let entries = fs::read_dir(&home).map_err(at(&home))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| load_one(path)).collect()
}

fn load_one(path: &Path) -> Result<Kept, String> {
    let text = fs::read_to_string(path.join(EXPECTED)).map_err(at(path))?;
    let expected = serde_json::from_str(&text).map_err(at(path))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((name, expected, load(path).map_err(|e| e.to_string())?))
}

/// Judges all runs that are kept.
pub fn judge_all() -> Result<Vec<Judged>, String> {
    load_all()?.iter().map(|(name, expected, run)| Judged::of(name, expected, run)).collect()
}
