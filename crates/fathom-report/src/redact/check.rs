//! The last look at a report of a redacted run: is a private name still in it?
//!
//! The names are replaced in the run, so a report has none, unless a text has a form that nobody thought of. This check
//! knows nothing of how they were replaced: it searches the finished text, also as it is written in addresses, in markup,
//! in JSON and in base64.

use super::names_found;
use super::ordinary::is_ordinary;
use crate::html::policy;
use std::collections::BTreeSet;

/// Names that are not longer say too little to search for.
const LONGER_THAN: usize = 3;

/// A name of this length is searched inside other words too.
const DISTINCT: usize = 8;

/// The part of a name in base64 that does not depend on its neighbours; a shorter one is found by chance.
const BASE64_MIN: usize = 6;

/// What a report of a redacted run must not hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Private {
    /// Names that are no ordinary words of reports.
    pub(super) names: Vec<String>,
    /// Parts of private paths, which may be common words; they are private in a path.
    pub(super) parts: BTreeSet<String>,
}

/// A private name that is still in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRedacted {
    /// The name.
    pub name: String,
}

impl core::fmt::Display for NotRedacted {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "the report could not be redacted: {:?} would still be in it", self.name)
    }
}

impl core::error::Error for NotRedacted {}

impl Private {
    /// The first name that is in a report.
    pub(super) fn is_not_in(&self, report: &str) -> Result<(), NotRedacted> {
        // Style and script are the same for every run.
        let report = report.replace(crate::html::STYLE, "").replace(crate::html::SCRIPT, "");
        let unmarked = without_entities(&report);
        let decoded = without_percents(&unmarked);
        let texts = [report.as_str(), &unmarked, &decoded];
        let long = self.names.iter().filter(|name| name.chars().count() > LONGER_THAN);
        let found = long.into_iter().find(|name| texts.iter().any(|text| has(text, name)));
        match found.or_else(|| texts.iter().find_map(|text| self.part_of_path(text))) {
            Some(name) => Err(NotRedacted { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// A part of a private path that is in a path of a text.
    fn part_of_path(&self, text: &str) -> Option<&String> {
        let paths = names_found::paths(text).into_iter().filter(|path| !path.starts_with("//"));
        let mut parts = paths.flat_map(|path| path.split('/').map(str::to_owned).collect::<Vec<_>>());
        parts.find_map(|part| {
            self.parts.get(&part).filter(|it| it.len() > LONGER_THAN && !names_found::is_of_system(it))
        })
    }
}

/// Is a name in a text, as it is or as JSON, a terminal or base64 writes it?
fn has(text: &str, name: &str) -> bool {
    let json = serde_json::Value::from(name).to_string();
    let written = [name, json.trim_matches('"'), &fathom_text::shown::block(name), &in_file_name(name)]
        .map(str::to_owned);
    let is_in = |name: &String| {
        let mut places = text.match_indices(name.as_str());
        places.any(|(at, _)| name.len() >= DISTINCT || names_found::is_word(text, at, at + name.len()))
    };
    written.iter().any(is_in) || base64(name.as_bytes()).iter().any(|code| text.contains(code))
}

/// A name as a part of the name of a saved directory.
fn in_file_name(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let written: String = name.chars().map(kept).collect();
    let written = written.trim_matches(['-', '.']);
    // A short one, or one that is left as an ordinary word, is a word of other texts, and it is the name itself where no sign
    // was replaced.
    if written.len() < DISTINCT || is_ordinary(written) { name.to_owned() } else { written.to_owned() }
}

/// A name in base64, at each place of a group of three bytes.
fn base64(name: &[u8]) -> Vec<String> {
    let at = |before: usize| {
        // The bytes that share a letter with a neighbour are left out.
        let inner = &name[(3 - before) % 3..];
        policy::base64(&inner[..inner.len() / 3 * 3])
    };
    (0..3).filter(|before| name.len() > 3 - before).map(at).filter(|code| code.len() >= BASE64_MIN).collect()
}

/// Markup as the text that a reader sees.
fn without_entities(text: &str) -> String {
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    signs.iter().fold(text.to_owned(), |text, (code, sign)| text.replace(code, sign))
}

/// Addresses as text: `%20` is a blank.
fn without_percents(text: &str) -> String {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private() -> Private {
        let names =
            ["S4E.img", "größe & more", "SN-4711-X", "web01", "randread!"].map(str::to_owned).to_vec();
        Private { names, parts: BTreeSet::from(["acme".to_owned(), "disk".to_owned()]) }
    }

    #[test]
    fn a_leak_is_found_in_every_spelling() {
        for (report, name) in [
            ("secret S4E.img on vda", "S4E.img"),
            ("src=\"data:image/svg+xml,%3ctext%3esecret%20S4E.img%3c/text%3e\"", "S4E.img"),
            ("data:,S4E%2eimg", "S4E.img"),
            ("<td>größe &amp; more</td>", "größe & more"),
            ("data:,gr%c3%b6%c3%9fe%20%26%20more", "größe & more"),
            ("base64,eFNOLTQ3MTEtWA==", "SN-4711-X"),
            ("base64,U04tNDcxMS1Y", "SN-4711-X"),
            ("base64,eHhTTi00NzExLVg=", "SN-4711-X"),
            ("xSN-4711-Xy", "SN-4711-X"),
            ("on web01.", "web01"),
            ("in 0002-gr--e---more", "größe & more"),
            ("saved in file-1: /mnt/acme/x", "acme"),
        ] {
            assert_eq!(private().is_not_in(report), Err(NotRedacted { name: name.to_owned() }), "{report}");
        }
    }

    #[test]
    fn other_texts_are_no_leak() {
        let words = ["acme is a word, and disk too", "</disk> /sys/block/disk/x 5 MB/s", "randread"];
        for report in words.into_iter().chain(["web012", "S4E"]) {
            assert_eq!(private().is_not_in(report), Ok(()), "{report}");
        }
    }
}
