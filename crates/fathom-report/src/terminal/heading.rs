//! The first lines: which run, when, how long, and whether it is whole.

use super::answer::has_failed;
use crate::configuration_of;
use crate::fio_json::elapsed_ns;
use fathom_job::units::Nanos;
use fathom_results::RunResult;
use fathom_text::calendar::Moment;
use fathom_text::style::Style;
use fathom_words::incomplete;

pub(super) fn heading(run: &RunResult, style: Style) -> String {
    let record = &run.record;
    let started = Moment::of_unix_ns(record.started_unix_ns);
    let state = match &run.incomplete {
        _ if run.damage.is_some() => {
            format!("{}: {}", style.bad("DAMAGED"), run.damage.as_deref().unwrap_or_default())
        }
        why if run.jobs.iter().any(has_failed) => {
            let why = why.as_ref().map(|why| format!(": {}", incomplete(why))).unwrap_or_default();
            format!("{}{why}", style.bad("FAILED"))
        }
        None => style.good("complete"),
        Some(why) => format!("{}: {}", style.bad("INCOMPLETE"), incomplete(why)),
    };
    format!(
        "{}  {}\n{started} · {} · {state}\n{}\n{}",
        style.strong(&record.name),
        style.faint(&format!("{} · fathom {}", record.id, record.fathom)),
        Nanos(elapsed_ns(run)),
        style.faint(&format!("configuration {}", configuration_of(run))),
        labels(run, style),
    )
}

/// The note and the tags.
fn labels(run: &RunResult, style: Style) -> String {
    let note = run.record.note.as_ref().map(|note| style.labelled("note", note));
    let tags = Some(&run.record.tags).filter(|tags| !tags.is_empty());
    let tags = tags.map(|tags| style.labelled("tags", &tags.join(" ")));
    [note, tags].into_iter().flatten().collect()
}
