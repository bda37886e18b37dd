//! The page of a procedure.

use crate::html::well_formed;
use crate::repeated::repeated;
use crate::synthetic::{Recipe, fixture};
use fathom_report::html::{AboveTables, procedure_page, standard_page};
use fathom_report::terminal::ProcedureState;
use fathom_report::{BesideProcedure, PrivateNames};
use fathom_results::answer::{
    Deviation, GroupFigure, GroupHeadline, Headline, MeasuredJobs, SuiteHeadline, SuiteOrigin, SuiteRounds,
};
use fathom_results::procedure::{FallFigures, OwnWords, ProcedureDocument, StepDone};
use fathom_results::{FailedJobs, FindingWeight, HeaderGroup, HostFinding, Instead, Reason, StandardReport};

/// The headline of a suite: a group with its words, and the cell that is best.
fn suite(group: &str, cell: &str) -> Headline {
    let groups = vec![GroupHeadline {
        group: group.to_owned(),
        metric: "iops".to_owned(),
        value: 15_600.0,
        half_share: None,
        of: GroupFigure::Best { cell: Some(cell.to_owned()), times: None },
    }];
    Headline::Suite(SuiteHeadline { groups, ..SuiteHeadline::default() })
}

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
        "62.0k IOPS ± 3.2 %",
        "<b>Trust:</b> medium: the device was not purged, so this is not the standard&#39;s result.",
        // Five values from 60,000 to 64,000: the mean, its interval by Student, and the spread.
        "<th scope=\"row\">IOPS<small>randread</small></th><td>62,000</td><td>60,037 to 63,963</td><td>60,000</td><td>64,000</td><td>6.5</td>",
        "0005-repeat",
        "low",
        "In 5 of 5 rounds: The device was not purged, so this is not the standard&#39;s result.",
    ] {
        assert!(body.contains(said), "{said}: {body}");
    }
    assert_eq!(body.matches("<circle class=\"run\"").count(), 10, "IOPS and p99 of five rounds");
    assert!(!body.contains("NaN") && !body.contains("inf"), "{body}");
}

/// Rounds of several cells have no mean, and a course: what a preconditioning did over its time.
#[test]
fn rounds_of_several_cells_are_drawn_over_their_time() {
    assert!(!page(&repeated()).contains("Rate of each round"), "rounds of one cell are dots");
    let mut several = repeated();
    for (at, step) in several.steps.iter_mut().enumerate() {
        let StepDone::Round(round) = &mut step.did else { continue };
        round.cell = if at < 2 { "pass-1" } else { "random-4096" }.to_owned();
        *round.whole = round.figures[0].clone();
    }
    let page = page(&several);
    well_formed(&page);
    let (_, drawn) = page.split_once("<figcaption>Rate of each round</figcaption>").expect("a drawing");
    let (drawn, _) = drawn.split_once("</figure>").unwrap();
    for said in ["pass-1", "random-4096", "measured time, s", "MB/s"] {
        assert!(drawn.contains(said), "{said}: {drawn}");
    }
    assert_eq!(drawn.matches("<polyline class=\"line\"").count(), 2, "{drawn}");
}

/// The mean of two rates is no figure of a round.
#[test]
fn a_round_whose_rate_fell_has_what_lasted_and_says_from_what() {
    let mut fallen = repeated();
    if let StepDone::Round(round) = &mut fallen.steps[1].did {
        round.figures[0].fall = Some(FallFigures {
            at_s: 12,
            lasts_from_s: 12,
            bytes_before: 36e9,
            iops_before: 90_000.0,
            bytes_per_second_before: 368.6e6,
            iops_lasting: 20_000.0,
            bytes_per_second_lasting: 81.9e6,
        });
    }
    let page = page(&fallen);
    well_formed(&page);
    for said in [
        "<td>20,000<small>fell at second 12 from 90,000 IOPS and 369 MB/s, after 36.0 GB</small></td><td>81.9</td>",
        "IOPS and MB/s of a job whose rate fell are those that lasted",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(!page.contains("<td>61,000"), "the mean of the round: {page}");
    assert!(!self::page(&repeated()).contains("rate fell"));
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
    let mut known = PrivateNames::default();
    known.learn_procedure(&open, &["alice".to_owned()], &OwnWords::default());
    let redacted = known.redacted_procedure(&open, BesideProcedure::default()).unwrap();
    let page = page(&redacted.procedure);
    assert!(names.iter().all(|name| !page.contains(name)), "{page}");
    redacted.check(&page).unwrap();
}

/// A name may be known by its form alone in what is printed beside a procedure, and stand bare in its history.
#[test]
fn a_name_that_only_the_damage_shows_is_in_no_redacted_page() {
    let mut open = repeated();
    open.record.conclusion.as_mut().unwrap().verdict.distrust = vec![Reason::deviation(Deviation::Unsound {
        drive: "okapi7".to_owned(),
        says: "it is old".to_owned(),
    })];
    let damage = ["round 0002-repeat is not in /home/okapi7/x".to_owned()];
    let beside = BesideProcedure { damage: &damage, ..BesideProcedure::default() };
    let redacted = PrivateNames::default().redacted_procedure(&open, beside).unwrap();
    let page = page(&redacted.procedure);
    assert!(page.contains("The drive user-1 is not sound") && !page.contains("okapi7"), "{page}");
}

/// A file that was never written gave this rate: the page says so where the terminal does, and has no headline without it.
#[test]
fn a_page_of_tables_begins_with_the_answer_of_the_terminal() {
    let mut answer = repeated().record.conclusion.unwrap().answer.unwrap();
    let failed = FailedJobs { are_workers: false, failed: 1, of: 3, first: "no space".to_owned() };
    answer.instead = Some(Instead { failed: Some(failed), ..Instead::default() });
    answer.result = crate::synthetic::rate(824_000.0);
    let above =
        AboveTables { sentence: "824k IOPS, 3.38 GB/s.".into(), verdict: None, answer: Some(&answer) };
    let page = standard_page(&StandardReport::default(), None, above);
    well_formed(&page);
    let (top, _) = page.split_once("<h2>Tests</h2>").unwrap();
    assert!(top.contains("<section class=\"verdict bad\">\n<h2>1 of 3 jobs failed: no space"), "{top}");
    assert!(
        top.contains("<b>Figures:</b> 824k IOPS, 3.38 GB/s") && top.contains("<b>Trust:</b> medium: "),
        "{top}"
    );
    assert_eq!(top.matches("824k IOPS").count(), 1, "{top}");
}

/// What disturbed a round is known in its run alone, and the sentences of the procedure name it.
#[test]
fn a_program_that_disturbed_a_round_is_in_no_redacted_form_of_its_procedure() {
    let says = "kundegeheim used 65 % of a CPU, last on CPU 1";
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    (recipe.seconds, recipe.rate) = ((1, 3), 200);
    recipe.edit = |record| {
        record.self_knowledge.disturbances = vec![HostFinding {
            check: "noise.load".into(),
            subject: "pid 4290".into(),
            weight: FindingWeight::Warn,
            says: "kundegeheim used 65 % of a CPU, last on CPU 1".into(),
            path: "/proc/4290/stat".into(),
            raw: "4290 (kundegeheim) R 1 1 1 0 -1 4194304 9 0 0 0 7 5 0 0 20 0 1 0 900 0 0".into(),
        }];
    };
    let run = recipe.run();
    let mut whole = repeated();
    let conclusion = whole.record.conclusion.as_mut().unwrap();
    conclusion
        .verdict
        .distrust
        .push(Reason::deviation(Deviation::Unsound { drive: "nvme0".to_owned(), says: says.to_owned() }));
    let document = |of| serde_json::to_string(&ProcedureDocument::of(of, &[])).unwrap();
    assert!(page(&whole).contains("kundegeheim") && document(&whole).contains("kundegeheim"));
    let mut known = PrivateNames::default();
    known.learn_procedure(&whole, &[], &OwnWords::default());
    known.learn_run(&run, &[]);
    let redacted = known.redacted_procedure(&whole, BesideProcedure::default()).unwrap();
    for report in [page(&redacted.procedure), document(&redacted.procedure)] {
        assert!(!report.contains("kundegeheim") && report.contains("program-1 used 65 %"), "{report}");
        assert_eq!(redacted.check(&report), Ok(()));
        assert!(redacted.check(&format!("{report} kundegeheim")).is_err());
    }
}

/// The parameters of a sweep have its job file, and the text of it.
fn name_round_after(procedure: &mut fathom_results::procedure::ProcedureResult, directory: &str) {
    let rounds = procedure.steps.iter_mut().filter_map(|step| match &mut step.did {
        StepDone::Round(round) => Some(round),
        _ => None,
    });
    rounds.take(1).for_each(|round| round.directory = directory.to_owned());
}

#[test]
fn the_parameters_of_a_redacted_procedure_hold_nothing_that_a_person_wrote() {
    let mut whole = repeated();
    name_round_after(&mut whole, "0001-filename--srv-ibex");
    let parameters = [
        ("suite", "sweep"),
        (
            "text",
            "source = \"okapi.fio\"\njob = \"[j]\\nwrite_bw_log=zebra\\nfilename_format=quagga.$jobnum\"",
        ),
        ("targets", "file /mnt/tapir/x"),
        ("variables", "near=0-3\ncustomer=gnu herd"),
        ("set", "bs=4k\nwrite_lat_log=zebra"),
        ("job-file other.fio", "[j]\nwrite_bw_log=zebra"),
    ];
    whole.record.procedure = "suite".to_owned();
    whole.record.parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let conclusion = whole.record.conclusion.as_mut().unwrap();
    conclusion.verdict.headline = suite("okapi.fio by bs on gnu herd", "filename=ibex");
    let standard = StandardReport {
        standard: "okapi.fio (sweep)".to_owned(),
        header: vec![HeaderGroup {
            title: "Test".to_owned(),
            entries: vec![
                ("Note".to_owned(), "lynx".to_owned()),
                ("Source".to_owned(), "okapi.fio".to_owned()),
            ],
        }],
        ..StandardReport::default()
    };
    let own = OwnWords {
        files: vec!["okapi.fio".to_owned()],
        settings: vec![("filename".to_owned(), "ibex".to_owned()), ("bs".to_owned(), "4k".to_owned())],
        variables: vec!["0-3".to_owned(), "gnu herd".to_owned()],
        ..OwnWords::default()
    };
    let mut known = PrivateNames::default();
    known.learn_procedure(&whole, &[], &own);
    let beside = BesideProcedure { standard: Some(&standard), ..BesideProcedure::default() };
    let redacted = known.redacted_procedure(&whole, beside).unwrap();
    let told = serde_json::to_string(&ProcedureDocument {
        standard_report: redacted.standard.clone(),
        ..ProcedureDocument::of(&redacted.procedure, &[])
    })
    .unwrap();
    for secret in ["okapi", "zebra", "quagga", "tapir", "gnu", "herd", "ibex", "lynx"] {
        assert!(!told.contains(secret), "{secret}: {told}");
    }
    let headline = &redacted.procedure.record.conclusion.as_ref().unwrap().verdict.headline;
    let headline = fathom_report::words::headline(headline);
    assert!(headline.contains("by bs on") && headline.contains("15.6k IOPS"), "{headline}");
    assert!(told.contains("bs=4k"), "{told}");
    assert_eq!(redacted.check(&told), Ok(()));
    assert!(redacted.check(&format!("{told} okapi.fio")).is_err());
}

/// Reports print title, source and groups of a suite at many places, also within other sentences.
#[test]
fn nothing_of_the_text_of_a_suite_is_in_a_redacted_report() {
    let texts = ["Tapir of okapi", "zebra, quagga", "reads for the ibex"].map(str::to_owned);
    let own = OwnWords {
        suite: Some("gnu".to_owned()),
        texts: texts.to_vec(),
        groups: ["lynx-4k", "read"].map(str::to_owned).to_vec(),
        ..OwnWords::default()
    };
    let mut whole = repeated();
    name_round_after(&mut whole, "0001-lynx-4k-iodepth-1");
    let conclusion = whole.record.conclusion.as_mut().unwrap();
    conclusion.verdict.headline = suite("reads for the ibex", "lynx-4k iodepth=4, read iodepth=2");
    let answer = conclusion.answer.as_mut().unwrap();
    answer.result = suite("Reads for the ibex", "iodepth=2");
    answer.jobs = Some(MeasuredJobs::Suite(SuiteRounds {
        suite: "gnu".to_owned(),
        title: "Tapir of okapi".to_owned(),
        source: "zebra, quagga".to_owned(),
        kind: SuiteOrigin::Own,
        rounds: 5,
        steps: None,
    }));
    let standard =
        StandardReport { standard: "Tapir of okapi (gnu)".to_owned(), ..StandardReport::default() };
    let mut known = PrivateNames::default();
    known.learn_procedure(&whole, &[], &own);
    let beside = BesideProcedure { standard: Some(&standard), ..BesideProcedure::default() };
    let redacted = known.redacted_procedure(&whole, beside).unwrap();
    let told = serde_json::to_string(&ProcedureDocument {
        standard_report: redacted.standard.clone(),
        ..ProcedureDocument::of(&redacted.procedure, &[])
    });
    for report in [told.unwrap(), page(&redacted.procedure)] {
        let lower = report.to_lowercase();
        let secrets = ["tapir", "okapi", "zebra", "quagga", "ibex", "gnu", "lynx"];
        assert_eq!(secrets.iter().find(|secret| lower.contains(**secret)), None, "{report}");
        assert_eq!(redacted.check(&report), Ok(()));
        assert!(redacted.check(&format!("{report} zebra, quagga")).is_err());
    }
    let headline = &redacted.procedure.record.conclusion.as_ref().unwrap().verdict.headline;
    let headline = fathom_report::words::headline(headline);
    assert_eq!(headline, "text-3: 15.6k IOPS (group-1 iodepth=4, read iodepth=2).");
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

/// The mean of a measurement and of one that was cut short describes neither. A comparison leaves such a round out as well.
#[test]
fn a_round_that_failed_is_in_no_mean_and_is_named_failed() {
    use fathom_report::terminal::{Style, procedure};
    let mut failed = repeated();
    let StepDone::Round(last) = &mut failed.steps[4].did else { panic!("no round") };
    last.failure = Some("randread: Input/output error".to_owned());
    for width in [60, 100] {
        let style = Style { width, ..Style::PLAIN };
        let screen = procedure(&failed, ProcedureState::default(), true, style).as_str().to_owned();
        let words = |name: &str| -> Vec<&str> {
            let mut lines = screen.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            lines.find(|words| words.first() == Some(&name)).unwrap()
        };
        assert_eq!(words("all")[1], "61,500", "{screen}");
        assert_eq!(words("0005-repeat").last(), Some(&"failed"), "{screen}");
        assert!(screen.contains("all that did not fail: means"), "{screen}");
        let table = screen.lines().skip_while(|line| !line.trim_start().starts_with("round "));
        let too_long =
            table.take_while(|line| !line.contains("saved")).find(|line| line.chars().count() > width);
        assert_eq!(too_long, None, "{screen}");
    }
    let page = page(&failed);
    let (_, figures) = page.split_once("<h2>Figures of all rounds that did not fail</h2>").unwrap();
    let (figures, _) = figures.split_once("</section>").unwrap();
    assert!(figures.contains("61,500") && !figures.contains("64,000"), "{figures}");
}
