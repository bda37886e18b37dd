//! Which processors there are, and what the kernel does on each of them beside the work.

use std::collections::BTreeSet;

use crate::audit::checks::prelude::*;

/// `cpu.smt`: do two workers have to share a core?
pub(super) fn smt(scene: &Scene<'_>) -> Observed {
    let raw = scene.read("/sys/devices/system/cpu/smt/active")?;
    let observation = Observation::on("host").show(&raw);
    match raw.text.as_str() {
        "0" => Ok(observation.ok("each core runs one thread")),
        "1" => shared(scene, observation),
        _ => Err(raw.garbled()),
    }
}

fn shared(scene: &Scene<'_>, observation: Observation) -> Observed {
    let online = scene.cpus_online()?;
    let named = scene.job.cpus.as_ref();
    let allowed = named.unwrap_or(&online);
    let (cores, shown) = cores(scene, allowed)?;
    let observation = shown.iter().fold(observation, Observation::show);
    let threads = allowed.len();
    let must_share = match scene.job.workers {
        Some(workers) => workers > cores as u64,
        None => named.is_some() && cores < threads,
    };
    if must_share {
        let workers = scene.job.workers.map_or("the job".to_owned(), |workers| format!("{workers} workers"));
        let says = format!("{workers} on {threads} CPUs that are {cores} cores: some share a core");
        return Ok(observation.warn_for(&[Latency, Repeatability], says));
    }
    Ok(observation.info(format!("{threads} CPUs are {cores} cores; put one worker on each core")))
}

/// The number of cores that these CPUs belong to, and the file of the first CPU
/// that has a sibling among them.
fn cores(scene: &Scene<'_>, cpus: &CpuSet) -> Result<(usize, Option<Raw>), Unknown> {
    let mut cores = BTreeSet::new();
    let mut shown = None;
    for cpu in cpus.iter() {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let (siblings, raw) = scene.value::<CpuSet>(path)?;
        if siblings.len() > 1 {
            shown.get_or_insert(raw);
        }
        cores.insert(siblings);
    }
    Ok((cores.len(), shown))
}

/// `cpu.online`: are all CPUs online, and do the job's workers spread over its CPUs?
pub(super) fn online(scene: &Scene<'_>) -> Vec<Observation> {
    let observations =
        [("online", all_online(scene)), ("isolated", isolated(scene)), ("nohz_full", tickless(scene))];
    observations.into_iter().map(|(name, observed)| Observation::or_unknown(name, observed)).collect()
}

fn all_online(scene: &Scene<'_>) -> Observed {
    let (online, now) = scene.value::<CpuSet>("/sys/devices/system/cpu/online")?;
    let (present, all) = scene.value::<CpuSet>("/sys/devices/system/cpu/present")?;
    if online.is_empty() {
        return Err(now.garbled());
    }
    let observation = Observation::on("online").show(&now).show(&all);
    let offline = present.difference(&online);
    if offline.is_empty() {
        return Ok(observation.ok(format!("all {} CPUs are online", online.len())));
    }
    let says = format!("{} of {} CPUs are offline: {offline}", offline.len(), present.len());
    Ok(observation.warn_for(&[Iops, Repeatability], says))
}

/// Reads a list of CPUs. Some kernels print `(null)` for an empty one.
fn list(scene: &Scene<'_>, name: &str) -> Result<(CpuSet, Observation), Unknown> {
    let raw = scene.read(format!("/sys/devices/system/cpu/{name}"))?;
    let text = if raw.text == "(null)" { "" } else { &raw.text };
    let cpus = CpuSet::from_list(text).map_err(|_| raw.garbled())?;
    Ok((cpus, Observation::on(name).show(&raw)))
}

fn isolated(scene: &Scene<'_>) -> Observed {
    let (isolated, observation) = list(scene, "isolated")?;
    if isolated.is_empty() {
        return Ok(observation.ok("no CPU is isolated"));
    }
    let Some(job) = &scene.job.cpus else {
        return Ok(observation
            .info(format!("CPUs {isolated} are isolated; nothing runs there unless it is placed there")));
    };
    let both = job.intersection(&isolated);
    if both.is_empty() || scene.job.workers == Some(1) || both.len() == 1 {
        return Ok(observation.info(format!("CPUs {isolated} are isolated, the job uses CPUs {job}")));
    }
    let says = format!("CPUs {both} of the job are isolated: workers are not spread over them");
    Ok(observation
        .judge(Grades::on(&[Iops, Bandwidth, Repeatability], Grade::Warn).and(&[Latency], Grade::Info), says))
}

fn tickless(scene: &Scene<'_>) -> Observed {
    let (tickless, observation) = list(scene, "nohz_full")?;
    Ok(match tickless.is_empty() {
        true => observation.ok("every CPU keeps its tick"),
        false => observation.info(format!("the tick is stopped on CPUs {tickless} while they work")),
    })
}

/// What the kernel reports about a flaw.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unaffected,
    Mitigated,
    Vulnerable,
    Unknown,
}

/// `cpu.mitigations`: which mitigations of processor flaws cost time?
pub(super) fn mitigations(scene: &Scene<'_>) -> Vec<Observation> {
    let files = scene.glob("/sys/devices/system/cpu/vulnerabilities/*");
    if files.is_empty() {
        let first = "/sys/devices/system/cpu/vulnerabilities/spectre_v2";
        return vec![Observation::unknown("host", Unknown::missing(first))];
    }
    let mut known = Vec::new();
    let mut observations = Vec::new();
    for file in files {
        match state(scene, &file) {
            Ok(flaw) => known.push(flaw),
            Err(unknown) => observations.push(Observation::unknown(leaf(&file), unknown)),
        }
    }
    if !known.is_empty() {
        observations.insert(0, summary(scene, &known));
    }
    observations
}

fn summary(scene: &Scene<'_>, known: &[(State, Raw)]) -> Observation {
    let count = |state: State| known.iter().filter(|(is, _)| *is == state).count();
    let names = |state: State| {
        let of = known.iter().filter(|(is, _)| *is == state).map(|(_, raw)| leaf(&raw.path));
        of.collect::<Vec<_>>().join(", ")
    };
    let mut says = format!(
        "{} flaws do not affect it, {} are mitigated",
        count(State::Unaffected),
        count(State::Mitigated)
    );
    for (state, word) in [(State::Vulnerable, "vulnerable"), (State::Unknown, "unknown")] {
        if count(state) > 0 {
            says += &format!(", {word}: {}", names(state));
        }
    }
    let observation =
        known.iter().fold(Observation::on("host"), |observation, (_, raw)| observation.show(raw));
    let words = scene.boot_words().ok();
    match words.as_ref().and_then(|words| words.value("mitigations")) {
        Some(value) => observation
            .with("/proc/cmdline", format!("mitigations={value}"))
            .info(format!("mitigations={value} at boot: {says}")),
        None => observation.info(says),
    }
}

/// `cpu.kernel_debug`: was this kernel built to find bugs?
pub(super) fn kernel_debug(scene: &Scene<'_>) -> Vec<Observation> {
    vec![Observation::or_unknown("config", config(scene)), Observation::or_unknown("boot", boot(scene))]
}

/// The state, from the first words of the text (arch/x86/kernel/cpu/bugs.c).
fn state(scene: &Scene<'_>, file: &Path) -> Result<(State, Raw), Unknown> {
    let raw = scene.read(file)?;
    let text = raw.text.strip_prefix("KVM: ").unwrap_or(&raw.text);
    let begins = [
        ("Not affected", State::Unaffected),
        ("Mitigation", State::Mitigated),
        ("Vulnerable", State::Vulnerable),
        ("Processor vulnerable", State::Vulnerable),
        ("Unknown", State::Unknown),
    ];
    let entry = begins.iter().find(|(begin, _)| text.starts_with(begin));
    let state = entry.map(|(_, state)| *state).ok_or_else(|| raw.garbled())?;
    Ok((state, raw))
}

/// Options that cost as soon as they are built in.
const COSTLY: [&str; 8] = [
    "CONFIG_KASAN",
    "CONFIG_KCSAN",
    "CONFIG_KMSAN",
    "CONFIG_LOCKDEP",
    "CONFIG_PROVE_LOCKING",
    "CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT",
    "CONFIG_SLUB_DEBUG_ON",
    KMEMLEAK,
];

/// This option costs time, unless it is built in but off at boot.
const KMEMLEAK: &str = "CONFIG_DEBUG_KMEMLEAK";
const KMEMLEAK_OFF: &str = "CONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF";

/// Boot parameters that switch checking on, unless their value means off.
const SWITCHES: [&str; 5] = ["slub_debug", "slab_debug", "debug_pagealloc", "page_poison", "kmemleak"];

fn config(scene: &Scene<'_>) -> Observed {
    let raw = config_text(scene)?;
    if !raw.text.lines().any(|line| line.starts_with("CONFIG_")) {
        return Err(Unknown::garbled(&raw.path, raw.text.lines().next().unwrap_or_default()));
    }
    let is_set = |option: &str| raw.text.lines().any(|line| line.strip_prefix(option) == Some("=y"));
    let scans = |option: &&&str| **option != KMEMLEAK || !is_set(KMEMLEAK_OFF);
    let on: Vec<&str> = COSTLY.iter().filter(|option| is_set(option)).filter(scans).copied().collect();
    let observation = Observation::on("config");
    if on.is_empty() {
        return Ok(observation.with(&raw.path, "").ok("no costly debugging is built in"));
    }
    let observation =
        observation.with(&raw.path, on.iter().map(|option| format!("{option}=y\n")).collect::<String>());
    Ok(bad(observation, format!("built for finding bugs: {}", on.join(", "))))
}

fn bad(observation: Observation, says: String) -> Observation {
    observation.bad_for(&[Latency, Iops, Repeatability], says)
}

/// Reads the configuration from the two paths where distributions put it.
fn config_text(scene: &Scene<'_>) -> Result<Raw, Unknown> {
    let release = scene.read("/proc/sys/kernel/osrelease")?.text;
    let first = scene.read(format!("/boot/config-{release}"));
    let second = || scene.read(format!("/lib/modules/{release}/config"));
    first.or_else(|unknown| second().map_err(|_| unknown))
}

fn boot(scene: &Scene<'_>) -> Observed {
    let words = scene.boot_words()?;
    let observation = Observation::on("boot").show(&words.raw);
    if words.raw.text.contains(char::REPLACEMENT_CHARACTER) {
        return Err(words.raw.garbled());
    }
    let is_on = |word: &&str| {
        let (name, value) = word.split_once('=').unwrap_or((word, "on"));
        SWITCHES.contains(&name) && !matches!(value, "off" | "0" | "-" | "")
    };
    let on: Vec<&str> = words.iter().filter(is_on).collect();
    Ok(match on.as_slice() {
        [] => observation.ok("no debugging was switched on at boot"),
        _ => bad(observation, format!("switched on at boot: {}", on.join(" "))),
    })
}
