//! Comparisons on the terminal at several widths, and as a page.

use crate::compared::compared;
use fathom_report::html::comparison_page;
use fathom_report::terminal::{Style, comparison};

#[test]
fn snapshot_of_a_comparison() {
    for width in [60, 80, 100, 200] {
        let style = Style { width, ..Style::PLAIN };
        let text = comparison(&compared(), false, style).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        insta::assert_snapshot!(format!("comparison_{width}"), text);
    }
    insta::assert_snapshot!("comparison_details", comparison(&compared(), true, Style::PLAIN).to_string());
}

#[test]
fn a_page_tells_every_figure_and_escapes_names() {
    let mut compared = compared();
    compared.subjects[1].name = "<b>x</b>".to_owned();
    let page = comparison_page(&compared);
    let (body, _) = page.split_once("<script>").unwrap();
    assert!(!body.contains("<b>x") && body.contains("&lt;b&gt;x"), "{body}");
    for said in
        ["+12.0 %", "−9.5 to −2.1 %", "about 14 runs of each would tell", "What differs", "mq-deadline"]
    {
        assert!(body.contains(said), "{said}: {body}");
    }
    assert!(!body.contains("NaN") && !body.contains("inf"), "{body}");
}
