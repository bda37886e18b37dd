//! Reports of a series, one after the other, as one row for each key and direction.

use super::finding::{Findings, ProgramFinding};
use super::result::{ProgramFigure, ProgramRow};
use crate::metric::Metric;
use std::collections::HashMap;

/// Rows of a result: more disks and processors than any machine has.
pub(super) const ROWS_MAX: usize = 50_000;

/// What was read of a series so far. Its memory grows with the keys, and not with the reports.
#[derive(Clone, Debug, Default)]
pub(super) struct Gather {
    rows: Vec<(ProgramRow, Vec<(&'static Metric, Sum)>)>,
    places: HashMap<(String, &'static str), usize>,
}

/// The values of one figure.
#[derive(Clone, Copy, Debug)]
struct Sum {
    n: u64,
    weighted: f64,
    weight: f64,
    least: f64,
    most: f64,
}

impl Gather {
    /// Adds a value of a key and direction. A mean weighs as much as the number of what it is the mean of; one of nothing is no value.
    pub fn add(
        &mut self,
        (line, key, direction): (u64, &str, &'static str),
        (metric, value, weight): (&'static Metric, f64, f64),
        findings: &mut Findings,
    ) {
        if weight <= 0.0 {
            return;
        }
        let Some(at) = self.place(line, key, direction, findings) else { return };
        let figures = &mut self.rows[at].1;
        let new = Sum { n: 1, weighted: value * weight, weight, least: value, most: value };
        match figures.iter_mut().find(|(known, _)| *known == metric) {
            Some((_, sum)) => {
                sum.n += 1;
                sum.weighted += new.weighted;
                sum.weight += weight;
                sum.least = sum.least.min(value);
                sum.most = sum.most.max(value);
            }
            None => figures.push((metric, new)),
        }
    }

    fn place(
        &mut self,
        line: u64,
        key: &str,
        direction: &'static str,
        findings: &mut Findings,
    ) -> Option<usize> {
        if let Some(at) = self.places.get(&(key.to_owned(), direction)) {
            return Some(*at);
        }
        if self.rows.len() >= ROWS_MAX {
            findings.add(ProgramFinding::TooManyRows { line, most: ROWS_MAX });
            return None;
        }
        let row = ProgramRow { line, key: key.to_owned(), direction, ..ProgramRow::default() };
        self.places.insert((key.to_owned(), direction), self.rows.len());
        self.rows.push((row, Vec::new()));
        Some(self.rows.len() - 1)
    }

    /// Is there nothing?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows, in the order in which their keys came.
    pub fn into_rows(self) -> Vec<ProgramRow> {
        let of = |(mut row, sums): (ProgramRow, Vec<(&'static Metric, Sum)>)| {
            row.figures = sums.into_iter().map(|(metric, sum)| sum.figure(metric)).collect();
            row
        };
        self.rows.into_iter().map(of).collect()
    }
}

impl Sum {
    fn figure(self, metric: &'static Metric) -> ProgramFigure {
        let value = (self.weighted / self.weight).clamp(self.least, self.most);
        ProgramFigure { metric, value, n: self.n, range: (self.n > 1).then_some((self.least, self.most)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::of_id;

    #[test]
    fn a_mean_of_means_weighs_each_by_its_ios() {
        let (mut gather, mut findings) = (Gather::default(), Findings::default());
        for (latency, ios) in [(100.0, 900.0), (1000.0, 100.0), (0.0, 0.0)] {
            gather.add((7, "sda", "read"), (of_id("latency_mean"), latency, ios), &mut findings);
        }
        let rows = gather.into_rows();
        let figure = rows[0].figures[0];
        assert_eq!(
            (rows[0].line, figure.value, figure.n, figure.range),
            (7, 190.0, 2, Some((100.0, 1000.0)))
        );
    }

    #[test]
    fn the_number_of_keys_is_bounded() {
        let (mut gather, mut findings) = (Gather::default(), Findings::default());
        for at in 0..ROWS_MAX as u64 + 5 {
            gather.add((at, &at.to_string(), ""), (of_id("iops"), 1.0, 1.0), &mut findings);
        }
        assert_eq!(gather.into_rows().len(), ROWS_MAX);
        let told = findings.into_all();
        assert_eq!(told, [ProgramFinding::TooManyRows { line: ROWS_MAX as u64, most: ROWS_MAX }]);
    }
}
