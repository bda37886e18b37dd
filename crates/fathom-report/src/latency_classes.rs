//! The table of I/Os by latency: how many took how long, as readers of fio's and IOMeter's distributions know it.

use fathom_figures::latency_classes::{ClassShare, class_shares};
use fathom_figures::{DirectionFigures, Row};
use fathom_text::number::grouped;
use fathom_text::quantity::{latency, percent_of};

/// How many I/Os took how long, in those of fio's classes that have any: for each direction the I/Os of the class, their share, and
/// the share of all that were faster than its end. The first row has the names. Empty where no distribution was kept, or of too few
/// I/Os, and where all are in one class, which says less than the percentiles.
pub(crate) fn class_rows(row: &Row<'_>) -> Vec<Vec<String>> {
    let flows = row.flows_busy();
    let of_flow = |flow: &DirectionFigures<'_>| {
        let (kind, latency) = flow.main_latency().filter(|(_, latency)| !latency.has_too_few())?;
        Some((kind, flow.name, class_shares(latency.histogram.as_ref()?)?))
    };
    let kept: Vec<(&str, &str, Vec<ClassShare>)> = flows.iter().filter_map(of_flow).collect();
    let Some((kind, _, classes)) = kept.first() else { return Vec::new() };
    let is_used = |at: &usize| kept.iter().any(|(.., classes)| classes[*at].ios > 0);
    let used: Vec<usize> = (0..classes.len()).filter(is_used).collect();
    if used.len() < 2 {
        return Vec::new();
    }
    let heads =
        kept.iter().flat_map(|(_, name, _)| [format!("{name} I/Os"), "share".to_owned(), "sum".to_owned()]);
    let mut rows = vec![std::iter::once(format!("{kind} below")).chain(heads).collect()];
    rows.extend(used.into_iter().map(|at| {
        let name = classes[at].below_ns.map_or("any".to_owned(), |ns| latency(ns as f64));
        let cells = kept.iter().flat_map(|(.., classes)| {
            let ios = |classes: &[ClassShare]| classes.iter().map(|class| class.ios).sum::<u64>();
            let (own, below, all) = (classes[at].ios, ios(&classes[..=at]), ios(classes) as f64);
            [grouped(own), percent_of(own as f64, all), percent_of(below as f64, all)]
        });
        std::iter::once(name).chain(cells).collect()
    }));
    rows
}
