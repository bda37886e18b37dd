//! The page that shows a run while it is measured.
//!
//! It holds nothing at first. Its script (`live.js`) receives each state of the usual page whole, and shows it as it is, so a reader
//! sees what `fathom report` would print at that moment. It loads nothing but these states, from where it came.

use super::{SCRIPT, STYLE, policy};

const LIVE: &str = include_str!("live.js");

/// The document, and the policy that a server must send with it.
pub fn live_page() -> (String, String) {
    let policy = policy::of_live(STYLE, &[SCRIPT, LIVE]);
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>fathom</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<p class=\"live\" id=\"live\">It is being measured. This page changes every few seconds.</p>\n<main>\n</main>\n<script>{LIVE}</script>\n</body>\n</html>\n"
    );
    (page, policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_loads_nothing_but_the_states_of_the_page() {
        let (page, policy) = live_page();
        assert!(policy.starts_with("default-src 'none'; connect-src 'self'; "));
        assert_eq!(policy.matches("'sha256-").count(), 3);
        assert!(!page.contains("http") && !page.contains("src="));
    }
}
