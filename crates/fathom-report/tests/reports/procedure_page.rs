//! The page of a procedure.

use crate::html::well_formed;
use crate::repeated::repeated;
use fathom_report::html::procedure_page;
use fathom_report::redacted_procedure;
use fathom_report::terminal::ProcedureState;
use fathom_results::procedure::StepDone;

fn page(of: &fathom_results::procedure::ProcedureResult) -> String {
    procedure_page(of, ProcedureState::default(), None)
}

#[test]
fn it_has_the_answer_the_figures_of_all_rounds_and_each_round() {
    let page = page(&repeated());
    well_formed(&page);
    let (body, _) = page.split_once("<script>").unwrap();
    for said in [
        "<h1>SAMSUNG MZ7L3480, 480 GB, SSD on SATA, SAS or USB",
        "62.0k read IOPS ± 3.2 %",
        "<b>Trust:</b> medium: other programs used the disk.",
        // Five values from 60,000 to 64,000: the mean, its interval by Student, and the spread.
        "<th scope=\"row\">IOPS<small>randread</small></th><td>62,000</td><td>60,037 to 63,963</td><td>60,000</td><td>64,000</td><td>6.5</td>",
        "0005-repeat",
        "low",
        "In 5 of 5 rounds: other programs used the disk [foreign-io]",
    ] {
        assert!(body.contains(said), "{said}: {body}");
    }
    assert_eq!(body.matches("<circle class=\"run\"").count(), 10, "IOPS and p99 of five rounds");
    assert!(!body.contains("NaN") && !body.contains("inf"), "{body}");
}

#[test]
fn damage_takes_the_place_of_what_was_concluded() {
    let damage = ["round 0002-repeat is missing".to_owned()];
    let state = ProcedureState { damage: &damage, ..ProcedureState::default() };
    let page = procedure_page(&repeated(), state, Some("<b>T</b>"));
    assert!(page.contains("<h1>&lt;b&gt;T") && page.contains("round 0002-repeat is missing"), "{page}");
    assert!(page.contains("damaged") && !page.contains("62.0k") && !page.contains("60,037"), "{page}");
}

#[test]
fn rounds_of_several_cells_have_no_mean() {
    let mut several = repeated();
    if let StepDone::Round(round) = &mut several.steps[1].did {
        "other".clone_into(&mut round.cell);
    }
    assert!(!page(&several).contains("Figures of all rounds") && page(&several).contains("Each round"));
}

#[test]
fn a_redacted_page_has_no_private_name() {
    let mut open = repeated();
    open.dir = "/home/alice/acme".into();
    open.record.name = "zebra".to_owned();
    open.record.command.extend(["--name", "zebra"].map(str::to_owned));
    (open.record.note, open.record.tags) = (Some("for okapi".to_owned()), vec!["tapir".to_owned()]);
    let names = ["alice", "acme", "zebra", "okapi", "tapir"];
    assert!(names.iter().all(|name| page(&open).contains(name)), "they were planted");
    let redacted = redacted_procedure(&open, &[], &["alice".to_owned()], None).unwrap();
    let page = page(&redacted.procedure);
    assert!(names.iter().all(|name| !page.contains(name)), "{page}");
    redacted.check(&page).unwrap();
}

#[test]
fn the_terminal_has_one_line_for_all_rounds_and_says_whose_latency_it_is() {
    use fathom_report::terminal::{ProcedureState, Style, procedure};
    let page = procedure(&crate::repeated::repeated(), ProcedureState::default(), false, Style::PLAIN);
    assert!(page.contains("\n  all          62,000"), "{}", page.as_str());
    for words in
        ["all: means; percentiles are medians", "latency: of all I/Os of a job, all directions together"]
    {
        assert!(page.contains(words), "{words}\n{}", page.as_str());
    }
}
