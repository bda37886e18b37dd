//! What is needed to judge or repeat the run: jobs as planned, machine, command.

use super::markup::{element, escape, folded, more, pairs};
use crate::text::{blocks, engine_notes, pattern, sizes_sent, worker_spread};
use fathom_figures::Row;
use fathom_figures::workload::in_flight_max;
use fathom_job::job::Origin;
use fathom_job::plan::{EndRule, TargetKind};
use fathom_job::units::Bytes;
use fathom_results::{Fact, FileRecord, RunResult};
use fathom_text::shell::quoted_carried;
use fathom_text::shown;

/// Files of a clone that are listed one by one.
const FILES_MAX: usize = 6;

/// The first `most` jobs, resolved and as typed.
pub(super) fn jobs(rows: &[Row<'_>], most: usize) -> String {
    let each: String = rows.iter().take(most).map(job).collect();
    let rest = rows.len().saturating_sub(most);
    let more = more(rest, "directory");
    folded("Jobs as planned", &(each + &more))
}

fn job(row: &Row<'_>) -> String {
    let planned = row.first();
    let plan = pairs(resolved(row).into_iter());
    let options = planned.job.settings().map(|(name, setting)| {
        let from = match setting.origin {
            Origin::Global => " (global)",
            Origin::Override => " (override)",
            Origin::Section => "",
        };
        (format!("{name}{from}"), setting.text.clone())
    });
    format!(
        "<h3>{}</h3>\n<div class=\"split\">\n<div>\n<h4>Resolved</h4>\n{plan}</div>\n<div>\n<h4>Options as given</h4>\n{}</div>\n</div>\n",
        escape(&planned.name),
        pairs(options)
    )
}

fn resolved(row: &Row<'_>) -> Vec<(String, String)> {
    let job = row.first();
    let mut facts = vec![
        ("engine", job.engine.clone()),
        ("pattern", pattern(job)),
        ("block size", blocks(job)),
        ("depth", format!("{} asked, {} reachable", job.depth.asked, in_flight_max(job))),
        ("workers", row.members.len().to_string()),
        ("ramp", job.ramp_words().unwrap_or_else(|| job.ramp.to_string())),
        ("ends after", ends(&job.end)),
        ("memory per worker", job.memory.to_string()),
    ];
    let measured = [
        ("workers' spread", worker_spread(row).unwrap_or_default()),
        ("sizes sent", sizes_sent(row)),
        ("engine chose", engine_notes(row)),
    ];
    facts.extend(job.terms());
    facts.extend(measured.into_iter().filter(|(_, text)| !text.is_empty()));
    facts.extend(job.files.iter().take(FILES_MAX).map(|f| ("target", target(f))));
    let rest = job.files.len().saturating_sub(FILES_MAX);
    facts.extend((rest > 0).then(|| ("target", format!("and {rest} more files"))));
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn target(file: &FileRecord) -> String {
    if file.kind == TargetKind::None {
        return "none (diskless engine)".to_owned();
    }
    if file.is_until_full() {
        return format!("{}, from byte {}, until no space was left", file.path, file.offset.0);
    }
    let end = Bytes(file.offset.0 + file.size.0);
    format!("{}, bytes {} to {} ({})", file.path, file.offset.0, end.0, file.size)
}

fn ends(rule: &EndRule) -> String {
    let rules = [
        rule.bytes.filter(|_| !rule.time_based).map(|b| b.to_string()),
        rule.ios.map(|n| format!("{n} I/Os")),
        rule.time.map(|t| t.to_string()),
        rule.when_full.then(|| "no space is left (fill_device)".to_owned()),
    ];
    let rules: Vec<String> = rules.into_iter().flatten().collect();
    if rules.is_empty() { "it is stopped (no other limit)".to_owned() } else { rules.join(" or ") }
}

/// What was known of the machine and its targets; what was not known is left out.
pub(super) fn machine(run: &RunResult) -> String {
    let line = |(fact, value): (&Fact, &String)| {
        format!(
            "<tr><th scope=\"row\"{}>{}</th>{}<td class=\"source\">{}</td></tr>\n",
            if fact.name.contains('/') { " class=\"path\"" } else { "" },
            escape(&fact.name),
            element("td", value),
            escape(&fact.source)
        )
    };
    let known = run.record.host.iter().filter_map(|fact| Some((fact, fact.value.as_ref()?)));
    let lines: String = known.map(line).collect();
    if lines.is_empty() {
        return lines;
    }
    let table = format!(
        "<div class=\"wide\" tabindex=\"0\">\n<table class=\"pairs\">\n<thead><tr><th scope=\"col\">fact</th><th scope=\"col\">value</th><th scope=\"col\">read from</th></tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n"
    );
    folded("Machine and targets", &table)
}

/// The command, and where the run is stored.
pub(super) fn footer(run: &RunResult) -> String {
    let typed: Vec<String> = run.record.command.iter().map(|word| quoted_carried(word)).collect();
    format!(
        "<footer>\n<p><code>{}</code></p>\n<p>Saved in {} by fathom {}. This page was made from that directory alone. It loads nothing from a network.</p>\n</footer>\n",
        escape(&typed.join(" ")),
        escape(&shown::path(&run.dir)),
        escape(&run.record.fathom)
    )
}
