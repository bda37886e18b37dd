//! JUnit's XML, which programs that build and test software show: a test for each job or round, and one for the trust in the
//! figures.

use super::{Case, CaseOutcome, Exported};
use fathom_text::calendar::Moment;
use std::fmt::Write;

pub(super) fn text(result: &Exported) -> String {
    let cases = &result.cases;
    let count = |is: fn(&CaseOutcome) -> bool| cases.iter().filter(|case| is(&case.outcome)).count();
    let failures = count(|it| matches!(it, CaseOutcome::Failed(_)));
    let errors = count(|it| matches!(it, CaseOutcome::Error(_)));
    let skipped = count(|it| matches!(it, CaseOutcome::Skipped(_)));
    let seconds: f64 = cases.iter().filter_map(|case| case.seconds).sum();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\"",
        cases.len()
    );
    let mut out =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fathom\" {counts}>\n");
    // The form has no zone: its times are UTC.
    let started = result.started_unix_ns.map(|ns| format!(" timestamp=\"{}\"", Moment::of_unix_ns(ns).iso()));
    let started = started.unwrap_or_default();
    let _ =
        writeln!(out, "  <testsuite name=\"{}\"{started} {counts}>\n    <properties>", escaped(&result.name));
    let properties = [("run", result.id.as_str()), ("kind", &result.kind)].into_iter();
    let target = result.target.as_deref().map(|target| ("target", target));
    let answer =
        result.answer.iter().map(|(part, text)| (*part, text.as_str())).filter(|(part, _)| *part != "target");
    for (name, value) in properties.chain(target).chain(answer) {
        let _ = writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", escaped(value));
    }
    out += "    </properties>\n";
    cases.iter().for_each(|case| add(&mut out, &result.name, case));
    out + "  </testsuite>\n</testsuites>\n"
}

fn add(out: &mut String, class: &str, case: &Case) {
    let time = case.seconds.map(|seconds| format!(" time=\"{seconds:.3}\"")).unwrap_or_default();
    let _ = writeln!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\"{time}>",
        escaped(class),
        escaped(&case.name)
    );
    match &case.outcome {
        CaseOutcome::Passed => {}
        CaseOutcome::Skipped(why) => {
            let _ = writeln!(out, "      <skipped message=\"{}\"/>", escaped(why));
        }
        CaseOutcome::Error(why) => {
            let _ = writeln!(out, "      <error type=\"not-measured\" message=\"{}\"/>", escaped(why));
        }
        CaseOutcome::Failed(reasons) => {
            let kind = reasons.first().map_or(super::exported::LOW_TRUST, |(code, _)| code.as_str());
            let first = reasons.first().map(|(_, sentence)| sentence.as_str()).unwrap_or_default();
            let all: Vec<&str> = reasons.iter().map(|(_, sentence)| sentence.as_str()).collect();
            let (kind, first, all) = (escaped(kind), escaped(first), escaped(&all.join("\n")));
            let _ = writeln!(out, "      <failure type=\"{kind}\" message=\"{first}\">{all}</failure>");
        }
    }
    if !case.figures.is_empty() {
        let _ = writeln!(out, "      <system-out>{}</system-out>", escaped(&case.figures.join("\n")));
    }
    *out += "    </testcase>\n";
}

/// Text in XML, without the characters that XML 1.0 does not have.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
