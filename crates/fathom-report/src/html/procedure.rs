//! The page of a procedure: its answer, what its rounds are together, and each round.

use super::document;
use super::markup::{element, escape, folded};
use super::round_dots::{course, round_dots};
use super::verdict::{labelled, sentence, with_class};
use super::verified::section_of_rounds;
use crate::column;
use crate::rounds::{
    JobRound, JobRounds, estimate, fell, has_fallen, is_one_cell, jobs_without_failures, rate_or_why,
    together, trust as trust_of_round, values,
};
use crate::terminal::ProcedureState;
use crate::text;
use fathom_figures::metric::{Columns, Metric, MetricUnit, Output, OverRounds};
use fathom_results::procedure::{ProcedureResult, RoundDone, RoundFigures};
use fathom_results::{Answer, TrustLevel, Verdict};
use fathom_stats::Estimate;
use fathom_text::calendar::Moment;
use fathom_text::number::significant;
use fathom_text::quantity::TimeUnit;
use fathom_text::shell::quoted;
use fathom_text::shown::line;
use fathom_words::{class, limit, measured_jobs, subject, trust};

/// Jobs whose rounds are drawn.
const JOBS_DRAWN_MAX: usize = 12;

/// The whole document. `title` replaces the name of the device.
pub fn procedure_page(procedure: &ProcedureResult, state: ProcedureState<'_>, title: Option<&str>) -> String {
    let concluded = procedure.record.conclusion.as_ref().and_then(|it| it.answer.as_deref());
    let answer = concluded.or(state.so_far).filter(|_| state.damage.is_empty());
    let device = answer.map(|answer| subject::short(&answer.measured));
    let title =
        title.map(str::to_owned).or(device).unwrap_or_else(|| line(&procedure.record.name).into_owned());
    let is_whole = state.damage.is_empty() && procedure.record.conclusion.is_some();
    let together =
        if is_whole && is_one_cell(procedure) { jobs_without_failures(procedure) } else { Vec::new() };
    let metrics = RoundMetrics::of(state.columns.unwrap_or(Columns::USUAL));
    let body = [
        header(procedure, state, &title),
        verdict(procedure, state, answer),
        section_of_rounds(procedure),
        figures(&together, &metrics, procedure.failed_round().is_some()),
        drawn(&together, &metrics),
        course(procedure),
        rounds(procedure, &metrics),
    ]
    .concat();
    document(&title, &body)
}

fn header(procedure: &ProcedureResult, state: ProcedureState<'_>, title: &str) -> String {
    let record = &procedure.record;
    let (class, word) = match (state.damage.is_empty(), &record.conclusion) {
        (false, _) => ("bad", "damaged"),
        (true, Some(_)) if procedure.failed_round().is_some() => ("bad", "failed"),
        (true, Some(_)) => ("good", "complete"),
        (true, None) if state.is_running => ("bad", "still running"),
        (true, None) => ("bad", "not finished"),
    };
    let damage: String = state.damage.iter().map(|what| meta(what)).collect();
    let tags = (!record.tags.is_empty()).then(|| meta(&format!("tags: {}", record.tags.join(" "))));
    format!(
        "<header>\n<p class=\"kicker\">fathom storage measurement · {}</p>\n<h1>{}</h1>\n<p class=\"meta\"><span class=\"badge {class}\">{word}</span> <span>{}</span> <span>{}, {}</span> <span>{}</span></p>\n{}{}{damage}</header>\n",
        escape(&line(&record.name)),
        escape(title),
        Moment::of_unix_ns(record.started_unix_ns),
        escape(&record.procedure),
        text::rounds_done(procedure),
        escape(&record.id),
        record.note.as_deref().map(meta).unwrap_or_default(),
        tags.unwrap_or_default(),
    )
}

fn meta(text: &str) -> String {
    format!("<p class=\"meta\">{}</p>\n", escape(&line(text)))
}

/// The answer; of a procedure whose rounds measure different things, its verdict.
fn verdict(procedure: &ProcedureResult, state: ProcedureState<'_>, answer: Option<&Answer>) -> String {
    let told = procedure.record.conclusion.as_ref().map(|it| &it.verdict).filter(|_| state.damage.is_empty());
    let Some(answer) = answer else {
        let headline = told.map(|told| fathom_words::headline(&told.headline));
        let headline = headline.as_deref().unwrap_or("There is no conclusion.");
        let class = if told.is_some() { "good" } else { "bad" };
        let rest = told
            .map(|told| list(&fathom_words::lines(&told.headline)) + &list(&trust::sentences(&told.distrust)))
            .unwrap_or_default();
        return format!(
            "<section class=\"verdict {class}\">\n<h2>{}</h2>\n{rest}</section>\n",
            escape(&line(headline))
        );
    };
    let sheet = state
        .sheet
        .map(|sheet| labelled(crate::datasheet::heading(sheet), &crate::datasheet::sentence(sheet)))
        .unwrap_or_default();
    let figures = told.map(|told| fathom_words::lines(&told.headline)).unwrap_or_default();
    answered(answer, (told, &figures), &sheet, &[])
}

/// The sentences as a list; nothing where there are none.
fn list(texts: &[String]) -> String {
    let items: String = texts.iter().map(|text| element("li", &line(text))).collect();
    if items.is_empty() { items } else { format!("<ul>{items}</ul>\n") }
}

/// The other figures of a verdict, and its reasons for less trust.
pub(super) fn evidence(verdict: &Verdict, figures: &[String]) -> String {
    let reasons = folded("Reasons for less trust", &list(&trust::sentences(&verdict.distrust)));
    folded("Other figures", &list(figures)) + &reasons
}

/// The answer as the terminal has it: result, jobs, target, trust, limit and remarks, what stands below, and the evidence,
/// with the figures and the reasons of the verdict. `known` are sentences that stand below already.
pub(super) fn answered(
    answer: &Answer,
    (verdict, figures): (Option<&Verdict>, &[String]),
    below: &str,
    known: &[String],
) -> String {
    let class = match (&answer.instead, answer.trust.level) {
        (Some(_), _) | (None, TrustLevel::Low) => "bad",
        (None, TrustLevel::Medium) => "careful",
        (None, TrustLevel::High) => "good",
    };
    let trust = format!("{}: {}", answer.trust.level.name(), trust::on_page(&answer.trust));
    let (instead, result) = (fathom_words::instead(answer), fathom_words::result(answer));
    let parts = [
        // What is not the disk's is shown, and is no headline.
        instead.as_ref().map(|_| labelled("Figures", &result)),
        answer.jobs.as_ref().map(|jobs| labelled("Jobs", &measured_jobs(jobs))),
        Some(labelled("Target", &subject(&answer.measured))),
        Some(labelled("Trust", &trust)),
        answer.limit.as_ref().map(|limits| labelled("Limit", &limit::line(limits))),
        text::remarks(answer).map(|remarks| labelled("Remarks", &remarks)),
    ];
    let mut reasons = text::reasons(answer, verdict);
    reasons.retain(|reason| !known.contains(reason));
    let kind = answer.class.as_ref().map(|class| vec![class::evidence(class)]).unwrap_or_default();
    let evidence = [
        ("Other figures", figures.to_vec()),
        ("Why this class", kind),
        ("What limited it", answer.limit.as_ref().map(limit::evidence).unwrap_or_default()),
        ("Reasons for less trust", reasons),
    ];
    let evidence = evidence.iter().map(|(heading, texts)| folded(heading, &list(texts)));
    format!(
        "<section class=\"verdict {class}\">\n<h2>{}</h2>\n{}{below}{}</section>\n",
        escape(&sentence(&line(&instead.unwrap_or_else(|| with_class(answer, &result))))),
        parts.into_iter().flatten().collect::<String>(),
        evidence.collect::<String>()
    )
}

/// The figures that the tables have.
struct RoundMetrics {
    all: Vec<&'static Metric>,
    are_chosen: bool,
}

impl RoundMetrics {
    fn of(columns: &Columns) -> Self {
        RoundMetrics { all: columns.of(Output::Rounds), are_chosen: columns.are_chosen() }
    }

    /// The value in a round. A percentile that a person chose has none of too few I/Os.
    fn value(&self, metric: &Metric, figures: &RoundFigures) -> Option<f64> {
        let instead = column::instead_in_round(metric, figures).filter(|_| self.are_chosen);
        if instead.is_some() { None } else { metric.of_round(figures) }
    }
}

/// A figure of a job in all rounds.
struct FigureOfRounds<'p> {
    metric: &'static Metric,
    rounds: &'p [JobRound<'p>],
    values: Vec<f64>,
    unit: TimeUnit,
}

impl FigureOfRounds<'_> {
    /// `p99 latency, µs`.
    fn name(&self) -> String {
        match self.metric.unit {
            MetricUnit::Nanoseconds => format!("{}, {}", self.metric.words, self.unit.symbol()),
            _ if self.metric.words == self.metric.title => self.metric.title.to_owned(),
            _ => format!("{}, {}", self.metric.words, self.metric.title),
        }
    }

    fn value(&self) -> Option<f64> {
        together(self.metric, self.rounds)
    }

    /// The interval of the mean, where there is one.
    fn interval(&self) -> Option<Estimate> {
        let is_mean = self.metric.over_rounds == OverRounds::Mean;
        estimate(&self.values).filter(|_| is_mean && self.value().is_some())
    }

    fn shown(&self, value: f64) -> String {
        column::value(self.metric, Some(value), self.unit)
    }

    /// Has a round few I/Os beyond it? Then it is marked.
    fn is_thin(&self) -> bool {
        self.rounds.iter().any(|one| column::is_thin_in_round(self.metric, one.1))
    }
}

/// The figures that all rounds of a job have.
fn of_job<'p>(job: &'p JobRounds<'p>, metrics: &'p RoundMetrics) -> impl Iterator<Item = FigureOfRounds<'p>> {
    let unit = TimeUnit::for_fastest(job.rounds.iter().filter_map(|one| one.1.latency_ns_mean));
    metrics.all.iter().filter_map(move |metric| {
        let values = values(&job.rounds, |one| metrics.value(metric, one))?;
        Some(FigureOfRounds { metric, rounds: &job.rounds, values, unit })
    })
}

/// What the rounds are together: each figure with its interval and its spread.
fn figures(jobs: &[JobRounds<'_>], metrics: &RoundMetrics, has_failures: bool) -> String {
    let rows: String = jobs
        .iter()
        .filter(|job| job.rounds.len() > 1)
        .flat_map(|job| of_job(job, metrics).map(|figure| row(job.name, &figure)))
        .collect();
    if rows.is_empty() {
        return rows;
    }
    let without = if has_failures { " that did not fail" } else { "" };
    format!(
        "<section>\n<h2>Figures of all rounds{without}</h2>\n<div class=\"wide\"><table class=\"results\">\n<thead><tr><th scope=\"col\">Figure</th><th scope=\"col\">Value<small>mean; of a percentile the median</small></th><th scope=\"col\">95 % interval of the mean</th><th scope=\"col\">Least</th><th scope=\"col\">Most</th><th scope=\"col\">Spread<small>from least to most, % of the mean</small></th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n</section>\n"
    )
}

fn row(job: &str, figure: &FigureOfRounds<'_>) -> String {
    let (values, shown) = (&figure.values, |value: f64| figure.shown(value));
    let (least, most) = values.iter().fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
    let interval =
        figure.interval().map_or("-".to_owned(), |e| format!("{} to {}", shown(e.low), shown(e.high)));
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let spread = if mean > 0.0 { significant(100.0 * (most - least) / mean, 2) } else { "-".to_owned() };
    format!(
        "<tr><th scope=\"row\">{}<small>{}</small></th><td>{}</td><td>{interval}</td><td>{}</td><td>{}</td><td>{spread}</td></tr>\n",
        escape(&figure.name()),
        escape(&line(job)),
        figure.value().map_or("-".to_owned(), |value| shown(value) + column::mark(figure.is_thin())),
        shown(least),
        shown(most)
    )
}

/// The rounds in their order, drawn.
fn drawn(jobs: &[JobRounds<'_>], metrics: &RoundMetrics) -> String {
    let several = jobs.iter().filter(|job| job.rounds.len() > 1).take(JOBS_DRAWN_MAX);
    let drawn = several.flat_map(|job| {
        let is_drawn =
            |of: &FigureOfRounds<'_>| of.metric.over_rounds == OverRounds::Median || of.metric.id == "iops";
        of_job(job, metrics).filter(is_drawn).map(|of| {
            let title = format!("{} {}", line(job.name), of.name());
            round_dots(&title, &of.values, of.value(), of.interval(), &|value| of.shown(value))
        })
    });
    let each: String = drawn.map(|svg| format!("<figure class=\"strip\">\n{svg}</figure>\n")).collect();
    if each.is_empty() {
        return each;
    }
    let all = jobs.iter().filter(|job| job.rounds.len() > 1).count();
    let some = match all > JOBS_DRAWN_MAX {
        true => format!(": {JOBS_DRAWN_MAX} of {all} jobs; the others are in the table below"),
        false => String::new(),
    };
    format!(
        "<section>\n<h2>The rounds in their order{some}</h2>\n<div class=\"charts\">\n{each}</div>\n<p class=\"note\">A dot is a round. The line is the value of all rounds; the band is the 95 % interval of a mean.</p>\n</section>\n"
    )
}

/// Which latencies the tables have.
fn latencies_are(procedure: &ProcedureResult) -> &'static str {
    let all: Vec<bool> =
        procedure.rounds().flat_map(|round| &round.figures).map(|one| one.is_response).collect();
    match (all.iter().any(|is| *is), all.iter().all(|is| *is)) {
        (true, true) => ". It is the response, from the planned start of each I/O",
        (true, false) => {
            ". Of jobs with a rate it is the response, from the planned start of each I/O; of the others it is completion (clat), \
             from the submission of the I/O where that was recorded"
        }
        _ => ". It is completion (clat), from the submission of the I/O where that was recorded",
    }
}

/// Below a rate that lasted, what it fell from: `fell at second 12 from 3,000 IOPS and …`; empty where it did not fall.
fn fallen(of: &RoundFigures) -> String {
    of.fall.map(|fall| format!("<small>{}</small>", escape(&fell(&fall)))).unwrap_or_default()
}

/// What a rate of a job that fell is, behind the notes of a table.
fn lasted(procedure: &ProcedureResult) -> &'static str {
    match has_fallen(procedure) {
        true => {
            " IOPS and MB/s of a job whose rate fell are those that lasted; its latency is of the whole round."
        }
        false => "",
    }
}

/// What the mark behind a percentile says, behind the notes of a table; nothing where none has it.
fn marked(procedure: &ProcedureResult, metrics: &RoundMetrics) -> String {
    let mut figures = procedure.rounds().flat_map(|round| &round.figures);
    let is_marked = |of: &RoundFigures| metrics.all.iter().any(|it| column::is_thin_in_round(it, of));
    match !metrics.are_chosen && figures.any(is_marked) {
        true => format!(" {}.", column::THIN),
        false => String::new(),
    }
}

/// A line for each job of each round.
fn rounds(procedure: &ProcedureResult, metrics: &RoundMetrics) -> String {
    let all = || procedure.rounds().flat_map(|round| &round.figures);
    let unit = TimeUnit::for_fastest(all().filter_map(|one| one.latency_ns_mean));
    let line_of = |round: &RoundDone, of: &RoundFigures| {
        let figure = |metric: &&'static Metric| match metric.id {
            "iops" => format!("<td>{}</td>", rate_or_why(of) + &fallen(of)),
            _ if metrics.are_chosen => element("td", &column::of_round_chosen(metric, of, unit)),
            _ => element("td", &column::of_round(metric, of, unit)),
        };
        let trust = trust_of_round(round).unwrap_or("-");
        format!(
            "<tr><th scope=\"row\">{}<small>{}</small></th>{}<td class=\"word\">{trust}</td></tr>\n",
            escape(&line(&round.directory)),
            escape(&line(&of.job)),
            metrics.all.iter().map(figure).collect::<String>(),
        )
    };
    let rows: String =
        procedure.rounds().flat_map(|round| round.figures.iter().map(move |of| line_of(round, of))).collect();
    if rows.is_empty() {
        return rows;
    }
    let head = |metric: &&'static Metric| format!("<th scope=\"col\">{}</th>", column::heading(metric, unit));
    let heads: String = metrics.all.iter().map(head).collect();
    let dir = quoted(procedure.dir.join(fathom_results::procedure::ROUNDS));
    format!(
        "<section>\n<h2>Each round</h2>\n<div class=\"wide\"><table class=\"results\">\n<thead><tr><th scope=\"col\">Round</th>{heads}<th scope=\"col\">Trust</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n<p class=\"note\">Latency is of all I/Os of a job, reads and writes together{}.{}{} Each round is a run in {}.</p>\n</section>\n",
        latencies_are(procedure),
        lasted(procedure),
        marked(procedure, metrics),
        escape(&dir)
    )
}
