//! Text into markup, safely.

use fathom_text::{markup, shown};

/// Text for content and attributes, with every character escaped that could end them; control
/// characters, which a document must not contain, are written as on a terminal.
pub(super) fn escape(text: &str) -> String {
    markup::escaped(&shown::block(text))
}

/// An SVG drawing as the address of an image.
pub(super) fn image_uri(svg: &str) -> String {
    let mut out = String::from("data:image/svg+xml,");
    for byte in svg.bytes() {
        match byte {
            // What needs no escape in the data of an address (RFC 3986, 3.3).
            byte if byte.is_ascii_alphanumeric() || b"-._~/:=,;".contains(&byte) => {
                out.push(char::from(byte))
            }
            byte => out.push_str(&format!("%{byte:02x}")),
        }
    }
    out
}

/// An element around escaped text.
pub(super) fn element(tag: &str, text: &str) -> String {
    format!("<{tag}>{}</{tag}>", escape(text))
}

/// A part that is folded away below its heading; empty where it has no body.
pub(super) fn folded(heading: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    format!("<details>\n<summary>{}</summary>\n{body}</details>\n", escape(heading))
}

/// That there is more than is shown, and where; empty where there is not.
pub(super) fn more(rest: usize, place: &str) -> String {
    if rest == 0 {
        String::new()
    } else {
        format!("<p class=\"note\">and {rest} more, in the run's {place}</p>\n")
    }
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
    fn a_drawing_cannot_end_its_attribute() {
        assert_eq!(image_uri("<svg a='1'>\"é"), "data:image/svg+xml,%3csvg%20a=%271%27%3e%22%c3%a9");
    }

    #[test]
    fn nothing_escapes_its_element() {
        assert_eq!(element("b", "<script>'\"&\u{1b}"), "<b>&lt;script&gt;&#39;&quot;&amp;\\x1b</b>");
    }
}
