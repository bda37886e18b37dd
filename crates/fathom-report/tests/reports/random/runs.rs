//! Random runs: one of a few that were written through the spool, with other words.

use super::answers::{answer, code, finding};
use super::values::Chance;
use crate::synthetic::{Recipe, disk, fixture};
use fathom_results::{DeviceSheet, Event, EventKind, RunRecord, RunResult};
use std::sync::OnceLock;

/// A run of each form: one job, several jobs, and jobs of which a rate and a share of reads are asked for.
pub fn bases() -> &'static [RunResult] {
    static BASES: OnceLock<Vec<RunResult>> = OnceLock::new();
    BASES.get_or_init(|| {
        let one = "[only]\nioengine=psync\nfilename=/dev/loop7\nsize=1m\nrw=randread\n".to_owned();
        let several = "[global]\nioengine=libaio\nfilename=/dev/loop7\nsize=8m\niodepth=4\n[first]\nrw=read\n[größe 2]\nrw=randwrite\nnumjobs=2\n[last]\nstonewall\nrw=randrw\n".to_owned();
        let of = |jobs: String| {
            let mut recipe = Recipe::new(&jobs);
            (recipe.seconds, recipe.rate) = ((1, 3), 200);
            recipe.run()
        };
        [one, several, fixture("loop-mix.fio")].map(of).into()
    })
}

/// A run, of which the first finding is that of the n-th rule.
pub fn run(chance: &mut Chance, n: u64) -> RunResult {
    let mut run = chance.pick(bases()).clone();
    words(chance, &mut run, n);
    run
}

/// Gives a run other findings and another answer.
pub fn words(chance: &mut Chance, run: &mut RunResult, n: u64) {
    let mut findings = vec![finding(chance, &code(n))];
    for _ in 0..chance.below(4) {
        let other = code(chance.below(1 << 16) as u64);
        // A run has one finding of a rule.
        if findings.iter().all(|known| known.code() != other) {
            findings.push(finding(chance, &other));
        }
    }
    if chance.once_in(10) {
        findings.clear();
    }
    let record = &mut run.record;
    record.answer = Some(answer(chance, &findings, false));
    record.findings = findings;
    others(chance, record);
    run.events = vec![Event { at_ns: 2_000_000_000, job: None, kind: EventKind::Stall, text: chance.text() }];
    run.incomplete = chance.once_in(4).then(|| chance.of_type());
}

/// What else a record can hold.
fn others(chance: &mut Chance, record: &mut RunRecord) {
    record.datasheet = chance.once_in(3).then(|| chance.of_type::<DeviceSheet>());
    record.note = chance.once_in(2).then(|| chance.text());
    record.tags = vec![chance.name()];
    record.self_knowledge.audit = vec![chance.of_type()];
    record.self_knowledge.disturbances = vec![chance.of_type()];
    record.self_knowledge.checks = vec![chance.of_type(), chance.of_type()];
    record.messages = vec![chance.text().into()];
    record.disks.push(disk("loop7", 24_012, 12_000));
}
