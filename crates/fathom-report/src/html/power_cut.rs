//! The page of a check after a power cut: the verdict, its evidence, and the units that are wrong.

use super::document;
use super::markup::{element, escape, more, pairs};
use super::verdict::capital;
use fathom_results::PowerCutResult;
use fathom_text::calendar::Moment;
use fathom_text::shown;
use fathom_verify::power_cut::CutVerdict;
use fathom_words::power_cut::{evidence, fault, headline};
use std::path::Path;

/// Units that are listed; the document has no more.
const FAULTS_MAX: usize = 100;

/// The whole document. `dir` is where the check is saved.
pub fn power_cut_page(result: &PowerCutResult, dir: &Path) -> String {
    let (class, word) = match result.verdict {
        CutVerdict::Kept => ("good", "kept"),
        CutVerdict::NothingDurable => ("bad", "not valid"),
        CutVerdict::Wrong { .. } => ("bad", "data lost"),
    };
    let checked = Moment::of_unix_ns(result.checked_unix_s.saturating_mul(1_000_000_000));
    let header = format!(
        "<header>\n<p class=\"kicker\">fathom power cut</p>\n<h1>{}</h1>\n<p class=\"meta\"><span class=\"badge {class}\">{word}</span> <span>{checked}</span> <span>{}</span></p>\n</header>\n",
        escape(&result.target),
        escape(&result.id)
    );
    let evidence = evidence(result).into_iter().map(|(name, line)| (name.to_owned(), line));
    let verdict = format!(
        "<section>\n<h2>{}.</h2>\n{}</section>\n",
        escape(&capital(headline(result))),
        pairs(evidence)
    );
    let footer = format!(
        "<footer>\n<p>Saved in {} by fathom {}. This page was made from that directory alone. It loads nothing from a network.</p>\n</footer>\n",
        escape(&shown::path(dir)),
        escape(&result.fathom)
    );
    document(&format!("Power cut: {}", result.target), &[header, verdict, faults(result), footer].concat())
}

/// The units that are wrong; empty where none is.
fn faults(result: &PowerCutResult) -> String {
    let faults = &result.tally.faults;
    let lines: String = faults.iter().take(FAULTS_MAX).map(|it| element("li", &fault(it))).collect();
    if lines.is_empty() {
        return lines;
    }
    let rest = result.tally.wrong().saturating_sub(faults.len().min(FAULTS_MAX) as u64);
    let rest = more(usize::try_from(rest).unwrap_or(usize::MAX), "counts above");
    format!("<section>\n<h2>Units that are wrong</h2>\n<ul class=\"care\">{lines}</ul>\n{rest}</section>\n")
}
