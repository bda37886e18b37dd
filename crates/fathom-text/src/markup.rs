//! Text inside HTML and XML.

/// Text for content and attributes, with every character escaped that could end them. Escape
/// control characters, which a document must not contain, with [`crate::shown`] first.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_what_it_stands_in() {
        assert_eq!(escaped("<a b='1' c=\"2\">&ü"), "&lt;a b=&#39;1&#39; c=&quot;2&quot;&gt;&amp;ü");
    }
}
