//! The catalogue itself: its names, and whether its texts are complete.

use std::collections::BTreeSet;

use fathom_host::audit::checks;

#[test]
fn ids_are_unique_and_well_formed() {
    let mut seen = BTreeSet::new();
    for check in checks::catalogue() {
        let (family, word) = check.id.split_once('.').expect(check.id);
        let plain = |text: &str| {
            text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
                && !text.is_empty()
        };
        assert!(plain(family) && plain(word), "{}", check.id);
        assert!(seen.insert(check.id), "{} is there twice", check.id);
    }
}

/// A text for readers who do not know the subject needs several sentences.
#[test]
fn every_text_is_there_and_ends_like_a_sentence() {
    for check in checks::catalogue() {
        for (what, text, least) in
            [("why", check.why, 120), ("judged", check.judged, 40), ("remedy", check.remedy, 30)]
        {
            assert!(text.len() >= least, "{}: {what} is too short: {text}", check.id);
            assert!(text.ends_with(['.', '!', '?', ')']), "{}: {what} does not end: {text}", check.id);
        }
        assert!(!check.title.is_empty() && !check.title.ends_with('.'), "{}", check.id);
        assert!(check.reads.len() > 4 && !check.kernels.is_empty(), "{}", check.id);
    }
}

/// The lines of a text in its file are one line for the reader.
#[test]
fn no_text_has_a_line_break_or_a_gap() {
    for check in checks::catalogue() {
        for text in [check.title, check.reads, check.why, check.judged, check.remedy, check.kernels] {
            assert!(!text.contains('\n') && !text.contains("  "), "{}: {text}", check.id);
        }
    }
}
