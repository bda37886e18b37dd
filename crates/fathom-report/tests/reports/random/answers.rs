//! Random answers: their trust fits its reasons, and what takes the place of the result is among them.

use super::values::{Chance, variants};
use fathom_results::{
    Answer, Evidence, Finding, Instead, JobsPart, Limits, Reason, RoundsPart, Trust, TrustLevel, Weight, Why,
};

/// The code of the n-th rule, round and round, so that each of them comes.
pub fn code(n: u64) -> String {
    let codes = variants::<Evidence>("code");
    codes[n as usize % codes.len()].clone()
}

/// A finding of the rule with this code.
pub fn finding(chance: &mut Chance, code: &str) -> Finding {
    let evidence: Evidence = chance.of_variant("code", code);
    let weight = *chance.pick(&[Weight::Instead, Weight::Low, Weight::Medium, Weight::Aside]);
    let mut finding = Finding { evidence, weight, jobs: None };
    // Only some rules can tell what was measured instead.
    if weight == Weight::Instead && fathom_words::measured_instead(&finding).is_none() {
        finding.weight = Weight::Low;
    }
    if chance.once_in(3) {
        finding.jobs = Some(JobsPart { names: vec![chance.name()], of: 3 });
    }
    finding
}

/// An answer with these findings and some other reasons.
pub fn answer(chance: &mut Chance, findings: &[Finding], is_procedure: bool) -> Answer {
    let mut answer: Answer = chance.of_type();
    answer.trust = trust(chance, findings, is_procedure);
    answer.instead = instead(chance, findings, is_procedure);
    if let Some(limits) = &mut answer.limit {
        rounds_of_limits(limits, is_procedure);
    }
    answer.next.command = format!("fathom run {} --repeat 5", chance.name());
    answer
}

fn rounds_of_limits(limits: &mut Limits, is_procedure: bool) {
    limits.jobs.iter_mut().filter(|_| !is_procedure).for_each(|job| job.rounds = None);
}

fn rounds(chance: &mut Chance, is_procedure: bool) -> Option<RoundsPart> {
    is_procedure.then(|| RoundsPart { times: 1 + chance.below(5) as u64, of: 5 })
}

fn trust(chance: &mut Chance, findings: &[Finding], is_procedure: bool) -> Trust {
    let mut reasons: Vec<Reason> = findings.iter().map(Reason::of).collect();
    for _ in 0..chance.below(3) {
        let why: Why = chance.of_type::<Reason>().why;
        let kind = core::mem::discriminant(&why);
        let is_new = reasons.iter().all(|reason| core::mem::discriminant(&reason.why) != kind);
        // Those of findings are there.
        if is_new && !matches!(why, Why::Finding { .. }) {
            reasons.push(Reason::new(why, *chance.pick(&[TrustLevel::Low, TrustLevel::Medium])));
        }
    }
    reasons.sort_by_key(|reason| reason.level.map_or(TrustLevel::High, |level| level));
    reasons.iter_mut().for_each(|reason| reason.rounds = rounds(chance, is_procedure));
    let level = reasons.first().and_then(|reason| reason.level).unwrap_or(TrustLevel::High);
    Trust { level, reasons, shortest_s: (level == TrustLevel::High && !is_procedure).then_some(30.0) }
}

fn instead(chance: &mut Chance, findings: &[Finding], is_procedure: bool) -> Option<Instead> {
    let mut instead: Instead = chance.of_type();
    instead.findings = findings.iter().filter(|it| it.weight == Weight::Instead).cloned().collect();
    if instead.failed.is_none() && instead.findings.is_empty() {
        return None;
    }
    if let Some(failed) = &mut instead.failed {
        (instead.findings, instead.falls) = (Vec::new(), Vec::new());
        failed.of = failed.of.max(failed.failed);
    }
    (instead.rounds, instead.amounts_of_round) = (rounds(chance, is_procedure), None);
    Some(instead)
}
