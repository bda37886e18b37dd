//! Makes the verdict of findings and consent, as a pure function.

use crate::consent::{Consent, DeviceName, StableName, stable_names};
use crate::facts::Facts;
use crate::finding::{Finding, FindingKind, Refusal, Weight};
use fathom_device::device::Identity;
use fathom_text::shell::quoted_carried;
use std::path::Path;

/// Through which command the target was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// fathom's own commands: nothing is written without consent.
    Native,
    /// `fathom fio`: a blank device is written as fio would, so that scripts go on working; a
    /// device that holds something is refused.
    Fio,
}

/// Whether a device with these findings may be written.
pub fn judge(
    target: &Path,
    facts: &Facts,
    findings: Vec<Finding>,
    door: Door,
    consent: &Consent,
) -> Result<(), Box<Refusal>> {
    let names = stable_names(&facts.identity, &facts.others);
    let need = need(&findings, door);
    let granted = match need {
        None => true,
        Some(Need::Impossible) => false,
        Some(Need::Destroy) => given(&consent.destroy, &names),
        Some(Need::Write) => given(&consent.write, &names) || given(&consent.destroy, &names),
    };
    let Some(need) = need.filter(|_| !granted) else {
        return Ok(());
    };
    let mut findings = findings;
    if need == Need::Write {
        let node = &facts.identity.kernel_name;
        let detail = "looks empty, and you gave no option that allows writing";
        findings.push(Finding::new(FindingKind::NoConsent, Weight::Permission, node, detail));
    }
    Err(Box::new(Refusal {
        target: target.to_path_buf(),
        device: Some(facts.identity.describe()),
        findings,
        hints: hints(need, &facts.identity, &names, consent),
    }))
}

/// Whether writing this device is allowed only because it holds nothing. Only then does it matter
/// what is where nobody has looked yet: with consent to destroy the device that may be destroyed as
/// well, and the fio door ignores data of no known format.
pub fn rests_on_blankness(facts: &Facts, findings: &[Finding], door: Door, consent: &Consent) -> bool {
    let names = stable_names(&facts.identity, &facts.others);
    need(findings, door) == Some(Need::Write) && !given(&consent.destroy, &names)
}

fn given(words: &[DeviceName], names: &[StableName]) -> bool {
    words.iter().any(|word| names.iter().any(|name| word.is(name)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Write,
    Destroy,
    Impossible,
}

/// What a person must type before fathom writes to a device, for a person who asks beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConsentNeeded {
    /// Nothing; only at the fio door.
    Nothing,
    /// It looks blank. The option and its value (`--write S3X9NX0K123`), quoted for a shell; `None`
    /// where the device has no name that no other device has.
    Write(Option<String>),
    /// What it holds would be lost. The option and its value, in the same way.
    Destroy(Option<String>),
    /// No option overrides the findings.
    Impossible,
}

/// What is needed to write to a device with these findings, by the rules of [`judge`].
pub fn consent_needed(facts: &Facts, findings: &[Finding], door: Door) -> ConsentNeeded {
    let Some(need) = need(findings, door) else { return ConsentNeeded::Nothing };
    let option = option(need, &stable_names(&facts.identity, &facts.others));
    match need {
        Need::Write => ConsentNeeded::Write(option),
        Need::Destroy => ConsentNeeded::Destroy(option),
        Need::Impossible => ConsentNeeded::Impossible,
    }
}

/// The option that allows the writing, with the best of the names.
fn option(need: Need, names: &[StableName]) -> Option<String> {
    let flag = match need {
        Need::Write => "--write",
        Need::Destroy => "--destroy",
        Need::Impossible => return None,
    };
    names.first().map(|name| format!("{flag} {}", quoted_carried(&name.to_string())))
}

fn need(findings: &[Finding], door: Door) -> Option<Need> {
    let most_severe = findings.iter().map(|finding| finding.weight).max();
    match (most_severe, door) {
        (Some(Weight::Absolute), _) => Some(Need::Impossible),
        (Some(Weight::Contents | Weight::Foreign), _) => Some(Need::Destroy),
        (Some(Weight::Residue), Door::Native) => Some(Need::Destroy),
        (Some(Weight::Permission) | None, Door::Native) => Some(Need::Write),
        (Some(Weight::Residue | Weight::Permission) | None, Door::Fio) => None,
    }
}

fn hints(need: Need, identity: &Identity, names: &[StableName], consent: &Consent) -> Vec<String> {
    if need == Need::Impossible {
        return vec![crate::RELEASE_FIRST.to_owned()];
    }
    let Some(option) = option(need, names) else {
        return vec![
            "it has no name that no other device has, so no option can name it: give it a unique \
             serial number, or use a partition or a file on it"
                .to_owned(),
        ];
    };
    let mut hints = vec![match need {
        Need::Write => format!("to allow writing, add: {option}"),
        _ => format!("to write to it anyway: {option}"),
    }];
    let words: Vec<String> = consent.write.iter().chain(&consent.destroy).map(ToString::to_string).collect();
    let meant = |word: &DeviceName| names.iter().any(|name| word.is(name));
    if need == Need::Destroy && consent.write.iter().any(meant) {
        hints.push("--write allows writing to blank devices only".to_owned());
    } else if !words.is_empty() {
        let kernel_name = &identity.kernel_name;
        hints.push(format!("{} does not name {kernel_name}", words.join(", ")));
    }
    hints
}
