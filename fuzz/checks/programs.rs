//! Any bytes as what another program printed: reading never panics, and no figure is impossible.

use fathom_figures::programs::PROGRAM_FORMATS;

/// Fails if these bytes are read in another way than the rule of this file says.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for format in PROGRAM_FORMATS {
        let is_it = (format.is_it)(&text);
        // A parser is asked for files of its own form only, but must survive any.
        for result in (format.parse)(&text) {
            assert!(!is_it || result.program == format.program);
            for figure in result.rows.iter().flat_map(|row| &row.figures) {
                assert!(figure.value.is_finite() && (0.0..=1e15).contains(&figure.value), "{figure:?}");
                assert!(figure.n > 0, "{figure:?}");
            }
            assert_eq!(result.labels().len(), result.rows.len());
        }
    }
}
