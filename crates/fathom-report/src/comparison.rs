//! The words and numbers of a comparison, which the terminal, the page and the table share.

use fathom_results::{
    ComparedCells, ComparedFigure, ComparedSubject, Comparison, Difference, DifferenceOf, FigureVerdict,
};
use fathom_text::calendar::Moment;
use fathom_text::number::cell;
use fathom_text::quantity::TimeUnit;
use fathom_text::shown::line;
use fathom_text::words::counted;
use fathom_words::comparison as words;

/// How the values of a figure are printed: one unit for all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureUnit {
    /// Its symbol; empty where there is none.
    pub symbol: String,
    divisor: f64,
}

impl FigureUnit {
    /// The unit that suits the smallest value.
    pub fn of(figure: &ComparedFigure) -> FigureUnit {
        let values = figure.values.iter().map(|values| values.value);
        let (symbol, divisor) = match figure.unit.as_str() {
            "ns" => {
                let unit = TimeUnit::for_fastest(values);
                (unit.symbol().to_owned(), unit.ns())
            }
            "bytes/s" => ("MB/s".to_owned(), 1e6),
            // The name says it.
            "IOPS" => (String::new(), 1.0),
            other => (line(other).into_owned(), 1.0),
        };
        FigureUnit { symbol, divisor }
    }

    /// A value in this unit.
    pub fn cell(&self, value: f64) -> String {
        cell(value / self.divisor)
    }
}

/// `p99 latency, µs`.
pub fn figure_name(figure: &ComparedFigure) -> String {
    let name = line(&figure.metric);
    match FigureUnit::of(figure).symbol.as_str() {
        "" => name.into_owned(),
        symbol => format!("{name}, {symbol}"),
    }
}

/// The verdict of a figure in one word.
pub fn verdict_word(verdict: FigureVerdict) -> &'static str {
    match verdict {
        FigureVerdict::Better => "better",
        FigureVerdict::Worse => "worse",
        FigureVerdict::Same => "same",
        FigureVerdict::Unknown { .. } => "unclear",
    }
}

/// `3 runs`; of a file of fio in which several results have one name `3 results`; of a suite `9 cells, 1 run each`;
/// of tests of the specification `5 rounds`.
pub fn runs(subject: &ComparedSubject) -> String {
    if let Some(results) = subject.results {
        return counted(u64::from(results), "result");
    }
    if let Some(rounds) = subject.window_rounds {
        return counted(u64::from(rounds), "round");
    }
    let Some(ComparedCells { planned, measured, runs_min, runs_max }) = subject.cells else {
        return counted(u64::from(subject.runs), "run");
    };
    let cells = counted(u64::from(planned), "cell");
    let cells = if measured < planned { format!("{measured} of {cells}") } else { cells };
    match (measured, runs_min == runs_max) {
        (0, _) => cells,
        (_, true) => format!("{cells}, {} each", counted(u64::from(runs_max), "run")),
        (_, false) => format!("{cells}, {runs_min} to {runs_max} runs each"),
    }
}

/// `before · 3 runs · 2026-11-21 03:38:46 UTC · SAMSUNG …`.
pub fn subject(subject: &ComparedSubject) -> String {
    let runs = runs(subject);
    let when = subject.started_unix_ns.map(|at| Moment::of_unix_ns(at).to_string());
    let id = subject.id.as_deref().map(|id| line(id).into_owned());
    let targets = words::targets(subject).map(|targets| line(&targets).into_owned());
    let parts = [Some(line(&subject.name).into_owned()), Some(runs), when, id, targets];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// What the jobs do, once where all do the same, else of each with its letter.
pub fn workloads(compared: &Comparison) -> Vec<(Option<&str>, String)> {
    let each =
        || compared.subjects.iter().filter_map(|one| Some((one.letter.as_str(), words::workload(one)?)));
    let mut workloads: Vec<String> = each().map(|(_, workload)| workload).collect();
    workloads.dedup();
    match workloads.as_slice() {
        [] => Vec::new(),
        [_] => workloads.into_iter().map(|only| (None, only)).collect(),
        _ => each().map(|(letter, workload)| (Some(letter), workload)).collect(),
    }
}

/// The value of a property; a job has the usual one of an option that it does not set.
pub fn shown_value(of: DifferenceOf, value: Option<&str>) -> String {
    match value {
        None if of == DifferenceOf::Job => "not set".to_owned(),
        None => "not known".to_owned(),
        Some("") => "nothing".to_owned(),
        Some(value) => line(value).into_owned(),
    }
}

/// The name of what differs: `scheduler`; `nr requests (changes with the scheduler)`.
pub fn differing(difference: &Difference) -> String {
    let property = fathom_words::comparison::property(difference);
    let what = line(&property);
    match &difference.follows {
        Some(leader) => format!("{what} (changes with the {})", line(leader)),
        None => what.into_owned(),
    }
}

/// `scheduler: mq-deadline → none`; with more than two subjects, `scheduler: A mq-deadline, B none, …`.
pub fn difference(difference: &Difference, subjects: &[ComparedSubject]) -> String {
    let value = |value: &Option<String>| shown_value(difference.of, value.as_deref());
    let what = differing(difference);
    match difference.values.as_slice() {
        [from, to] => format!("{what}: {} → {}", value(from), value(to)),
        several => {
            let each = subjects.iter().zip(several).map(|(s, v)| format!("{} {}", s.letter, value(v)));
            format!("{what}: {}", each.collect::<Vec<_>>().join(", "))
        }
    }
}
