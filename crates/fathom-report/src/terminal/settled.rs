//! Whether the rate of the jobs has settled, where that was asked.

use super::answer::part;
use fathom_results::{RunResult, StopRecord};
use fathom_text::number::whole;
use fathom_text::quantity::percent_of;
use fathom_text::style::Style;

/// A line for the jobs of each stage; empty where nobody asked.
pub(super) fn settled(run: &RunResult, lines: usize, style: Style) -> String {
    run.record
        .stops
        .iter()
        .filter_map(|stop| Some(part("settled", &sentence(run, stop)?, lines, style, str::to_owned)))
        .collect()
}

/// `yes, after 435 s: 45,200 IOPS ± 1.9 % from second 34 on and for the next 10 minutes, unless something begins that …`;
/// `no; only the mean of seconds 12 to 60 is known: 998 IOPS ± 0.21 %: it drifts: …`.
fn sentence(run: &RunResult, stop: &StopRecord) -> Option<String> {
    let found = stop.settled.as_ref()?;
    let is_of_all = stop.jobs.len() == run.jobs.len();
    let first = stop.jobs.first().and_then(|id| run.jobs.iter().find(|job| job.planned.id == *id));
    let whose = match (is_of_all, first, stop.jobs.len()) {
        (true, ..) | (_, None, _) => String::new(),
        (_, Some(job), 1) => format!("{}: ", job.planned.name),
        (_, Some(job), n) => format!("{} and {} more: ", job.planned.name, n - 1),
    };
    let mean = found.iops.zip(found.iops_low.zip(found.iops_high)).map(|(mean, (low, high))| {
        format!("{} IOPS ± {}", whole(mean), percent_of((high - low) / 2.0, mean))
    });
    let from = found.kept_from_s;
    let Some(seconds) = stop.attained_after_s else {
        let known = mean
            .filter(|_| found.seen_s > 0)
            .map(|mean| format!("; only the mean of seconds {from} to {} is known: {mean}", found.seen_s));
        return Some(format!(
            "{whose}no{}: {}",
            known.unwrap_or_default(),
            fathom_words::settled::all(&found.against)
        ));
    };
    let mean = mean.map(|mean| format!(": {mean}")).unwrap_or_default();
    let next = match found.ahead_s / 60 {
        0 => String::new(),
        minutes => format!(
            " and for the next {minutes} minutes, unless something begins that {seconds} s cannot show: a full cache, heat, \
             a slow wave"
        ),
    };
    Some(format!("{whose}yes, after {seconds} s{mean} from second {from} on{next}"))
}
