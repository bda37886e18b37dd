//! Makes the verdict of findings and consent, as a pure function.

use std::path::Path;

use fathom_text::shell::quoted_carried;

use crate::consent::{Consent, DeviceName, StableName, stable_names};
use crate::facts::Facts;
use crate::finding::{Finding, FindingKind, Weight};
use crate::refusal::Refusal;
use fathom_device::device::Identity;

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
        let detail = "looks blank, but neither --write nor --destroy names it";
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
    let flag = match need {
        Need::Impossible => {
            return vec!["no option overrides this: unmount, stop or detach first".to_owned()];
        }
        Need::Destroy => "--destroy",
        Need::Write => "--write",
    };
    let Some(name) = names.first() else {
        return vec![
            "it has no name that no other device has, so no option can name it: give it a unique \
             serial number, or use a partition or a file on it"
                .to_owned(),
        ];
    };
    let mut hints = vec![format!("to write to it anyway: {flag} {}", quoted_carried(&name.to_string()))];
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
