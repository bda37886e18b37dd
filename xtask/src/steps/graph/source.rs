//! The part of a source file that ships: without comments, without what only tests compile.
//!
//! It relies on the format that the step before has checked: an item ends at the first line that
//! closes it at its own indentation. So no parser is needed.

/// A line that ships, with its number in the file.
#[derive(Debug, PartialEq)]
pub struct Line<'a> {
    /// Counted from one.
    pub number: usize,
    /// The code, without indentation or trailing comment.
    pub code: &'a str,
}

/// The lines of `text` that reach a release build.
pub fn shipped(text: &str) -> Vec<Line<'_>> {
    let mut lines = text.lines().enumerate();
    let mut shipped = Vec::new();
    while let Some((index, line)) = lines.next() {
        let code = without_comment(line).trim();
        if code.starts_with("#[cfg(test)]") || code.starts_with("#[test]") {
            skip_item(indentation(line), &mut lines);
        } else if !code.is_empty() {
            shipped.push(Line { number: index + 1, code });
        }
    }
    shipped
}

/// Skips an item and the attributes before it.
fn skip_item<'a>(indented: usize, lines: &mut impl Iterator<Item = (usize, &'a str)>) {
    for (_, line) in lines {
        let code = without_comment(line).trim();
        let closes = code.starts_with('}') || code.ends_with(';') || code.ends_with("{}");
        if indentation(line) == indented && closes {
            return;
        }
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Cuts at `//`, unless it is part of an address such as `https://`.
fn without_comment(line: &str) -> &str {
    let starts = line.match_indices("//").map(|(at, _)| at);
    let cut = starts.into_iter().find(|&at| !line[..at].ends_with(':'));
    cut.map_or(line, |at| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Vec<&str> {
        shipped(text).into_iter().map(|line| line.code).collect()
    }

    #[test]
    fn comments_do_not_ship() {
        assert_eq!(code("//! println!\nlet a = 1; // println!\n\n"), ["let a = 1;"]);
        assert_eq!(code("let a = \"http://x\";"), ["let a = \"http://x\";"]);
    }

    #[test]
    fn what_only_tests_compile_does_not_ship() {
        let text = "\
fn kept() {
    if a {
    }
}

#[cfg(test)]
mod tests;

impl A {
    #[cfg(test)]
    pub fn probe() {
        if a {
            b();
        }
    }

    fn also_kept() {}
}

#[cfg(test)]
#[allow(dead_code)]
mod more {
    fn gone() {}
}
";
        let kept = ["fn kept() {", "if a {", "}", "}", "impl A {", "fn also_kept() {}", "}"];
        assert_eq!(code(text), kept);
    }

    #[test]
    fn lines_keep_their_number() {
        assert_eq!(shipped("\n// no\nuse x;")[0].number, 3);
    }
}
