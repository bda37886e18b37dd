//! The same answer everywhere: every form of a report has the same findings, trust, limits and headline figures.
//!
//! Results of every kind are made at random (`random`), and printed in each form that the product offers for that kind. What
//! a form has to hold comes from `fathom-words`. A few hundred cases run in `cargo test`; `FATHOM_RESULTS` and
//! `FATHOM_RESULTS_FROM` ask for others.

use crate::random::procedures::{Made, procedure};
use crate::random::values::Chance;
use crate::random::{comparison, runs, seeds};
use fathom_report::document::{csv, document, figures};
use fathom_report::html::{comparison_page, page, saved_page};
use fathom_report::terminal::{self, ProcedureState, Style};
use fathom_results::procedure::ProcedureDocument;
use fathom_results::{Answer, Comparison, RunDocument, RunResult, StandardReport, TestReport};
use fathom_words::comparison as compared;
use fathom_words::{class, limit, report_part, trust};

/// A part of a result, and what it is.
type Part = (&'static str, String);

/// Words of a result that are on every screen.
const FIRST_WORDS: usize = 3;

const WIDTHS: [usize; 3] = [60, 80, 120];

/// The words of a text without its lines, and without the blanks at which no line ends.
fn words(text: &str) -> String {
    text.split(|c: char| c.is_whitespace()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What a reader of a page sees.
fn seen(page: &str) -> String {
    let (_, body) = page.split_once("<body>").unwrap();
    let (body, _) = body.split_once("<script>").unwrap();
    let mut text = String::new();
    let mut is_tag = false;
    for c in body.chars() {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => {
                is_tag = false;
                text.push(' ');
            }
            _ if !is_tag => text.push(c),
            _ => {}
        }
    }
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    let text = signs.iter().fold(text, |text, (code, sign)| text.replace(code, sign));
    // The terminal has its label without a colon.
    words(&text.replace("Trust: ", "trust "))
}

/// Is every one of these texts in a form of a result? A page begins a sentence with a capital letter.
fn has_all(form: &str, of: &str, wanted: &[Part]) -> Result<(), String> {
    let of = words(of).to_lowercase();
    let is_there = |(_, text): &&Part| of.contains(words(text).to_lowercase().trim_end_matches('.'));
    match wanted.iter().find(|part| !is_there(part)) {
        Some((what, text)) => Err(format!("{form}: the {what} is not in it: {text:?}:\n{of}")),
        None => Ok(()),
    }
}

fn style(width: usize) -> Style {
    Style { width, ..Style::PLAIN }
}

/// All that an answer says but what to do next: only a reader who has the machine can do that.
fn said(answer: &Answer) -> Vec<Part> {
    let instead = fathom_words::instead(answer);
    let class = answer.class.as_ref().filter(|_| instead.is_none()).map(class::says);
    let lists = [
        ("evidence of the limit", answer.limit.as_ref().map(limit::evidence).unwrap_or_default()),
        ("reason", trust::sentences(&answer.trust.reasons)),
        ("remark", answer.remarks.iter().map(fathom_words::remark).collect()),
    ];
    let parts = [
        ("instead", instead),
        ("class", class),
        ("result", Some(fathom_words::result(answer))),
        ("target", Some(fathom_words::subject(&answer.measured))),
        ("jobs", answer.jobs.as_ref().map(fathom_words::measured_jobs)),
        ("trust", Some(format!("trust {}:", answer.trust.level.name()))),
        ("limit", answer.limit.as_ref().map(limit::line)),
    ];
    let parts = parts.into_iter().filter_map(|(what, text)| Some((what, text?)));
    parts.chain(lists.into_iter().flat_map(|(what, texts)| parted(what, texts))).collect()
}

/// Texts that are one kind of part.
fn parted(what: &'static str, texts: impl IntoIterator<Item = String>) -> Vec<Part> {
    texts.into_iter().map(|text| (what, text)).collect()
}

/// Does a first screen begin with the first words of what takes the place of the result, or of the result, and have the trust? It
/// has less room than all that is said.
fn is_first(screen: &str, answer: &Answer) -> Result<(), String> {
    let class = answer.class.as_ref().map(|class| format!("{}: ", class::says(class))).unwrap_or_default();
    let result = || format!("{class}{}", fathom_words::result(answer));
    let first = fathom_words::instead(answer).unwrap_or_else(result);
    let first: Vec<&str> = first.split_whitespace().take(FIRST_WORDS).collect();
    let (screen, first) = (words(screen), format!("result {}", first.join(" ")));
    let trust = format!("trust {}:", answer.trust.level.name());
    let has_all = screen.contains(&first) && screen.contains(&trust);
    if has_all { Ok(()) } else { Err(format!("{first:?}, {trust:?} are not on the screen:\n{screen}")) }
}

fn forms_of_run(run: &RunResult) -> Result<(), String> {
    let answer = run.record.answer.as_ref().unwrap();
    let mut wanted = said(answer);
    let claims = run.record.datasheet.iter().flat_map(|it| &it.lines).map(|line| line.what.clone());
    wanted.extend(parted("claim of the data sheet", claims));
    wanted.extend(parted("why it is incomplete", run.incomplete.as_ref().map(fathom_words::incomplete)));
    has_all("page", &seen(&page(run)), &wanted)?;
    for width in WIDTHS {
        let details = terminal::details(run, style(width)).to_string();
        has_all(&format!("details at {width}"), &details, &wanted)?;
        is_first(terminal::summary(run, style(width)).as_str(), answer)?;
    }
    let text = serde_json::to_string(&document(run)).unwrap();
    let read: RunDocument = serde_json::from_str(&text).unwrap();
    let is_same = read.answer.as_ref() == Some(answer) && read.findings == run.record.findings;
    let table = csv(run).lines().count() - 1;
    if !is_same || (table, read.figures.len()) != (figures(run).len(), figures(run).len()) {
        return Err(format!("document or table: {text}"));
    }
    Ok(())
}

#[test]
fn every_form_of_a_run_says_the_same() {
    for seed in seeds(90) {
        forms_of_run(&runs::run(&mut Chance::of(seed), seed))
            .unwrap_or_else(|why| panic!("FATHOM_RESULTS_FROM={seed}: {why}"));
    }
}

fn of_standard(report: &StandardReport) -> Vec<Part> {
    let of_test = |test: &TestReport| {
        let doubts = test.doubted.iter().map(report_part::doubt);
        let sentences = [test.title.clone(), report_part::headline(&test.headline)].into_iter().chain(doubts);
        parted("sentence of a test", sentences.chain(test.remarks.iter().map(report_part::remark)))
    };
    let deviations = parted("deviation", report.deviations.iter().map(fathom_words::deviation::in_report));
    deviations.into_iter().chain(report.tests.iter().flat_map(of_test)).collect()
}

fn forms_of_procedure(made: &Made) -> Result<(), String> {
    let Made { procedure, standard, so_far, damage } = made;
    let conclusion = procedure.record.conclusion.as_ref();
    let mut wanted = parted("damage", damage.clone());
    if damage.is_empty() {
        wanted.extend(
            conclusion.and_then(|it| it.answer.as_deref()).or(so_far.as_ref()).map(said).unwrap_or_default(),
        );
        wanted.extend(standard.as_ref().map(of_standard).unwrap_or_default());
        if let Some(conclusion) = conclusion {
            wanted.extend(parted("figure of the verdict", fathom_words::lines(&conclusion.verdict.headline)));
            wanted.extend(parted("doubt of the verdict", trust::sentences(&conclusion.verdict.distrust)));
            // An answer takes its place.
            let headline =
                conclusion.answer.is_none().then(|| fathom_words::headline(&conclusion.verdict.headline));
            wanted.extend(parted("headline", headline));
        }
    }
    let answer = conclusion.map_or(so_far.as_ref(), |it| it.answer.as_deref()).filter(|_| damage.is_empty());
    let state = ProcedureState {
        damage,
        is_running: false,
        so_far: so_far.as_ref(),
        standard: standard.as_ref(),
        ..ProcedureState::default()
    };
    has_all("page", &seen(&saved_page(&made.procedure, state, None)), &wanted)?;
    for width in WIDTHS {
        let details = terminal::procedure(procedure, state, true, style(width)).to_string();
        has_all(&format!("details at {width}"), &details, &wanted)?;
        let screen = terminal::procedure(procedure, state, false, style(width));
        answer.map_or(Ok(()), |answer| is_first(screen.as_str(), answer))?;
    }
    let text = serde_json::to_string(&ProcedureDocument::of(procedure, damage)).unwrap();
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    let verdict = conclusion.map(|it| serde_json::to_value(&it.verdict).unwrap()).unwrap_or_default();
    if read["verdict"] == verdict { Ok(()) } else { Err(format!("document: {text}")) }
}

#[test]
fn every_form_of_a_procedure_says_the_same() {
    for seed in seeds(90) {
        let made = procedure(&mut Chance::of(seed), seed);
        let kind = &made.procedure.record.procedure;
        forms_of_procedure(&made).unwrap_or_else(|why| panic!("FATHOM_RESULTS_FROM={seed}, {kind}: {why}"));
    }
}

fn forms_of_comparison(of: &Comparison) -> Result<(), String> {
    let not_shown = compared::not_shown(of).into_iter().flat_map(|(says, because)| [says, because]);
    let mut wanted = vec![("headline", compared::headline(of))];
    wanted.extend(parted("other cause", not_shown));
    wanted.extend(parted("doubt", compared::doubts(of)));
    wanted.extend(parted("thing left out", of.left_out.iter().map(compared::left_out)));
    wanted.extend(parted("job", of.figures.iter().map(|figure| figure.job.clone())));
    has_all("page", &seen(&comparison_page(of)), &wanted)?;
    for width in WIDTHS {
        let details = terminal::comparison(of, true, style(width)).to_string();
        has_all(&format!("details at {width}"), &details, &wanted)?;
    }
    let text = serde_json::to_string(of).unwrap();
    let read: Comparison = serde_json::from_str(&text).unwrap();
    if read == *of { Ok(()) } else { Err(format!("document: {text}")) }
}

#[test]
fn every_form_of_a_comparison_says_the_same() {
    for seed in seeds(60) {
        forms_of_comparison(&comparison(&mut Chance::of(seed)))
            .unwrap_or_else(|why| panic!("FATHOM_RESULTS_FROM={seed}: {why}"));
    }
}
