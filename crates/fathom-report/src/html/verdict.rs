//! The top of the page: what was measured where, and three sentences: the result, how far it can be trusted,
//! and what limited it. Their evidence is folded away.

use super::markup::{element, escape};
use super::self_check;
use super::subject::{host, subject};
use crate::column::of_latency;
use crate::configuration_of;
use crate::fio_json::elapsed_ns;
use crate::text::{doubts, remarks, without_io};
use crate::written::written;
use fathom_figures::metric::of_percent;
use fathom_figures::{DirectionFigures, Row};
use fathom_job::direction::Direction;
use fathom_job::units::Nanos;
use fathom_results::{Answer, Latency, RunRecord, RunResult, TrustLevel};
use fathom_text::calendar::Moment;
use fathom_text::number::{cell, grouped};
use fathom_text::quantity::latency;
use fathom_text::shown::line;
use fathom_words::{class, incomplete, limit, measured_jobs};

/// What a redacted page says of itself.
const REDACTED: &str = "<p class=\"note\">This page is redacted: stand-ins such as file-1 replace the names of the machine, of its users, of its files, of the run and of other programs, serial numbers and addresses; the note, the tags and the picture of the machine are left out. Names of jobs and their descriptions stay as they are.</p>\n";

/// A blank at which a line does not end: between a number and its unit.
const NO_BREAK: &str = "\u{a0}";

/// Rows whose figures make the result where the run has no answer.
const ROWS_TOLD: usize = 3;

/// The title of the document.
pub(super) fn title(run: &RunResult) -> String {
    if let Some(title) = &run.title {
        return title.clone();
    }
    let host = host(&run.record).map(|host| format!(" on {host}")).unwrap_or_default();
    format!("{}{host}", device(run))
}

/// Model and size: the first part of what was measured.
fn device(run: &RunResult) -> String {
    let Some(answer) = &run.record.answer else {
        return subject(&run.record);
    };
    fathom_words::subject::short(&answer.measured)
}

pub(super) fn header(run: &RunResult, rows: &[Row<'_>]) -> String {
    let record = &run.record;
    let badge = match &run.incomplete {
        _ if run.damage.is_some() => "<span class=\"badge bad\">damaged</span>",
        _ if rows.iter().any(|row| row.failure().is_some()) => "<span class=\"badge bad\">failed</span>",
        None => "<span class=\"badge good\">complete</span>",
        Some(_) => "<span class=\"badge bad\">incomplete</span>",
    };
    let redacted = if run.redacted_configuration.is_some() { REDACTED } else { "" };
    let why = run.incomplete.as_ref().map(incomplete);
    let why = why.map(|why| format!("<p class=\"meta\">{}</p>\n", escape(&why)));
    let host = host(record).map(|host| format!("<p class=\"host\">on {}</p>\n", escape(host)));
    format!(
        "<header>\n<p class=\"kicker\">fathom storage measurement · {}</p>\n<h1>{}</h1>\n{}<p class=\"meta\">{badge} <span>{}</span> <span>took {}</span> <span>{}</span> <span>configuration {}</span></p>\n{}{}{redacted}</header>\n",
        escape(&record.name),
        escape(&run.title.clone().unwrap_or_else(|| device(run))),
        host.unwrap_or_default(),
        Moment::of_unix_ns(record.started_unix_ns),
        Nanos(elapsed_ns(run)).to_string().replace(' ', NO_BREAK),
        escape(&record.id),
        configuration_of(run),
        labels(record),
        why.unwrap_or_default()
    )
}

/// The note and the tags, as the user wrote them.
fn labels(record: &RunRecord) -> String {
    let note = record.note.as_ref().map(|note| format!("<p class=\"meta\">{}</p>\n", escape(note)));
    let tags = Some(&record.tags).filter(|tags| !tags.is_empty());
    let tags = tags.map(|tags| format!("<p class=\"meta\">tags: {}</p>\n", escape(&tags.join(" "))));
    [note, tags].into_iter().flatten().collect()
}

/// The three sentences and their evidence.
pub(super) fn verdict(run: &RunResult, rows: &[Row<'_>]) -> String {
    let answer = run.record.answer.as_ref();
    let (trust, level) = trust(run, rows, answer);
    let limit = answer.and_then(|it| it.limit.as_ref()).map(limit::line);
    let limit = limit.unwrap_or_else(|| "what limited it is not known".to_owned());
    let class = if answer.is_some_and(|it| it.instead.is_some()) { "bad" } else { level };
    format!(
        "<section class=\"verdict {class}\">\n<h2>{}</h2>\n{}{}<p><b>Trust:</b> {}</p>\n{}<p><b>Limit:</b> {}</p>\n{}{}{}</section>\n",
        escape(&sentence(&result(run, rows, answer))),
        instead(answer),
        measured(run, answer),
        escape(&sentence(&trust)),
        on_paper(run),
        escape(&sentence(&limit)),
        answer.and_then(remarks).map(|text| labelled("Remarks", &text)).unwrap_or_default(),
        sheet(run),
        evidence(run, rows, answer)
    )
}

/// What was reached of a data sheet.
fn sheet(run: &RunResult) -> String {
    let Some(sheet) = &run.record.datasheet else { return String::new() };
    let (heading, text) = (crate::datasheet::heading(sheet), crate::datasheet::sentence(sheet));
    format!("<p><b>{heading}:</b> {}</p>\n", escape(&sentence(&text)))
}

/// The first sentence: the figures, or what was measured instead of the disk.
fn result(run: &RunResult, rows: &[Row<'_>], answer: Option<&Answer>) -> String {
    let Some(answer) = answer else { return condition(run, rows) };
    if let Some(instead) = fathom_words::instead(answer) {
        return instead;
    }
    with_class(answer, &fathom_words::result(answer))
}

/// The result behind the class of device that has such figures.
pub(super) fn with_class(answer: &Answer, result: &str) -> String {
    let class = answer.class.as_ref().map(|class| format!("{}: ", class::says(class))).unwrap_or_default();
    format!("{class}{result}")
}

/// A part of the answer with its label.
pub(super) fn labelled(label: &str, text: &str) -> String {
    format!("<p><b>{label}:</b> {}</p>\n", escape(&sentence(&line(text))))
}

/// The result where something else than the disk was measured: it is no headline then.
fn instead(answer: Option<&Answer>) -> String {
    let result = answer.filter(|it| it.instead.is_some()).map(fathom_words::result);
    result.map(|text| format!("<p>{}</p>\n", escape(&sentence(&text)))).unwrap_or_default()
}

/// The whole of what was measured, where the title says only a part of it, and how much was written.
fn measured(run: &RunResult, answer: Option<&Answer>) -> String {
    let text = answer.map(|it| {
        let parts =
            [Some(fathom_words::subject(&it.measured)), it.jobs.as_ref().map(measured_jobs), written(run)]
                .into_iter()
                .flatten();
        let text = parts.collect::<Vec<_>>().join("; ");
        format!("<p><b>Measured:</b> {}</p>\n", escape(&sentence(&text)))
    });
    text.unwrap_or_default()
}

/// How far the figures can be trusted, and the class of the section.
fn trust(run: &RunResult, rows: &[Row<'_>], answer: Option<&Answer>) -> (String, &'static str) {
    if let Some(trust) = answer.map(|it| &it.trust) {
        let (level, class) = match trust.level {
            TrustLevel::High => ("High", "good"),
            TrustLevel::Medium => ("Medium", "careful"),
            TrustLevel::Low => ("Low", "low"),
        };
        return (format!("{level}: {}", fathom_words::trust::on_page(trust)), class);
    }
    let doubts = doubts(run);
    let failed = run.incomplete.is_some() || rows.iter().any(|row| row.failure().is_some());
    match doubts.first() {
        None if failed => ("the run did not end as planned".to_owned(), "bad"),
        None => ("no rule found a reason for doubt".to_owned(), "good"),
        Some(first) => (first.clone(), if failed { "bad" } else { "careful" }),
    }
}

/// The reasons for doubt on paper, where the evidence cannot be opened.
fn on_paper(run: &RunResult) -> String {
    let reasons = doubts(run);
    let items: String = reasons.iter().map(|reason| element("li", reason)).collect();
    if reasons.len() < 2 { String::new() } else { format!("<ul class=\"on-paper\">{items}</ul>\n") }
}

fn evidence(run: &RunResult, rows: &[Row<'_>], answer: Option<&Answer>) -> String {
    let list = |title: &str, items: Vec<String>| {
        let items: String = items.iter().map(|item| element("li", item)).collect();
        if items.is_empty() { items } else { format!("<h3>{title}</h3>\n<ul>{items}</ul>\n") }
    };
    let (class, limits) = (answer.and_then(|it| it.class.as_ref()), answer.and_then(|it| it.limit.as_ref()));
    // The reader of a redacted page does not have the machine.
    let next = answer.map(|it| fathom_words::next(&it.next)).filter(|_| run.redacted_configuration.is_none());
    let parts = [
        list("Why this class", class.map(class::evidence).into_iter().collect()),
        list("What limited it", limits.map(limit::evidence).unwrap_or_default()),
        list("What to distrust", doubts(run)),
        self_check::list(run, rows),
        next.map(|it| {
            format!("<h3>Next</h3>\n<p><code>{}</code> {}</p>\n", escape(&it.command), escape(&it.why))
        })
        .unwrap_or_default(),
    ]
    .concat();
    if parts.is_empty() {
        return parts;
    }
    format!("<details>\n<summary>Evidence</summary>\n{parts}</details>\n")
}

/// With a capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}{end}", capital(text))
}

/// With a capital letter, unless it begins with a name, which has capitals, digits or signs in it or after it: `rr, mix: …`.
pub(super) fn capital(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(letter) if first.chars().all(|c| c.is_ascii_lowercase()) => {
            format!("{}{}", letter.to_ascii_uppercase(), letters.as_str())
        }
        _ => text.to_owned(),
    }
}

/// What went wrong, else the main figures.
fn condition(run: &RunResult, rows: &[Row<'_>]) -> String {
    let failed = rows.iter().filter(|row| row.failure().is_some()).count();
    match &run.incomplete {
        _ if run.damage.is_some() => "The run is not as it was saved, so its figures may be wrong".to_owned(),
        _ if failed > 0 => {
            format!("{failed} of {} jobs failed; figures cover the time before the failure", rows.len())
        }
        Some(_) => "The run was cut short; figures cover what was measured until then".to_owned(),
        None => main_figures(rows),
    }
}

/// `randread: 74,700 IOPS, 306 MB/s, p99 571 µs; …`.
fn main_figures(rows: &[Row<'_>]) -> String {
    let each: Vec<String> = rows.iter().take(ROWS_TOLD).map(row_text).collect();
    let more = match rows.len().saturating_sub(ROWS_TOLD) {
        0 => String::new(),
        n => format!("; and {n} more"),
    };
    each.join("; ") + &more
}

fn row_text(row: &Row<'_>) -> String {
    let (all, name) = (row.mixed(), &row.first().name);
    if all.totals.ios == 0 {
        return format!("{name}: {}", without_io(row));
    }
    if let Some(unrated) = row.unrated() {
        let (ios, took) = (grouped(all.totals.ios), Nanos(all.runtime_ns()));
        let noun = if all.totals.ios == 1 { "I/O" } else { "I/Os" };
        return format!("{name}: {ios} {noun} in {took}, {}", unrated.words());
    }
    let megabytes = cell(all.bytes_per_second() / 1e6);
    let tail = p99(&all).map(|p99| format!(", {p99}")).unwrap_or_default();
    let halves = halves(row).map(|halves| format!(" ({halves})")).unwrap_or_default();
    format!("{name}: {} IOPS{halves}, {megabytes} MB/s{tail}", cell(all.iops()))
}

/// IOPS by direction, where a row has more than one: `52,300 read, 22,400 write`.
fn halves(row: &Row<'_>) -> Option<String> {
    let busy: Vec<_> = Direction::ALL.into_iter().map(|d| row.flow(d)).filter(|f| f.totals.ios > 0).collect();
    let each = busy.iter().map(|flow| format!("{} {}", cell(flow.iops()), flow.name));
    (busy.len() > 1).then(|| each.collect::<Vec<_>>().join(", "))
}

fn p99(flow: &DirectionFigures<'_>) -> Option<String> {
    let latency_text =
        |(_, kept): &(&str, &Latency)| of_latency(of_percent(99.0), kept, latency).map(|(text, _)| text);
    let main = flow.main_latencies();
    let first = latency_text(main.first()?)?;
    Some(match main.get(1).and_then(latency_text) {
        Some(service) => format!("p99 response {first}, service {service}"),
        None => format!("p99 {first}"),
    })
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_sentence_has_a_capital_letter_and_a_full_stop() {
        for (text, told) in [
            ("the disk. ", "The disk."),
            ("rand-read: 5 IOPS", "rand-read: 5 IOPS."),
            ("nvme0n1 was busy", "nvme0n1 was busy."),
            ("Ready!", "Ready!"),
            ("rr, mix: the wait", "rr, mix: the wait."),
        ] {
            assert_eq!(sentence(text), told);
        }
    }
}
