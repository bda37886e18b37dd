//! `cpu.mitigations`: what does the kernel pay for the processor's flaws?

use std::path::Path;

use crate::audit::{Check, Needs, Observation, Raw, Scene, leaf};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.mitigations",
    title: "Mitigations of processor flaws",
    reads: "/sys/devices/system/cpu/vulnerabilities/*; /proc/cmdline: mitigations=",
    why: "Against Meltdown, Spectre and their kin the kernel does extra work on every entry and exit: system \
          calls, interrupts, context switches. Small I/O is made of these: when the first of them came in 2018, \
          Red Hat reported 8 to 19 % for loads of that kind, random I/O on NVMe among them, and 3 to 7 % where \
          large sequential transfers prevail. The same drive can differ as much between two kernels or two boot \
          lines.",
    judged: "Always a remark, never ok or bad: it belongs in the record of a run. Two runs compare only if the \
             lists are equal. How much it costs here only a pair of runs can tell.",
    remedy: "Leave it as it is, as the machine will be used. To learn the cost, start once with mitigations=off on \
             a machine that runs nobody else's code, and compare. Never leave a machine in service that way.",
    needs: Needs::Nothing,
    kernels: "4.15 and the stable kernels of 2018",
    sources: &["I-1", "V-16", "Documentation/admin-guide/hw-vuln/index.rst"],
    counters: &[],
    look,
};

/// What the kernel makes of a flaw.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unaffected,
    Mitigated,
    Vulnerable,
    Unknown,
}

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    let files = scene.glob("/sys/devices/system/cpu/vulnerabilities/*");
    if files.is_empty() {
        let first = "/sys/devices/system/cpu/vulnerabilities/spectre_v2";
        return vec![Observation::unknown("host", Unknown::missing(first))];
    }
    let mut known = Vec::new();
    let mut seen = Vec::new();
    for file in files {
        match state(scene, &file) {
            Ok(flaw) => known.push(flaw),
            Err(unknown) => seen.push(Observation::unknown(leaf(&file), unknown)),
        }
    }
    if !known.is_empty() {
        seen.insert(0, summary(scene, &known));
    }
    seen
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
    let seen = known.iter().fold(Observation::on("host"), |seen, (_, raw)| seen.with(&raw.path, &raw.text));
    let words = scene.boot_words().ok();
    match words.as_ref().and_then(|words| words.value("mitigations")) {
        Some(value) => seen
            .with("/proc/cmdline", format!("mitigations={value}"))
            .info(format!("mitigations={value} at boot: {says}")),
        None => seen.info(says),
    }
}

/// The words that the kernel's arch/x86/kernel/cpu/bugs.c begins with.
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
    let found = begins.iter().find(|(begin, _)| text.starts_with(begin));
    let state = found.map(|(_, state)| *state).ok_or_else(|| Unknown::garbled(&raw.path, &raw.text))?;
    Ok((state, raw))
}
