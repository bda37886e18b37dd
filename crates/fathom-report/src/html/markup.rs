//! Text into markup, safely.

/// Text with everything that could end it escaped, for content and attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are not allowed in a document at all.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// An element around escaped text.
pub(super) fn element(tag: &str, text: &str) -> String {
    format!("<{tag}>{}</{tag}>", escape(text))
}

/// A table of names and values, both plain text.
pub(super) fn pairs(rows: impl Iterator<Item = (String, String)>) -> String {
    let lines: String = rows
        .map(|(name, value)| {
            format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(&name), escape(&value))
        })
        .collect();
    if lines.is_empty() {
        String::new()
    } else {
        format!("<table class=\"pairs\">\n<tbody>\n{lines}</tbody>\n</table>\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes_its_element() {
        assert_eq!(element("b", "<script>'\"&\u{1b}"), "<b>&lt;script&gt;&#39;&quot;&amp;\u{fffd}</b>");
    }
}
