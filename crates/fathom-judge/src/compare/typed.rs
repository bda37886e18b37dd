//! Subjects from values that a person typed or that stand in a table.

use super::metric::Metric;
use super::subject::{FigureKey, Load, Subject, SubjectFigure};
use fathom_results::ComparedSubject;

/// A figure with the values of its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedFigure {
    /// What it is: `TPM`, `IOPS`.
    pub name: String,
    /// One value for each run.
    pub values: Vec<f64>,
    /// Whether a larger value is a better one.
    pub is_more_better: bool,
}

impl Subject {
    /// A subject of which only the values are known.
    pub fn typed(name: &str, source: &str, figures: Vec<TypedFigure>) -> Subject {
        let runs = figures.iter().map(|figure| figure.values.len()).max().unwrap_or(0) as u32;
        let about =
            ComparedSubject { name: name.to_owned(), source: source.to_owned(), runs, ..Default::default() };
        let figure = |typed: TypedFigure| {
            let key = FigureKey { job: String::new(), direction: "", metric: typed.name };
            let metric = Metric::Typed { is_more_better: typed.is_more_better };
            SubjectFigure::new(key, String::new(), metric, Load::default(), typed.values)
        };
        Subject { about, figures: figures.into_iter().map(figure).collect(), ..Subject::default() }
    }
}
