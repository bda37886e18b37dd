//! Values that a person types: `before:TPM=338989,348164,336965`.

use crate::failure::{Exit, Failure};
use fathom_judge::compare::{Subject, TypedFigure};

/// The subjects in the order in which they are named first.
pub(super) fn subjects(typed: &[String], is_more_better: bool) -> Result<Vec<Subject>, Failure> {
    let values = typed.iter().map(|text| parsed(text)).collect::<Result<Vec<_>, _>>()?;
    let values = values.iter().flat_map(|(name, figure, values)| {
        values.iter().map(move |value| (name.as_str(), figure.as_str(), *value))
    });
    Ok(grouped(values, "", is_more_better))
}

fn parsed(text: &str) -> Result<(String, String, Vec<f64>), Failure> {
    let wrong = |what: String| {
        Failure::new(Exit::Usage, format!("--values {text}: {what}"))
            .hint("--values NAME:FIGURE=VALUES, for example --values before:TPM=338989,348164,336965")
    };
    let (name, values) = text.split_once('=').ok_or_else(|| wrong("there is no =".to_owned()))?;
    let (name, figure) = name.split_once(':').unwrap_or((name, "value"));
    if name.is_empty() || figure.is_empty() {
        return Err(wrong("the name is empty".to_owned()));
    }
    if values.trim().is_empty() {
        return Err(wrong("there is no value behind =".to_owned()));
    }
    let values = values.split(',').map(number).collect::<Result<Vec<f64>, _>>().map_err(wrong)?;
    Ok((name.to_owned(), figure.to_owned(), values))
}

/// Larger values would overflow where they are squared; nothing that is measured comes near.
const VALUE_MAX: f64 = 1e100;

/// A value; the error is a sentence.
pub(super) fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|value: &f64| (0.0..=VALUE_MAX).contains(value));
    number.ok_or_else(|| format!("{text} is not a number from 0 to 10^100"))
}

/// Puts values under their names.
pub(super) fn grouped<'v>(
    values: impl Iterator<Item = (&'v str, &'v str, f64)>,
    source: &str,
    is_more_better: bool,
) -> Vec<Subject> {
    let mut subjects: Vec<(&str, Vec<TypedFigure>)> = Vec::new();
    for (name, figure, value) in values {
        let at = subjects.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            subjects.push((name, Vec::new()));
            subjects.len() - 1
        });
        let figures = &mut subjects[at].1;
        match figures.iter_mut().find(|known| known.name == figure) {
            Some(known) => known.values.push(value),
            None => {
                figures.push(TypedFigure { name: figure.to_owned(), values: vec![value], is_more_better })
            }
        }
    }
    subjects.into_iter().map(|(name, figures)| Subject::typed(name, source, figures)).collect()
}
