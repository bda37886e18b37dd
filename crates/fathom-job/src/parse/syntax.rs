//! Job text to lines with places. Reading never fails: a line that is not a section, option or include
//! becomes [`Body::Bad`], and reading goes on.
//!
//! fio's rules: a line ends at the first `;` or `#`, whatever is around it;
//! blanks at both ends do not count; a line that begins with the word
//! `include` names a file.

use super::{Keywords, Surroundings};

/// fio's buffer for a line.
const LINE_MAX: usize = 8192;
/// fio's buffer for a section name.
const NAME_MAX: usize = 255;

/// A part of a line and its place, in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The text.
    pub text: String,
    /// Its first character, from 1.
    pub column: usize,
}

/// A line that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// The whole line, comment and all.
    pub text: &'a str,
    /// What it says.
    pub body: Body,
    /// A comment that begins right after a character that is not a blank: it may
    /// have been meant as part of the value.
    pub cut: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// `[name]`.
    Section(Part),
    /// `name=value`, or `name` alone.
    Option(Part, Option<Part>),
    /// `include path`.
    Include(Part),
    /// None of these: code, message, place.
    Bad(&'static str, String, Part),
}

/// The lines of a text, without empty ones and comments. Some editors begin a text with a byte
/// order mark, which has no meaning in UTF-8.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().enumerate().filter_map(|(i, line)| read(i + 1, line))
}

fn read(number: usize, line: &str) -> Option<Line<'_>> {
    let end = line.find([';', '#']).unwrap_or(line.len());
    let content = part(line, 0, end);
    if content.text.is_empty() {
        return None;
    }
    let cut = end < line.len() && !line[..end].ends_with(char::is_whitespace);
    let cut = cut.then(|| line[..end].chars().count() + 1);
    let body = if line.chars().count() > LINE_MAX {
        let message = format!("the line is longer than {LINE_MAX} characters");
        Body::Bad("line-too-long", message, Part { text: String::new(), column: 1 })
    } else {
        body(line, end, content)
    };
    Some(Line { number, text: line, body, cut })
}

/// The trimmed text of `line[from..to]`.
fn part(line: &str, from: usize, to: usize) -> Part {
    let text = &line[from..to];
    let lead = text.len() - text.trim_start().len();
    Part { text: text.trim().to_owned(), column: line[..from + lead].chars().count() + 1 }
}

fn body(line: &str, end: usize, content: Part) -> Body {
    if content.text.starts_with('[') {
        return section(content);
    }
    if let Some(path) =
        content.text.strip_prefix("include").filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    {
        return match path.trim() {
            "" => Body::Bad("bad-include", "include needs a file name".to_owned(), content),
            path => {
                let start = content.text.len() - path.len();
                let column = content.column + content.text[..start].chars().count();
                Body::Include(Part { text: path.to_owned(), column })
            }
        };
    }
    match line[..end].find('=') {
        None => Body::Option(content, None),
        Some(at) => {
            let name = part(line, 0, at);
            if name.text.is_empty() {
                return Body::Bad("missing-name", "no option name before `=`".to_owned(), content);
            }
            Body::Option(name, Some(part(line, at + 1, end)))
        }
    }
}

/// The code of a section whose name cannot be read.
pub(crate) const BAD_SECTION: &str = "bad-section";

fn section(content: Part) -> Body {
    let Some(close) = content.text.rfind(']') else {
        return Body::Bad(BAD_SECTION, "the section name has no `]`".to_owned(), content);
    };
    let name = content.text[1..close].trim();
    if close + 1 < content.text.len() {
        return Body::Bad(BAD_SECTION, "text after the section name".to_owned(), content);
    }
    if name.is_empty() {
        return Body::Bad(BAD_SECTION, "the section has no name".to_owned(), content);
    }
    if name.chars().count() > NAME_MAX {
        return Body::Bad(BAD_SECTION, format!("the name is longer than {NAME_MAX} characters"), content);
    }
    Body::Section(Part { text: name.to_owned(), column: content.column })
}

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
