//! The report of a standard's tests as a page: the header on every sheet, then each test with its tables and plots in the
//! standard's order.
//!
//! Each test is a table whose head repeats on every printed sheet, because a standard asks for its header there.

use super::document;
use super::markup::{element, escape, pairs};
use super::matrix::{self, Matrix};
use super::procedure::{answered, evidence, procedure_page};
use super::report_plot::{figure, plot};
use super::report_table::table;
use crate::terminal::ProcedureState;
use crate::text::{doubted, other_figures};
use fathom_results::procedure::ProcedureResult;
use fathom_results::{Answer, HeaderGroup, ReportColumns, ReportPart, StandardReport, TestReport, Verdict};
use fathom_text::shown::line;
use fathom_words::{deviation, report_part, trust};
use std::borrow::Cow;

/// What the page says above the tables.
#[derive(Clone, Debug, Default)]
pub struct AboveTables<'a> {
    /// What the procedure found, or that it is not finished, in one sentence.
    pub sentence: Cow<'a, str>,
    /// What it concluded; absent while it is not finished.
    pub verdict: Option<&'a Verdict>,
    /// What the terminal says of it; it takes the place of the sentence.
    pub answer: Option<&'a Answer>,
}

impl<'a> AboveTables<'a> {
    /// What is known of a procedure.
    pub fn of(procedure: &'a ProcedureResult, state: ProcedureState<'a>) -> Self {
        let conclusion = procedure.record.conclusion.as_ref();
        let sentence = conclusion.map(|it| fathom_words::headline(&it.verdict.headline).into());
        AboveTables {
            sentence: sentence.unwrap_or(Cow::Borrowed("The tests are not finished.")),
            verdict: conclusion.map(|it| &it.verdict),
            answer: conclusion.map_or(state.so_far, |it| it.answer.as_deref()),
        }
    }
}

/// The whole document. `title` takes the place of the usual title.
pub fn standard_page(report: &StandardReport, title: Option<&str>, above: AboveTables<'_>) -> String {
    let device = entry(report, "Device under test", &["Model", "Device"]).unwrap_or_default();
    let usual = format!("{}: {device}", report.standard);
    let title = title.map_or(usual, str::to_owned);
    let tests: String = report.tests.iter().map(|test| self::test(report, test)).collect();
    let differs = deviations(report);
    let figures = above.verdict.map(|verdict| other_figures(verdict, Some(report))).unwrap_or_default();
    let known: Vec<String> = report.deviations.iter().map(deviation::in_report).collect();
    let verdict = above.verdict.map(|verdict| without_deviations(verdict, &known));
    let verdict = match above.answer {
        Some(answer) => answered(answer, (verdict.as_ref(), &figures), &differs, &known),
        None => format!(
            "<section class=\"verdict {}\">\n<h2>{}</h2>\n{differs}{}</section>\n",
            class(report),
            escape(&line(&above.sentence)),
            verdict.as_ref().map(|verdict| evidence(verdict, &figures)).unwrap_or_default()
        ),
    };
    let body = format!(
        "<header>\n<p class=\"kicker\">fathom storage measurement · {}</p>\n<h1>{}</h1>\n</header>\n{verdict}{}{tests}",
        escape(&report.standard),
        escape(&line(&title)),
        summary(report),
    );
    document(&line(&title), &body)
}

/// The page of a saved procedure: of a standard and of a suite that of their tables, else that of the rounds. Tables of a damaged
/// procedure are not shown. `title` replaces the usual title.
pub fn saved_page(procedure: &ProcedureResult, state: ProcedureState<'_>, title: Option<&str>) -> String {
    match state.standard.filter(|_| state.damage.is_empty()) {
        Some(report) => standard_page(report, title, AboveTables::of(procedure, state)),
        None => procedure_page(procedure, state, title),
    }
}

/// What the page does not say elsewhere: the deviations stand above.
fn without_deviations(verdict: &Verdict, known: &[String]) -> Verdict {
    let mut open = verdict.clone();
    open.distrust.retain(|reason| !known.contains(&trust::sentence(reason)));
    open
}

/// How the conclusion is coloured: by the worst verdict of the standard.
fn class(report: &StandardReport) -> &'static str {
    match report.tests.iter().any(|test| test.is_steady == Some(false) || test.stopped.is_some()) {
        true => "low",
        false => "careful",
    }
}

/// The first of these entries that a group of the header has.
fn entry(report: &StandardReport, group: &str, names: &[&str]) -> Option<String> {
    let group = report.header.iter().find(|one| one.title == group)?;
    let find =
        |name: &&str| group.entries.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
    names.iter().find_map(find)
}

fn deviations(report: &StandardReport) -> String {
    let each = report.deviations.iter().map(|it| element("li", &line(&deviation::in_report(it))));
    let each: String = each.collect();
    if each.is_empty() { each } else { format!("<ul class=\"care\">{each}</ul>\n") }
}

/// A line for each test, and the whole header once.
fn summary(report: &StandardReport) -> String {
    let judges = report.tests.iter().any(|test| test.is_steady.is_some() || test.stopped.is_some());
    let row = |test: &TestReport| {
        let verdict = match (&test.stopped, test.is_steady) {
            _ if !judges => String::new(),
            (stopped, steady) => {
                let (class, word) = if stopped.is_some() { ("bad", "stopped") } else { word(steady) };
                format!("<td class=\"word {class}\">{word}</td>")
            }
        };
        format!(
            "<tr><th scope=\"row\">{}</th>{verdict}<td>{}</td></tr>\n",
            escape(&test.title),
            escape(&line(&report_part::headline(&test.headline)))
        )
    };
    let heading = if judges { "<th scope=\"col\">Verdict of the standard</th>" } else { "" };
    let rows: String = report.tests.iter().map(row).collect();
    let groups: String = report.header.iter().map(group).collect();
    format!(
        "<section>\n<h2>Tests</h2>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">Test</th>{heading}<th scope=\"col\">Result</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n</section>\n<section>\n<div class=\"split\">\n{groups}</div>\n</section>\n"
    )
}

/// The verdict of the standard in words, and how it is coloured.
fn word(is_steady: Option<bool>) -> (&'static str, &'static str) {
    match is_steady {
        Some(true) => ("good", "steady state"),
        Some(false) => ("bad", "NO steady state"),
        None => ("soft", "-"),
    }
}

fn group(group: &HeaderGroup) -> String {
    if group.entries.is_empty() {
        return String::new();
    }
    let entries = group.entries.iter().map(|(name, text)| (name.clone(), line(text).into_owned()));
    format!("<div>\n<h2>{}</h2>\n{}</div>\n", escape(&group.title), pairs(entries))
}

/// The short header of every sheet: what was tested by which standard; set-up, machine and dates; what is not as the standard
/// asks.
fn running_header(report: &StandardReport, test: &TestReport) -> String {
    let of = |group: &str, names: &[&str]| entry(report, group, names);
    let brief = |text: String| text.split(" (").next().unwrap_or_default().to_owned();
    let subject = [
        Some(report.standard.clone()),
        Some(test.title.clone()),
        of("Device under test", &["Model", "Device"]),
        of("Device under test", &["Capacity"]).map(brief),
        of("Device under test", &["Serial number"]).map(|serial| format!("S/N {serial}")),
        of("Device under test", &["Firmware"]).map(|firmware| format!("FW {firmware}")),
    ];
    let conditions = [
        of("Set-up", &["Write cache"]).map(|cache| format!("write cache: {cache}")),
        of("Set-up", &["Active range"]).map(|range| format!("active range {}", brief(range))),
        of("Test platform", &["CPU"]),
        of("Test", &["Began"]).map(|began| format!("began {began}")),
        of("Test", &["Operator"]).map(|operator| format!("operator {}", brief(operator))),
        of("Test", &["Tool"]),
    ];
    let told = |parts: &[Option<String>]| parts.iter().flatten().cloned().collect::<Vec<_>>().join(" · ");
    let differs: Vec<String> = report.deviations.iter().filter_map(deviation::short).collect();
    let differs = match differs.as_slice() {
        [] => String::new(),
        some => format!("<br>{}", element("em", &line(&some.join(" · ")))),
    };
    format!("{}<br>{}{differs}", element("strong", &line(&told(&subject))), escape(&line(&told(&conditions))))
}

fn test(report: &StandardReport, test: &TestReport) -> String {
    let rounds: String = test.doubted.iter().map(|rounds| element("li", &line(&doubted(rounds)))).collect();
    let rounds = if rounds.is_empty() { rounds } else { format!("<ul class=\"care\">{rounds}</ul>\n") };
    let remarks: String =
        test.remarks.iter().map(|remark| element("p", &line(&report_part::remark(remark)))).collect();
    let parameters = pairs(test.parameters.iter().cloned());
    let parts: String = test.parts.iter().map(part).collect();
    format!(
        "<table class=\"sheet\">\n<thead><tr><td class=\"running\">{}</td></tr><tr class=\"gap\"><td></td></tr></thead>\n<tbody><tr><td>\n<article>\n<h2>{}</h2>\n<p>{}</p>\n{rounds}{remarks}{parameters}<div class=\"charts\">\n{parts}</div>\n</article>\n</td></tr></tbody>\n</table>\n",
        running_header(report, test),
        escape(&test.title),
        escape(&line(&report_part::headline(&test.headline)))
    )
}

fn part(part: &ReportPart) -> String {
    match part {
        ReportPart::Table(of) => table(of),
        ReportPart::Plot(of) => plot(of).map(|svg| figure(&of.title, &svg)).unwrap_or_default(),
        ReportPart::Columns(columns) => figure(&columns.title, &matrix::columns(&solid(columns))),
        ReportPart::Heat(columns) => figure(&columns.title, &matrix::heat(&solid(columns))),
    }
}

fn solid(columns: &ReportColumns) -> Matrix {
    Matrix {
        // The caption has the title.
        title: String::new(),
        unit: "",
        x_title: columns.x.clone(),
        y_title: columns.z.clone(),
        columns: columns.x_names.clone(),
        rows: columns.z_names.clone(),
        values: columns.values.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_results::finding::LaterFinding;
    use fathom_results::{DoubtedRounds, Evidence, Finding, ReportRemark, Weight};

    #[test]
    fn doubted_rounds_stand_above_everything_else_of_their_test() {
        let doubted = |rounds: &[usize], seconds: &[f64], cells: &[&str]| DoubtedRounds {
            rounds_of: "iops-round".to_owned(),
            rounds: rounds.to_vec(),
            seconds: seconds.to_vec(),
            cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
            finding: Finding {
                evidence: Evidence::Later(LaterFinding {
                    code: "it-stood <still>".to_owned(),
                    evidence: 1.into(),
                }),
                weight: Weight::Low,
                jobs: None,
            },
        };
        for (of, says) in [
            (
                doubted(&[4], &[3360.0], &[]),
                "round 4 of iops-round (56 min): a later version of fathom found it-stood",
            ),
            (
                doubted(&[2, 3], &[3360.0, 3360.0], &["r0-4k"]),
                "rounds 2, 3 of iops-round (56 min each), cell r0-4k: a later",
            ),
            (
                doubted(&[2, 3], &[3360.0, 60.0], &["a", "b"]),
                "rounds 2, 3 of iops-round (56 min, 60 s), cells a, b: a later",
            ),
        ] {
            assert!(super::doubted(&of).contains(says), "{}", super::doubted(&of));
        }
        let one = TestReport {
            remarks: vec![ReportRemark::OverRounds],
            doubted: vec![doubted(&[4], &[60.0], &[])],
            ..TestReport::default()
        };
        let page = test(&StandardReport::default(), &one);
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
        assert!(
            at("Nothing was measured.") < at("it-stood &lt;still&gt;")
                && at("it-stood") < at("Of several rounds")
        );
    }
}
