//! Makes one run, from its target to its result.

use super::cases::Case;
use super::disturbance::Disturbance;
use super::ground::Made;
use super::kept::Expected;
use super::quiet::{Time, wait};
use fathom_results::{RunResult, load};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    let needs_quiet = !is_virtual && (is_clean || !case.may.contains(&"host-disturbed"));
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
    fs::create_dir_all(runs).map_err(|e| format!("{}: {e}", runs.display()))?;
    let job = runs.join("j.fio");
    fs::write(&job, job_text(case, made)).map_err(|e| format!("{}: {e}", job.display()))?;
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
    let entries = fs::read_dir(&runs).map_err(|e| format!("{}: {e}", runs.display()))?;
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
        must: [own(case.ground.taints()), own(case.must)].concat(),
        may: own(case.may),
        limit: case.limit.to_owned(),
        memory_bytes: kib.unwrap_or(0) << 10,
        cpus: std::thread::available_parallelism().map_or(1, usize::from),
    })
}
