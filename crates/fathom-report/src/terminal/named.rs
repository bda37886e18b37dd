//! By which word a command finds a run: its id, or the directory of a round, which has no id that can be looked up.

use fathom_results::{Answer, NextStep, RunResult};
use fathom_text::shell::{quoted, quoted_carried};

/// The command that prints all that is known of a run.
pub(super) fn details_of(run: &RunResult) -> String {
    match run.record.round {
        Some(_) => format!("fathom report --details {}", quoted(&run.dir)),
        None => of_id(&run.record.id),
    }
}

/// The command that prints all that is known of what has this id.
pub(super) fn of_id(id: &str) -> String {
    format!("fathom report --details {}", quoted_carried(id))
}

/// The answer as the report of the run alone has it: where the next command of a round names the whole procedure, it names
/// the round.
pub(super) fn answer_of(run: &RunResult, answer: &Answer) -> Answer {
    let is_of_procedure =
        run.record.round.as_ref().is_some_and(|round| answer.next.command == of_id(&round.procedure));
    let mut answer = answer.clone();
    if is_of_procedure {
        answer.next = NextStep { command: details_of(run), ..answer.next };
    }
    answer
}

#[cfg(test)]
mod tests {
    use crate::terminal::{Style, details, summary};
    use fathom_figures::fixture::RunBuilder;
    use fathom_results::answer::Gain;
    use fathom_results::{Answer, NextStep, RoundRecord, RunResult, Trust, TrustLevel};

    #[test]
    fn a_round_is_named_by_its_directory() {
        let mut run = RunBuilder::of("ioengine=null rw=read size=1m").run();
        run.dir = "/data/runs/twice/rounds/0001-repeat".into();
        run.record.id = "idoftheround".to_owned();
        let next = NextStep {
            command: "fathom report --details idofrepeat".to_owned(),
            gain: Gain::Disturbances,
            needs_consent: false,
        };
        run.record.answer = Some(Answer {
            trust: Trust { level: TrustLevel::Low, reasons: Vec::new(), shortest_s: None },
            next,
            ..Answer::default()
        });
        let at = |run: &RunResult, width| summary(run, Style { width, ..Style::PLAIN }).as_str().to_owned();
        let of_run = at(&run, 100);
        assert!(of_run.contains("details  fathom report --details idoftheround"), "{of_run}");
        let procedure = "idofrepeat".to_owned();
        run.record.round = Some(RoundRecord { procedure, number: 1, ..RoundRecord::default() });
        let command = "fathom report --details /data/runs/twice/rounds/0001-repeat";
        let page = at(&run, 100);
        for line in [format!("next     {command}  names what"), format!("details  {command}")] {
            assert!(page.contains(&line), "{page}");
        }
        let whole = details(&run, Style { width: 100, ..Style::PLAIN });
        assert!(whole.contains(&format!("next     {command}")), "{}", whole.as_str());
        let narrow = at(&run, 60);
        let broken = "fathom report --details \\\n         /data/runs/twice/rounds/0001-repeat";
        assert_eq!(narrow.matches(broken).count(), 2, "{narrow}");
        assert!(!page.contains("idof") && !narrow.contains("idof"), "{page}{narrow}");
    }
}
