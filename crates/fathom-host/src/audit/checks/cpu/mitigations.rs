//! `cpu.mitigations`: which mitigations of processor flaws cost time?

use std::path::Path;

use crate::audit::{Check, Needs, Observation, Observe, Raw, Scene, leaf};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.mitigations",
    title: "Mitigations of processor flaws",
    reads: "/sys/devices/system/cpu/vulnerabilities/*; /proc/cmdline: mitigations=",
    why: "Against Meltdown, Spectre and similar flaws the kernel does extra work on every entry and exit: system \
          calls, interrupts, context switches. Small I/O consists mostly of these. When the first mitigations came in \
          2018, Red Hat reported a loss of 8 to 19 % for such loads, including random I/O on NVMe, and of 3 to 7 % for \
          large sequential transfers. The figures of one drive can differ as much between two kernels or two kernel \
          command lines.",
    judged: "Always a remark, never ok or bad: it belongs in the record of a run. Two runs are comparable only if the \
             lists are equal. Only a pair of runs can show how much the mitigations cost on this machine.",
    remedy: "Leave the setting as it will be in production. To measure the cost, boot once with mitigations=off, on a \
             machine that runs no untrusted code, and compare. Never leave a machine in service like that.",
    needs: Needs::Nothing,
    kernels: "4.15 and the stable kernels of 2018",
    sources: &["I-1", "V-16", "Documentation/admin-guide/hw-vuln/index.rst"],
    observe: Observe::Once(observe),
};

/// What the kernel reports about a flaw.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Unaffected,
    Mitigated,
    Vulnerable,
    Unknown,
}

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
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
    let seen = known.iter().fold(Observation::on("host"), |seen, (_, raw)| seen.show(raw));
    let words = scene.boot_words().ok();
    match words.as_ref().and_then(|words| words.value("mitigations")) {
        Some(value) => seen
            .with("/proc/cmdline", format!("mitigations={value}"))
            .info(format!("mitigations={value} at boot: {says}")),
        None => seen.info(says),
    }
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
    let found = begins.iter().find(|(begin, _)| text.starts_with(begin));
    let state = found.map(|(_, state)| *state).ok_or_else(|| raw.garbled())?;
    Ok((state, raw))
}
