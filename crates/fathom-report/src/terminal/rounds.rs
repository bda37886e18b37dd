//! The rounds of a procedure as a table: for each job a line for all of its rounds, then a line for each round, with the trust
//! in it.

use super::{Layout, TALL};
use crate::column::{
    HALF, THIN, heading, instead_in_round, is_thin_in_round, mark, of_round, of_round_chosen, value,
};
use crate::rounds::{self, JobRound, rate_or_why};
use fathom_figures::metric::{Metric, Output, of_percent, percentiles_of};
use fathom_results::answer::Remark;
use fathom_results::procedure::{FallFigures, ProcedureResult, RoundDone, RoundFigures};
use fathom_text::number::{cell, significant};
use fathom_text::quantity::TimeUnit;
use fathom_text::shown::line;
use fathom_text::style::Style;
use fathom_text::table::Table;
use fathom_text::words::wrapped;
use std::borrow::Cow;

/// Columns that a table needs with MB/s, and with the longest latency too.
const WIDTH_WITH_BANDWIDTH: usize = 72;
const WIDTH_WITH_MAX: usize = 80;

/// And with the first percentile beside the one that is always there; each further one needs so much more.
const WIDTH_WITH_PERCENTILES: usize = 92;
const WIDTH_OF_PERCENTILE: usize = 8;

/// Lines of what must be known beside the means, and those of a tall terminal.
const LINES_OF_CLAUSES: usize = 2;
const LINES_OF_CLAUSES_TALL: usize = 3;

/// The table of at most `room` lines, its headings and the lines below it included. Of more rounds the first and the
/// last are shown. Means are those of a procedure that is whole.
pub(super) fn round_table(
    procedure: &ProcedureResult,
    has_means: bool,
    room: usize,
    layout: Layout<'_>,
) -> String {
    let style = layout.style;
    let jobs = rounds::jobs(procedure);
    let all = || jobs.iter().flat_map(|job| job.rounds.iter().map(|(_, figures)| *figures));
    let unit = TimeUnit::for_fastest(all().filter_map(|one| one.latency_ns_mean));
    let columns = columns(layout);
    let is_several = jobs.len() > 1;
    // Rounds of different cells measure different things.
    let has_means = has_means && rounds::is_one_cell(procedure);
    let lines: Vec<Vec<String>> = procedure
        .rounds()
        .flat_map(|round| round.figures.iter().map(move |figures| (round, figures)))
        .map(|one| row(&columns, name(one.0, one.1, is_several), |column| column.of_one(&one, unit)))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let is_marked = |column: &Column| match column {
        Column::Metric(metric) => all().any(|figures| is_thin_in_round(metric, figures)),
        Column::Chosen(_) | Column::Half | Column::Trust => false,
    };
    let thin = if columns.iter().any(is_marked) { format!("{THIN}\n") } else { String::new() };
    let top = |has_directions: bool| {
        let sound = if has_means { rounds::jobs_without_failures(procedure) } else { Vec::new() };
        let means = mean_rows(&columns, &sound, has_directions, unit);
        // Behind the details the answer has the remarks.
        let answer = procedure.record.conclusion.as_ref().and_then(|it| it.answer.as_deref());
        let remarks =
            answer.filter(|_| room < usize::MAX).map(|it| it.remarks.as_slice()).unwrap_or_default();
        let note = note(procedure, (!means.is_empty(), means.len() > jobs.len()), remarks, style);
        let note = note + &thin;
        let headings = row(&columns, "round".to_owned(), |column| column.heading(unit));
        (std::iter::once(headings).chain(means).collect::<Vec<_>>(), note)
    };
    let (mut rows, mut note) = top(true);
    // The rounds come before the directions.
    if rows.len() + note.lines().count() + jobs.len() > room {
        (rows, note) = top(false);
    }
    let left = room.saturating_sub(rows.len() + note.lines().count());
    let shown = Shown::of(lines.len(), left);
    // A few lines of a round, of different jobs, cannot be compared: then each job has a line with all of its rounds.
    if shown.left_out > 0 && rows.len() > jobs.len() && jobs.len() <= left.max(LINES_MIN) {
        // No line of a round is left, so the column of its trust has no entry.
        rows.iter_mut().for_each(|row| row.truncate(columns.len()));
        let each: String = jobs.iter().map(|job| by_round(job, unit, style.width)).collect();
        return Table { rows }.render(style) + &each + &style.faint(&note);
    }
    let more = format!("… {} more: --details", shown.left_out);
    let gap = (shown.left_out > 0).then(|| row(&columns, more, |_| String::new()));
    rows.extend(lines[..shown.first].iter().cloned().chain(gap));
    rows.extend(lines[shown.first + shown.left_out..].iter().cloned());
    Table { rows }.render(style) + &style.faint(&note)
}

/// A line: its name, and its entry in each column.
fn row(columns: &[Column], name: String, of: impl Fn(Column) -> String) -> Vec<String> {
    std::iter::once(name).chain(columns.iter().map(|column| of(*column))).collect()
}

/// The means of each job with several rounds, and of its directions.
fn mean_rows(
    columns: &[Column],
    jobs: &[rounds::JobRounds<'_>],
    has_directions: bool,
    unit: TimeUnit,
) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for job in jobs.iter().filter(|job| job.rounds.len() > 1) {
        let name = if jobs.len() > 1 { format!("all {}", line(job.name)) } else { "all".to_owned() };
        rows.push(row(columns, name, |column| column.of_all(&job.rounds, unit)));
        let directions = if has_directions { rounds::by_direction(job) } else { Vec::new() };
        rows.extend(directions.iter().map(|direction| {
            row(columns, format!("  {}", direction.name), |column| column.of_all(&direction.rounds, unit))
        }));
    }
    rows
}

/// Lines of rounds that a table has in any case: the first, what is left out, and the last.
const LINES_MIN: usize = 3;

/// The rounds of a job in a line: `a by round: IOPS 41,431 · 42,322 · 42,097; p99 µs 899 · 880 · 910`. Of many rounds the first
/// and the last, with their number (the line with the command for the details follows), and no percentiles where there is no
/// room for them: a round that is left out would seem lost.
fn by_round(job: &rounds::JobRounds<'_>, unit: TimeUnit, width: usize) -> String {
    let listed = |values: Vec<String>, kept: usize| match values.as_slice() {
        many if many.len() > 2 * kept => {
            format!("{} … {}", many[..kept].join(" · "), many[many.len() - kept..].join(" · "))
        }
        all => all.join(" · "),
    };
    let ios = || job.rounds.iter().map(rate_of_round).collect::<Vec<_>>();
    let p99 = || {
        let time = |one: &JobRound<'_>| of_round(of_percent(99.0), one.1, unit);
        job.rounds.iter().map(time).collect::<Vec<_>>()
    };
    let all = job.rounds.len();
    let of_all =
        |kept: usize| if all > 2 * kept { format!(" ({} of {all} shown)", 2 * kept) } else { String::new() };
    let told =
        |kept: usize| format!("  {} by round{}: IOPS {}", line(job.name), of_all(kept), listed(ios(), kept));
    let both = |kept: usize| format!("{}; p99 {} {}", told(kept), unit.symbol(), listed(p99(), kept));
    let whole = usize::MAX / 2;
    let choices = [both(whole), told(whole), both(3), both(2), told(3), told(2), told(1)];
    let fits = |text: &&String| text.chars().count() <= width;
    let text = choices.iter().find(fits).unwrap_or(&choices[6]);
    format!("{}\n", super::answer::cut(text, width))
}

/// The rate of a round; of one that failed with that word, because this line has no column for it.
fn rate_of_round((round, figures): &JobRound<'_>) -> String {
    let failed = if round.failed().is_some() { " (failed)" } else { "" };
    rate_or_why(figures) + failed
}

/// Which lines are shown: the first ones and the last ones.
struct Shown {
    first: usize,
    left_out: usize,
}

impl Shown {
    /// Of `all` lines in `room`, where the line that says how many are left out takes the place of one. At least two
    /// lines are shown, and a single one is not left out.
    fn of(all: usize, room: usize) -> Shown {
        const KEPT_MIN: usize = 2;
        if all <= room.max(KEPT_MIN + 1) {
            return Shown { first: all, left_out: 0 };
        }
        let kept = room.saturating_sub(1).clamp(KEPT_MIN, all);
        Shown { first: kept.div_ceil(2), left_out: all - kept }
    }
}

fn name(round: &RoundDone, figures: &RoundFigures, is_several: bool) -> String {
    match is_several {
        false => round.directory.clone(),
        true => format!("{} {}", round.directory.split('-').next().unwrap_or_default(), line(&figures.job)),
    }
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Metric(&'static Metric),
    /// The same, where a person chose it.
    Chosen(&'static Metric),
    /// Half of the interval of the mean rate.
    Half,
    Trust,
}

/// The columns that the terminal has room for; those that a person chose are all there, and go on below.
fn columns(layout: Layout<'_>) -> Vec<Column> {
    let are_chosen = layout.columns.are_chosen();
    let all = layout.columns.of(Output::Screen).into_iter();
    let fitting = all.filter(|metric| are_chosen || width_min(metric) <= layout.style.width);
    let figures = fitting.flat_map(|metric| {
        let half = (metric.id == "iops").then_some(Column::Half);
        let column = if are_chosen { Column::Chosen(metric) } else { Column::Metric(metric) };
        std::iter::once(column).chain(half)
    });
    figures.chain([Column::Trust]).collect()
}

/// The width that a table with this figure needs. The most important percentile is always there.
fn width_min(metric: &Metric) -> usize {
    let more_important = percentiles_of(Output::Screen).filter(|other| other.rank < metric.rank).count();
    match (metric.id, metric.percentile(), more_important) {
        ("bandwidth", ..) => WIDTH_WITH_BANDWIDTH,
        ("latency_max", ..) => WIDTH_WITH_MAX,
        (_, None, _) | (_, _, 0) => 0,
        (_, _, before) => WIDTH_WITH_PERCENTILES + (before - 1) * WIDTH_OF_PERCENTILE,
    }
}

impl Column {
    fn heading(self, unit: TimeUnit) -> String {
        match self {
            Column::Metric(metric) | Column::Chosen(metric) => heading(metric, unit),
            Column::Half => HALF.to_owned(),
            Column::Trust => "trust".to_owned(),
        }
    }

    /// What it has for one round.
    fn of_one(self, one: &JobRound<'_>, unit: TimeUnit) -> String {
        match self {
            Column::Metric(metric) | Column::Chosen(metric) if metric.id == "iops" => {
                rate_or_why(one.1) + marked(one.1.fall)
            }
            Column::Metric(metric) => of_round(metric, one.1, unit),
            Column::Chosen(metric) => of_round_chosen(metric, one.1, unit),
            Column::Half => String::new(),
            Column::Trust => rounds::trust(one.0).unwrap_or("-").to_owned(),
        }
    }

    /// What it has for all rounds.
    fn of_all(self, all: &[JobRound<'_>], unit: TimeUnit) -> String {
        match self {
            // One round that has no rate leaves the mean without one.
            Column::Metric(metric) | Column::Chosen(metric) if metric.id == "iops" => {
                let fall = all.iter().find_map(|one| one.1.fall);
                rounds::together(metric, all).map_or_else(|| without_mean(all), cell) + marked(fall)
            }
            Column::Chosen(metric) if all.iter().any(|one| instead_in_round(metric, one.1).is_some()) => {
                "-".to_owned()
            }
            Column::Metric(metric) | Column::Chosen(metric) => {
                let together = rounds::together(metric, all);
                let is_thin = together.is_some() && all.iter().any(|one| is_thin_in_round(metric, one.1));
                value(metric, together, unit) + mark(is_thin)
            }
            Column::Half => half_percent(all),
            Column::Trust => String::new(),
        }
    }
}

/// Why there is no mean rate: what the first round without a rate has in its place; of rounds that differ too much a dash.
fn without_mean(all: &[JobRound<'_>]) -> String {
    let unrated = all.iter().find(|one| one.1.unrated().is_some());
    unrated.map_or("-".to_owned(), |one| rate_or_why(one.1))
}

/// The mark behind a rate that fell.
fn marked(fall: Option<FallFigures>) -> &'static str {
    if fall.is_some() { rounds::FELL } else { "" }
}

/// Half of the interval of the mean rate.
fn half_percent(all: &[JobRound<'_>]) -> String {
    let rates = rounds::values(all, RoundFigures::lasting_rate);
    let mean = rates.and_then(|rates| rounds::estimate(&rates)).filter(|mean| mean.value > 0.0);
    mean.map_or("-".to_owned(), |e| match 100.0 * e.relative_half_width() {
        half if half < 0.05 => "0.0".to_owned(),
        half => significant(half, 2),
    })
}

/// What the mark behind a rate says.
const LASTED: &str =
    "the rate fell meanwhile: IOPS and MB/s are those that lasted, latency is of the whole round";

/// What must be known to read the table, and what it has no column for.
fn note(
    procedure: &ProcedureResult,
    (has_mean, has_directions): (bool, bool),
    remarks: &[Remark],
    style: Style,
) -> String {
    let figures = || procedure.rounds().flat_map(|round| &round.figures);
    let all: Vec<bool> = figures().map(|one| one.is_response).collect();
    let latency = match (all.iter().any(|is| *is), all.iter().all(|is| *is)) {
        (true, true) => "latency: of all I/Os of a job, from the planned start",
        (true, false) => "latency: of all I/Os; of jobs with a rate from the planned start",
        _ if has_directions => "latency: of the I/Os of each line",
        _ => "latency: of all I/Os of a job, all directions together",
    };
    // The round in which a procedure broke off is not among them.
    let is_sound = procedure.record.conclusion.is_some()
        && figures().any(|one| one.iops > 0.0)
        && procedure.rounds().all(|it| it.errors == 0 && it.failed().is_none());
    let sound = is_sound.then_some("no I/O failed");
    let remarks = remarks.iter().map(|it| Cow::from(line(&fathom_words::remark(it)).into_owned()));
    let change = shown_from(procedure).filter(|_| has_mean);
    let clauses =
        std::iter::once(latency).chain(sound).chain(change.as_deref()).map(Cow::from).chain(remarks);
    let fell = match rounds::has_fallen(procedure) {
        true => wrapped(&format!("{}: {LASTED}", rounds::FELL.trim()), style.width),
        false => Vec::new(),
    };
    let mean = if has_mean { wrapped(&means(procedure), style.width) } else { Vec::new() };
    let lines = mean.into_iter().chain(fell).chain(rates(procedure)).chain(of_clauses(clauses, style));
    lines.map(|line| format!("{line}\n")).collect()
}

/// What the line of all rounds has.
fn means(procedure: &ProcedureResult) -> String {
    let all = if procedure.failed_round().is_some() { "all that did not fail" } else { "all" };
    format!("{all}: means; percentiles are medians, max the largest; ±: 95 %")
}

/// The smallest change that a second set of as many rounds would show: the difference of two such means has √2 times the half
/// width of one.
fn shown_from(procedure: &ProcedureResult) -> Option<String> {
    let jobs = rounds::jobs_without_failures(procedure);
    let [job] = jobs.as_slice() else { return None };
    let rates = rounds::values(&job.rounds, RoundFigures::lasting_rate);
    let mean = rates.and_then(|rates| rounds::estimate(&rates)).filter(|mean| mean.value > 0.0);
    let change = mean.map(|mean| 100.0 * std::f64::consts::SQRT_2 * mean.relative_half_width());
    Some(format!("changes below {} % would not show", significant(change?, 2)))
}

/// The clauses in at most as many lines as they have, without those that have no room.
fn of_clauses<'c>(clauses: impl Iterator<Item = Cow<'c, str>>, style: Style) -> Vec<String> {
    let most = if style.height >= TALL { LINES_OF_CLAUSES_TALL } else { LINES_OF_CLAUSES };
    let mut lines = Vec::new();
    let mut text = String::new();
    for clause in clauses {
        let longer = if text.is_empty() { clause.into_owned() } else { format!("{text}; {clause}") };
        let wrapped = wrapped(&longer, style.width);
        if lines.is_empty() || wrapped.len() <= most {
            (text, lines) = (longer, wrapped);
        }
    }
    lines
}

/// In how many rounds jobs kept the rate that was asked for. The result tells it, unless something else takes its place.
fn rates(procedure: &ProcedureResult) -> Option<String> {
    let is_replaced = procedure.record.conclusion.as_ref()?.answer.as_ref()?.instead.is_some();
    let asked = || procedure.rounds().flat_map(|round| &round.figures).filter_map(|one| one.asked);
    let (all, kept) = (asked().count(), asked().filter(|asked| asked.is_kept).count());
    let rounds = procedure.rounds().count();
    (is_replaced && all > 0).then(|| match all {
        _ if kept == all => "rates: kept in each round".to_owned(),
        _ if all == rounds => format!("rates: kept in {kept} of {rounds} rounds"),
        _ => format!("rates: kept {kept} of {all} times, by jobs and rounds"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_results::RunEnd;

    /// The mean of two levels is the rate of no second.
    #[test]
    fn a_round_whose_rate_fell_has_the_rate_that_lasted_and_a_mark() {
        let fall = FallFigures {
            at_s: 12,
            lasts_from_s: 12,
            iops_lasting: 500.0,
            bytes_per_second_lasting: 2e6,
            ..FallFigures::default()
        };
        let steady = RoundFigures { iops: 3_000.0, bytes_per_second: 12e6, ..RoundFigures::default() };
        let fallen = RoundFigures { fall: Some(fall), ..steady.clone() };
        let rate = |of: &RoundFigures| rate_or_why(of) + marked(of.fall);
        assert_eq!((rate(&steady), rate(&fallen)), ("3,000".to_owned(), "500 ↓".to_owned()));
        let round = RoundDone::default();
        let told = |all: &[&RoundFigures]| {
            let all: Vec<JobRound<'_>> = all.iter().map(|one| (&round, *one)).collect();
            columns(Layout::from(Style { width: 80, ..Style::PLAIN }))[..3]
                .iter()
                .map(|column| column.of_all(&all, TimeUnit::Us))
                .collect::<Vec<_>>()
        };
        assert_eq!(told(&[&fallen, &fallen, &fallen]), ["500 ↓", "0.0", "2.00"]);
        assert_eq!(told(&[&steady, &steady, &steady]), ["3,000", "0.0", "12.0"]);
    }

    #[test]
    fn rounds_that_are_left_out_of_a_line_are_counted() {
        let round = RoundDone { ended: RunEnd::ByItself, ..RoundDone::default() };
        let figures: Vec<RoundFigures> = (1..=30)
            .map(|n| RoundFigures {
                ios: 1_000_000,
                iops: f64::from(n) * 11_111.0,
                latency_percentiles: [(99.0, n as u64 * 1_000_000)].into_iter().collect(),
                ..RoundFigures::default()
            })
            .collect();
        let told = |rounds: usize, width: usize| {
            let rounds = figures[..rounds].iter().map(|one| (&round, one)).collect();
            let text = by_round(&rounds::JobRounds { name: "a", rounds }, TimeUnit::Us, width);
            text.trim().to_owned()
        };
        let all = "a by round: IOPS 11,111 · 22,222 · 33,333 · 44,444 · 55,555";
        assert_eq!(told(5, 200), format!("{all}; p99 µs 1,000 · 2,000 · 3,000 · 4,000 · 5,000"));
        // All rates say more than some rates with some percentiles.
        assert_eq!(told(5, 70), all);
        assert_eq!(told(9, 68), "a by round (4 of 9 shown): IOPS 11,111 · 22,222 … 88,888 · 99,999");
        assert_eq!(told(9, 54), "a by round (2 of 9 shown): IOPS 11,111 … 99,999");
        let both = told(30, 150);
        assert!(
            both.starts_with("a by round (6 of 30 shown): IOPS 11,111 · 22,222 · 33,333 … 311,108"),
            "{both}"
        );
        assert!(both.contains("; p99 µs 1,000 · 2,000 · 3,000 … 28,000"), "{both}");
    }
}
