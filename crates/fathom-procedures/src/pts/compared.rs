//! What of each test can be compared with that of another run of the tests: the cells of its rounds, by their values in the rounds
//! of the measurement window in which it was steady.

use super::iops::mix_name;
use super::phase::{Fixed, Loop, TestPhase};
use super::segment::{Segment, Stimulus};
use super::sequence;
use super::taken::Taken;
use super::terms::PtsTerms;
use super::until::Until;
use super::{Pts, PtsTest};
use crate::{History, Parameters};
use fathom_judge::compare::WindowFigure;
use fathom_results::LeftOutReason;
use fathom_results::answer::JudgedFigure;
use fathom_results::procedure::{ProcedureRecord, RoundFigures};

/// What of a test can be compared.
#[derive(Debug, Default)]
pub struct ComparedTest {
    /// Its measurement windows in steady state.
    pub windows: Vec<ComparedWindow>,
    /// What of it is not compared, and why.
    pub left_out: Vec<(String, LeftOutReason)>,
}

/// The rounds of a measurement window.
#[derive(Debug)]
pub struct ComparedWindow {
    /// What they are called.
    pub rounds_of: String,
    /// Their directories.
    pub directories: Vec<String>,
    /// The figures of each cell.
    pub figures: Vec<WindowFigure>,
}

impl Pts {
    /// The tests of a saved procedure; `None` of another procedure.
    ///
    /// # Errors
    /// A parameter is missing or wrong, in words.
    pub fn saved(record: &ProcedureRecord) -> Result<Option<Pts>, String> {
        if record.procedure != Pts::DEFINITION.name {
            return Ok(None);
        }
        let pts = Pts::open(&Parameters(&record.parameters));
        pts.map(Some).map_err(|why| format!("{} cannot be read: {why}", record.id))
    }

    /// What of each test that has begun can be compared.
    pub fn compared(&self, history: &History<'_>) -> Vec<ComparedTest> {
        let each = sequence::of_each(self, history).into_iter().filter(|(_, taken)| !taken.steps.is_empty());
        each.map(|(test, taken)| of_test(test, &self.terms, &taken)).collect()
    }

    /// The parameters on which its figures depend.
    pub fn conditions(&self) -> Vec<(String, String)> {
        // The capacity is a fact of the target, and who ran the tests changes nothing.
        const OTHERS: [&str; 5] = ["target", "capacity", "operator", "rounds_max", "tests"];
        let all = self.terms.parameters().into_iter();
        all.filter(|(name, _)| !OTHERS.contains(&name.as_str())).collect()
    }
}

fn of_test(test: &PtsTest, terms: &PtsTerms, taken: &Taken<'_>) -> ComparedTest {
    let mut of = ComparedTest::default();
    let is_steady = test.loops(terms).iter().any(|rounds| !rounds.tracked.is_empty());
    if !is_steady {
        of.left_out.push((test.title.to_owned(), LeftOutReason::NoSteadyState));
        return of;
    }
    for phase in (test.phases)(terms) {
        match phase {
            TestPhase::Loop(Loop { until, segments }) => {
                of_loop(test, (&until, &segments(terms, taken)), taken, &mut of);
            }
            TestPhase::Fixed(Fixed { cell, .. }) if !taken.rounds(&cell).is_empty() => {
                of.left_out.push((cell, LeftOutReason::AfterSteadyState));
            }
            TestPhase::Purge | TestPhase::Fill { .. } | TestPhase::Fixed(_) => {}
        }
    }
    // A test of which no rounds were steady is named as a whole.
    let not_steady = |reason: &LeftOutReason| matches!(reason, LeftOutReason::NotSteady { .. });
    if of.windows.is_empty()
        && let Some((_, reason)) = of.left_out.iter().find(|(_, it)| not_steady(it))
    {
        of.left_out = vec![(test.title.to_owned(), reason.clone())];
    }
    of
}

/// The window of rounds until steady state.
fn of_loop(
    test: &PtsTest,
    (until, segments): (&Until, &[Segment]),
    taken: &Taken<'_>,
    of: &mut ComparedTest,
) {
    let done = taken.rounds(&until.cell);
    let Some(window) = taken.steady_window(until) else {
        let reason = match until.tracked.is_empty() {
            true => LeftOutReason::NoSteadyState,
            false => LeftOutReason::NotSteady { rounds: done.len() as u64 },
        };
        return of.left_out.push((format!("{}, {}", test.title, until.cell), reason));
    };
    let rounds = &done[window.first() - 1..window.last];
    let quantity = until.tracked[0].quantity;
    let figure = |(cell, segment): (String, &Segment)| {
        let series = taken.series(&until.cell, &segment.name, |figures| value(figures, quantity));
        WindowFigure {
            test: test.title.to_owned(),
            rounds_of: until.cell.clone(),
            cell,
            quantity,
            in_flight: u64::from(segment.demand.threads) * u64::from(segment.demand.depth),
            values: series[window.first() - 1..window.last].to_vec(),
        }
    };
    of.windows.push(ComparedWindow {
        rounds_of: until.cell.clone(),
        directories: rounds.iter().map(|(round, _)| round.directory.clone()).collect(),
        figures: cells(until, segments).into_iter().map(figure).collect(),
    });
}

/// The cells of a round, each with its name. Segments that do the same again are steps to the one that is tracked.
fn cells<'s>(until: &Until, segments: &'s [Segment]) -> Vec<(String, &'s Segment)> {
    let is_alike = |one: &Segment, other: &Segment| {
        (one.read_percent, one.stimulus.kind()) == (other.read_percent, other.stimulus.kind())
    };
    let named = |segment: &'s Segment| {
        let alike: Vec<&Segment> = segments.iter().filter(|other| is_alike(segment, other)).collect();
        let is_only = alike.iter().filter(|other| other.demand == segment.demand).count() == 1;
        let tracked = until.tracked.iter().find(|tracked| tracked.segment == segment.name);
        let stimulus = format!("{}, {}", segment.stimulus.kind(), mix_name(segment.read_percent));
        match tracked {
            _ if alike.len() == 1 => Some((stimulus, segment)),
            _ if is_only => Some((format!("{stimulus}, {}", segment.demand.text()), segment)),
            tracked => tracked.map(|tracked| (tracked.name.clone(), segment)),
        }
    };
    segments.iter().filter_map(named).collect()
}

impl Stimulus {
    /// `RND 4 KiB`, as the standard writes it.
    fn kind(self) -> String {
        match self {
            Stimulus::Random(block) => format!("RND {block}"),
            Stimulus::Sequential { block, .. } => format!("SEQ {block}"),
            Stimulus::Zone { block, is_random: true, .. } => format!("RND {block} in a zone"),
            Stimulus::Zone { block, .. } => format!("SEQ {block} in a zone"),
            Stimulus::Composite => "composite".to_owned(),
        }
    }
}

/// The figure in the unit of a comparison; `None` of too few I/Os.
fn value(figures: &RoundFigures, quantity: JudgedFigure) -> Option<f64> {
    match quantity {
        JudgedFigure::Iops => figures.rate(),
        JudgedFigure::Bandwidth => figures.bandwidth(),
        JudgedFigure::Latency => figures.latency_ns_mean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pts::tests::terms;
    use crate::pts::{Edition, PtsTest, TESTS};
    use std::collections::BTreeSet;

    /// The names of the cells of each loop of a test.
    fn names(name: &str) -> Vec<Vec<String>> {
        let test: &PtsTest = TESTS.iter().find(|test| test.name == name).unwrap();
        let terms = terms(Edition::Enterprise);
        let loops = (test.phases)(&terms).into_iter().filter_map(|phase| match phase {
            TestPhase::Loop(Loop { until, segments }) => {
                let segments = segments(&terms, &Taken::default());
                Some(cells(&until, &segments).into_iter().map(|(cell, _)| cell).collect())
            }
            _ => None,
        });
        loops.collect()
    }

    #[test]
    fn each_cell_has_a_name_of_its_own_and_steps_to_the_tracked_one_have_none() {
        let iops = names("iops").remove(0);
        assert_eq!(iops.iter().collect::<BTreeSet<_>>().len(), 56, "{iops:?}");
        assert!(iops.contains(&"RND 64 KiB, 65/35".to_owned()), "{iops:?}");
        assert_eq!(
            names("tp"),
            [["SEQ 1 MiB, 100/0", "SEQ 1 MiB, 0/100"], ["SEQ 128 KiB, 100/0", "SEQ 128 KiB, 0/100"]]
        );
        assert_eq!(names("wsat").concat().len(), 1, "one minute of each cycle is tracked");
        assert_eq!(names("hir"), [["RND 4 KiB, 0/100, by half hour"]]);
        let sweep = names("dirth").remove(1);
        assert_eq!(sweep.iter().collect::<BTreeSet<_>>().len(), 50, "{sweep:?}");
        assert!(sweep.contains(&"RND 8 KiB, 65/35, TC 1 / QD 1".to_owned()), "{sweep:?}");
    }
}
