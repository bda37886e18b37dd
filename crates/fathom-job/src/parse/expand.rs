//! Environment variables and keywords in an option line: `${SIZE}`,
//! `$pagesize`, `$mb_memory`, `$ncpus`.

use super::{Keywords, Surroundings};

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Expanded {
    pub text: String,
    /// Something was replaced.
    pub changed: bool,
    /// A keyword was replaced: arithmetic applies.
    pub keyword: bool,
    /// Variables that are not set, and so became nothing.
    pub undefined: Vec<String>,
    /// A `${` has no `}`.
    pub unclosed: bool,
}

pub(super) fn expand(text: &str, around: &dyn Surroundings) -> Expanded {
    let mut out = variables(text, around);
    if out.text.contains('$') {
        keywords(&mut out, around.keywords());
    }
    out.changed |= out.keyword;
    out
}

fn variables(text: &str, around: &dyn Surroundings) -> Expanded {
    let mut out = Expanded::default();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out.text.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(close) = rest.find('}') else {
            out.unclosed = true;
            break;
        };
        let name = &rest[2..close];
        match around.variable(name) {
            Some(value) => out.text.push_str(&value),
            None => out.undefined.push(name.to_owned()),
        }
        out.changed = true;
        rest = &rest[close + 1..];
    }
    out.text.push_str(rest);
    out
}

fn keywords(out: &mut Expanded, words: Keywords) {
    for (word, n) in [("$pagesize", words.page_size), ("$mb_memory", words.memory_mb), ("$ncpus", words.cpus)]
    {
        if out.text.contains(word) {
            out.text = out.text.replace(word, &n.to_string());
            out.keyword = true;
        }
    }
}

/// Does the text calculate? fio pipes such values to `bc`.
pub(super) fn is_arithmetic(text: &str) -> bool {
    text.contains(['+', '-', '*', '/'])
}
