//! The answer: a line for each of its parts, cut to a few lines where the terminal is narrow.

use super::named::details_of;
use crate::configuration_of;
use crate::fio_json::elapsed_ns;
use fathom_job::option::Key;
use fathom_job::options;
use fathom_job::units::Nanos;
use fathom_results::{Answer, DeviceSheet, JobResult, RunEnd, RunResult, TrustLevel};
use fathom_text::calendar::Moment;
use fathom_text::shell::{quoted_carried, quoted_words};
use fathom_text::shown::line;
use fathom_text::style::Style;
use fathom_text::words::{NO_BREAK, filled, wrapped};
use fathom_words::{StepWords, class, limit, trust};

/// Columns of the labels, with the blanks around them.
pub(super) const LABEL: usize = 9;

/// How much of each part is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The same as brief, with every reason.
    Ample,
    /// As much as a first screen has room for: see [`LINES`].
    Brief,
    /// The same, with one line for the trust and one for the limit, and two for a data sheet.
    Tight,
    /// The same, with one line for the target.
    Tighter,
    /// The same, and of the next step the command alone.
    Tightest,
    /// All of it, with the evidence for the class of device.
    Whole,
}

/// Lines of one part of a brief answer: with the widest table of `quick` and the two lines below
/// it, a screen of 60 columns is then 23 lines at most.
pub(super) const LINES: usize = 2;
/// From this width on, an answer leaves room for a line more.
pub(super) const WIDE: usize = 80;
/// Lines of several targets, of which each is described.
const LINES_OF_TARGETS: usize = 3;
/// Lines of the result, or of what takes its place.
const LINES_OF_RESULT: usize = 3;

/// When and how long the run was, and whether it is whole.
pub(super) fn heading(run: &RunResult, style: Style) -> String {
    let record = &run.record;
    let state = match (&run.incomplete, run.jobs.iter().any(has_failed)) {
        _ if run.damage.is_some() => style.bad("damaged"),
        (_, true) => style.bad("failed"),
        (Some(_), false) => style.bad(if is_interrupted(run) { "interrupted" } else { "incomplete" }),
        (None, false) => style.good("complete"),
    };
    let when = format!("{} · {} · ", Moment::of_unix_ns(record.started_unix_ns), Nanos(elapsed_ns(run)));
    // Two blanks after the name, and the longest state.
    let room = style.width.saturating_sub(when.chars().count() + 2 + "interrupted".len());
    let name = cut(&line(&record.name), room);
    let taken = name.chars().count() + 2 + when.chars().count() + "interrupted".len();
    let place = place(|name| record.fact(name), &record.fathom, style.width.saturating_sub(taken));
    let place = style.faint(&place);
    let damage = run.damage.as_deref().map(|what| damage(what, LINES, style)).unwrap_or_default();
    format!("{}  {when}{state}{place}\n{damage}", style.strong(&name))
}

/// What is not as it was saved.
pub(super) fn damage(what: &str, lines: usize, style: Style) -> String {
    part("damage", what, lines, style, |line| style.bad(line))
}

/// Host, kernel and version, as far as there is room: ` · db01 · Linux 6.1.0 · fathom 0.1.0`.
pub(super) fn place<'f>(fact: impl Fn(&str) -> Option<&'f str>, version: &str, room: usize) -> String {
    let host = fact("hostname").map(|name| line(name).into_owned());
    let kernel = fact("kernel").map(|version| format!("Linux {}", line(version)));
    let mut text = String::new();
    for part in [host, kernel, Some(format!("fathom {version}"))].into_iter().flatten() {
        let longer = format!("{text} · {part}");
        if longer.chars().count() <= room {
            text = longer;
        }
    }
    text
}

/// Did a signal end it?
fn is_interrupted(run: &RunResult) -> bool {
    let signals = [RunEnd::Interrupted, RunEnd::HungUp, RunEnd::Terminated];
    run.record.finish.as_ref().is_some_and(|finish| signals.contains(&finish.ended))
}

pub(super) fn has_failed(job: &JobResult) -> bool {
    job.outcome.as_ref().is_some_and(|outcome| outcome.failure.is_some())
}

/// The parts of the answer, one after the other.
pub(super) fn answer(answer: &Answer, extent: Extent, style: Style) -> String {
    let plain =
        |label: &str, text: &str, lines: usize| part(label, text, extent.lines(lines), style, str::to_owned);
    let targets = match extent {
        Extent::Tighter | Extent::Tightest => 1,
        _ if fathom_words::subject::are_several(&answer.measured) => LINES_OF_TARGETS,
        _ => LINES,
    };
    let mut out = plain("target", &fathom_words::subject(&answer.measured), targets);
    out += &match fathom_words::instead(answer) {
        Some(instead) => {
            let instead =
                part("result", &instead, extent.lines(LINES_OF_RESULT), style, |line| style.bad(line));
            // What is not the disk's is shown behind it, where there is room for all.
            let figures =
                (extent == Extent::Whole).then(|| plain("figures", &fathom_words::result(answer), 0));
            instead + &figures.unwrap_or_default()
        }
        None => plain("result", &result(answer, extent), LINES_OF_RESULT),
    };
    out += &trusted(answer, extent, style);
    out += &answer
        .limit
        .as_ref()
        .map(|limits| {
            let forms = limit::forms(limits);
            // Limits of several groups of jobs have a line more.
            let wide = usize::from(limit::has_clauses(limits) && style.width >= WIDE);
            let lines = extent.lines_of_reasons(LINES + wide);
            part("limit", &first_that_fits(forms, lines, style), lines, style, str::to_owned)
        })
        .unwrap_or_default();
    // A first screen has them below its table.
    let remarks = crate::text::remarks(answer).filter(|_| extent == Extent::Whole);
    out += &remarks.map(|remarks| plain("remarks", &remarks, 0)).unwrap_or_default();
    let mut step = fathom_words::next(&answer.next);
    if extent == Extent::Tightest {
        step.why = String::new();
    }
    out + &next(&step, style)
}

/// The first of the texts that has room, the longest first; where none has, the first.
fn first_that_fits(texts: Vec<String>, lines: usize, style: Style) -> String {
    let room = style.width.saturating_sub(LABEL);
    let fits = |text: &String| wrapped(&bound(&line(text)), room).len() <= lines;
    let at = texts.iter().position(fits).unwrap_or(0);
    texts.into_iter().nth(at).unwrap_or_default()
}

impl Extent {
    fn lines(self, brief: usize) -> usize {
        if self == Extent::Whole { usize::MAX } else { brief }
    }

    /// Is it less than a first screen has where there is room?
    fn is_tight(self) -> bool {
        matches!(self, Extent::Tight | Extent::Tighter | Extent::Tightest)
    }

    /// The lines of a part that is shortened first.
    fn lines_of_reasons(self, brief: usize) -> usize {
        match self {
            Extent::Ample => usize::MAX,
            _ if self.is_tight() => 1,
            _ => self.lines(brief),
        }
    }
}

/// What was reached of a data sheet; empty without one. In brief each claim has a line if all have one, else they follow
/// each other, without the figures where even those have no room, and where the names have none, those that were not
/// missed are counted: each verdict is always told.
pub(super) fn sheet(sheet: Option<&DeviceSheet>, extent: Extent, style: Style) -> String {
    let Some(sheet) = sheet else { return String::new() };
    let is_missed = sheet.lines.iter().any(|line| line.is_reached == Some(false));
    let paint = |line: &str| if is_missed { style.careful(line) } else { line.to_owned() };
    let most = if extent.is_tight() { LINES } else { LINES_OF_RESULT };
    let one = |text: &str| part("sheet", text, extent.lines(most), style, paint);
    if extent == Extent::Whole {
        return one(&crate::datasheet::sentence(sheet));
    }
    if extent == Extent::Ample {
        let tally = part("sheet", &crate::datasheet::tally(sheet), LINES, style, paint);
        let each = crate::datasheet::whole(sheet);
        return tally + &each.iter().map(|claim| part("", claim, LINES, style, paint)).collect::<String>();
    }
    let claims = crate::datasheet::brief(sheet);
    let room = style.width.saturating_sub(LABEL);
    let lines = |text: &str| wrapped(&bound(&line(text)), room).len();
    if claims.len() <= most && claims.iter().all(|claim| lines(claim) == 1) {
        let labels = ["sheet", "", ""];
        let each = labels.iter().zip(&claims).map(|(label, claim)| part(label, claim, 1, style, paint));
        return each.collect();
    }
    let shorter = [claims.join("; "), crate::datasheet::missed(sheet), crate::datasheet::briefest(sheet)];
    let fitting = shorter.into_iter().find(|text| lines(text) <= most);
    one(&fitting.unwrap_or_else(|| crate::datasheet::counted(sheet)))
}

/// The class first: it is what a person repeats to others.
fn result(answer: &Answer, extent: Extent) -> String {
    let result = fathom_words::result(answer);
    match (&answer.class, extent) {
        (None, _) => result,
        (Some(class), Extent::Whole) => {
            format!("{}: {result} ({})", class::says(class), class::evidence(class))
        }
        (Some(class), _) => format!("{}: {result}", class::says(class)),
    }
}

fn trusted(answer: &Answer, extent: Extent, style: Style) -> String {
    let level = answer.trust.level;
    let forms: Vec<String> =
        trust::forms(&answer.trust).iter().map(|text| format!("{}: {text}", level.name())).collect();
    let paint = |text: &str| match level {
        TrustLevel::Low => style.bad(text),
        TrustLevel::Medium => style.careful(text),
        TrustLevel::High => style.good(text),
    };
    // Only the level has the colour.
    let painted = |line: &str| match line.strip_prefix(level.name()) {
        Some(rest) => format!("{}{rest}", paint(level.name())),
        None => line.to_owned(),
    };
    let lines = extent.lines_of_reasons(LINES);
    part("trust", &first_that_fits(forms, lines, style), lines, style, painted)
}

/// The command, broken as a shell allows it, and what it is good for.
pub(super) fn next(step: &StepWords, style: Style) -> String {
    let room = style.width.saturating_sub(LABEL);
    let command = broken(&step.command, room);
    let label = format!("{:<LABEL$}", "next");
    if step.why.is_empty() {
        return format!("{}{command}\n", style.faint(&label));
    }
    let one_line = !command.contains('\n') && command.chars().count() + 2 + step.why.chars().count() <= room;
    let why = style.faint(&step.why);
    match one_line {
        true => format!("{}{command}  {why}\n", style.faint(&label)),
        false => {
            let why = cut(&step.why, room);
            format!("{}{command}\n{}{}\n", style.faint(&label), " ".repeat(LABEL), style.faint(&why))
        }
    }
}

/// A command, broken as a shell allows it.
pub(super) fn broken(command: &str, room: usize) -> String {
    filled(quoted_words(command), room.saturating_sub(2)).join(&format!(" \\\n{}", " ".repeat(LABEL)))
}

/// A label and a text under itself, of at most `lines` lines.
pub(super) fn part(
    label: &str,
    text: &str,
    lines: usize,
    style: Style,
    paint: impl Fn(&str) -> String,
) -> String {
    let room = style.width.saturating_sub(LABEL);
    let lines_of = wrapped(&bound(&line(text)), room);
    let mut all: Vec<String> = lines_of.iter().map(|line| cut(&line.replace(NO_BREAK, " "), room)).collect();
    if all.len() > lines {
        all.truncate(lines);
        if let Some(last) = all.last_mut() {
            *last = cut(&format!("{last} …"), room);
        }
    }
    let painted: Vec<String> = all.iter().map(|line| paint(line)).collect();
    // A blank is behind the longest label, too.
    let label = style.faint(&format!("{label:<0$} ", LABEL - 1));
    format!("{label}{}\n", painted.join(&format!("\n{}", " ".repeat(LABEL))))
}

/// The text with each number bound to the unit after it.
fn bound(text: &str) -> String {
    let is_number = |word: &str| {
        let digits = word.trim_start_matches(['+', '−']);
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.ends_with(|c: char| c.is_ascii_digit())
    };
    let mut out = String::with_capacity(text.len());
    for word in text.split(' ') {
        out.push_str(word);
        out.push(if is_number(word) { NO_BREAK } else { ' ' });
    }
    out.pop();
    out
}

/// The last lines of the page.
pub(super) struct SavedLines {
    /// Where the run is saved, and how to see more of it.
    pub text: String,
    /// They name the topic that explains a doubt, for which they had room.
    pub has_topic: bool,
}

/// Where the run is saved, and how to see more of it.
pub(super) fn saved(run: &RunResult, style: Style) -> SavedLines {
    let room = style.width.saturating_sub(LABEL);
    let dir = fathom_text::shown::path(&run.dir);
    let dir = if dir.chars().count() <= room { dir } else { format!("run {}", run.record.id) };
    let more = details_of(run);
    let topic = topic(run).map(|topic| format!("{more} · {topic}"));
    let topic = topic.filter(|both| both.chars().count() <= room);
    let has_topic = topic.is_some();
    let more = topic.unwrap_or_else(|| broken(&more, room));
    let label = |label: &str| style.faint(&format!("{label:<LABEL$}"));
    let configuration = format!("  configuration {}", configuration_of(run));
    let has_room = dir.chars().count() + configuration.chars().count() <= room;
    let dir = if has_room { dir + &style.faint(&configuration) } else { cut(&dir, room) };
    let again = again(run).map(|again| format!(" · {again}"));
    let again = again.filter(|again| more.chars().count() + again.chars().count() <= room);
    let more = more + &again.unwrap_or_default();
    let logs = logs(run, room).map(|logs| format!("{}{logs}\n", label("logs"))).unwrap_or_default();
    let text = format!("{}{dir}\n{logs}{}{}\n", label("saved"), label("details"), more);
    SavedLines { text, has_topic }
}

/// How the logs are read that a job asked for as in fio: they are in the directory of the run, and not where fio writes them.
fn logs(run: &RunResult, room: usize) -> Option<String> {
    const LOGS: [&Key<Option<String>>; 4] =
        [&options::WRITE_BW_LOG, &options::WRITE_IOPS_LOG, &options::WRITE_LAT_LOG, &options::WRITE_HIST_LOG];
    let has_logs = run.jobs.iter().any(|job| LOGS.iter().any(|log| job.planned.job.is_given(log)));
    let command = format!("fathom import {}", quoted_carried(&run.dir.to_string_lossy()));
    let why = "  reads the logs that are there";
    let has_room = command.chars().count() + why.len() <= room;
    has_logs.then(|| if has_room { command + why } else { cut(&command, room) })
}

/// The command that measures the same again: `again: fathom quick`. None where none was saved.
fn again(run: &RunResult) -> Option<String> {
    let (_, words) = run.record.command.split_first()?;
    let words: Vec<String> = words.iter().map(|word| quoted_carried(word)).collect();
    Some(format!("again: fathom {}", words.join(" ")))
}

/// The line that names the topic which explains a doubt.
pub(super) fn help(run: &RunResult, style: Style) -> String {
    let label = style.faint(&format!("{:<LABEL$}", "help"));
    topic(run).map(|topic| format!("{label}{topic}\n")).unwrap_or_default()
}

/// What explains why the trust is not high.
fn topic(run: &RunResult) -> Option<&'static str> {
    let answer = run.record.answer.as_ref()?;
    (answer.trust.level < TrustLevel::High).then_some("fathom help trust")
}

/// The beginning of a text that has more than `room` columns, with a sign that there is more.
pub(super) fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_results::{DeviceSheet, SheetLine};

    #[test]
    fn the_longest_text_that_has_room_is_shown() {
        let of = |width| {
            let texts = ["one two three", "one two", "one"].map(str::to_owned).to_vec();
            first_that_fits(texts, 1, Style { width: width + LABEL, ..Style::PLAIN })
        };
        assert_eq!([13, 7, 3, 2].map(of), ["one two three", "one two", "one", "one"]);
    }

    /// The logs are not where fio writes them, so the first screen says how they are read.
    #[test]
    fn a_run_with_logs_says_how_they_are_read() {
        let below = |options: &str, width: usize| {
            let run =
                fathom_figures::fixture::RunBuilder::of(&format!("ioengine=null size=1m {options}")).run();
            saved(&run, Style { width, ..Style::PLAIN }).text
        };
        for log in ["write_bw_log", "write_iops_log=x", "write_lat_log=x", "write_hist_log=x"] {
            let text = below(log, 200);
            let line = text.lines().find(|line| line.starts_with("logs")).unwrap();
            assert!(
                line.contains("fathom import ") && line.ends_with("reads the logs that are there"),
                "{text}"
            );
        }
        assert!(!below("", 200).contains("logs"));
        assert!(below("write_bw_log", 60).lines().all(|line| line.chars().count() <= 60));
    }

    #[test]
    fn every_verdict_of_a_sheet_is_told_at_every_width() {
        let claims =
            ["random read", "random write", "sequential read", "sequential write", "mean read latency"];
        let line = |what: &&str| SheetLine {
            what: (*what).to_owned(),
            unit: "IOPS".to_owned(),
            claimed: 100_000.0,
            measured: Some(90_123.0),
            job: Some("a-job-with-a-long-name".to_owned()),
            is_reached: Some(false),
            ..SheetLine::default()
        };
        for n in [2, 3, 5] {
            let lines: Vec<SheetLine> = claims[..n].iter().map(line).collect();
            let claimed = DeviceSheet { lines, ..DeviceSheet::default() };
            for width in 60..=200 {
                let style = Style { width, ..Style::PLAIN };
                let two = sheet(Some(&claimed), Extent::Tight, style);
                assert!(two.lines().count() <= LINES && (n == 5 || !two.contains('…')), "{width}: {two}");
                let page = sheet(Some(&claimed), Extent::Brief, style);
                assert!(page.lines().count() <= LINES_OF_RESULT && !page.contains('…'), "{width}: {page}");
                let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(claims[..n].iter().all(|claim| flat.contains(claim)), "{width}: {page}");
                let each = page.lines().filter(|line| line.contains(" IOPS, 90 %: missed")).count();
                assert!(each == n || (n == 5 || width < 70) && page.contains("missed"), "{width}: {page}");
            }
        }
    }
}
