//! Comparisons on the terminal at several widths, and as a page.

use crate::compared::{compared, doubted};
use fathom_report::html::comparison_page;
use fathom_report::terminal::{Style, comparison};
use fathom_results::ComparedCells;
use fathom_results::answer::MeasuredJobs;

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

/// A label and the text behind it never touch.
#[test]
fn jobs_that_differ_are_told_for_each_subject() {
    let mut other = compared();
    other.subjects[1].jobs = Some(MeasuredJobs::SuiteCells { suite: "vroc".to_owned(), cells: 3 });
    other.subjects[1].workload = None;
    let cells = |runs_max| ComparedCells { planned: 9, measured: 9, runs_min: 1, runs_max };
    for (cells, told) in [
        (cells(1), "B        after · 9 cells, 1 run each · "),
        (cells(3), "B        after · 9 cells, 1 to 3 runs each · "),
        (ComparedCells { measured: 4, ..cells(1) }, "B        after · 4 of 9 cells, 1 run each · "),
    ] {
        other.subjects[1].cells = Some(cells);
        let text = comparison(&other, false, Style::PLAIN).to_string();
        assert!(text.contains(told), "{text}");
    }
    let text = comparison(&other, false, Style::PLAIN).to_string();
    assert!(text.contains("\njobs A   1 job of 10 s; 4k randread"), "{text}");
    assert!(text.contains("\njobs B   3 cells of the suite vroc\n"), "{text}");
    assert!(comparison_page(&other).contains("<th scope=\"row\">jobs of B</th>"));
}

#[test]
fn snapshot_of_a_comparison_with_another_cause() {
    let pages = [60, 80, 100, 200].map(|width| {
        let text = comparison(&doubted(), false, Style { width, ..Style::PLAIN }).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        let (top, _) = text.split_once("\n\n").unwrap();
        format!("{width} columns\n\n{top}\n")
    });
    let text = pages.join("\n");
    insta::assert_snapshot!("comparison_another_cause", text);
}

/// The first heading of the page is what it answers; the reason, what differs and each step follow it.
#[test]
fn a_page_begins_with_the_cause_that_nobody_tested() {
    let page = comparison_page(&doubted());
    let (_, section) = page.split_once("<section class=\"verdict low\">").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    let mut from = 0;
    for said in [
        "<h2>Not proved: B (after) had an advantage",
        "<p>The blocks that were read were perhaps never written",
        "The figures alone: B (after) is better than A (before)",
        "<strong>scheduler: mq-deadline → none; governor: powersave → not known</strong>",
        "How sure: if nothing had changed",
        "A has 3 runs, B has 3 runs",
        "<li><code>fathom precondition /dev/sda --passes 1</code> writes every block once",
        "<li><code>fathom compare before after</code>",
    ] {
        let at = section[from..].find(said).unwrap_or_else(|| panic!("{said} after {from}:\n{section}"));
        from += at;
    }
    let whole = comparison_page(&compared());
    assert!(!whole.contains("The figures alone") && !whole.contains("<ol"), "one step is no list");
}

#[test]
fn the_runs_of_each_figure_are_shown_or_it_is_said_where_they_are() {
    let page = comparison_page(&doubted());
    assert!(page.contains("<h2>Each run: 11 of the 25 figures</h2>"), "{page}");
    assert!(page.contains("Each run: 14 more figures"), "{page}");
    assert_eq!(page.matches("<figure class=\"strip\">").count(), 25);
    assert!(comparison_page(&compared()).contains("<h2>Each run</h2>"));
    let mut many = doubted();
    many.figures = many.figures.iter().chain(&many.figures).cloned().collect();
    let page = comparison_page(&many);
    assert!(page.contains("10 figures are not drawn; fathom compare with --json has every run"), "{page}");
}

#[test]
fn a_page_tells_every_figure_and_escapes_names() {
    let mut compared = compared();
    compared.subjects[1].name = "<b>x</b>".to_owned();
    let page = comparison_page(&compared);
    let (body, _) = page.split_once("<script>").unwrap();
    assert!(!body.contains("<b>x") && body.contains("&lt;b&gt;x"), "{body}");
    for said in
        ["+12.0 %", "−9.5 to −2.1 %", "about 14 runs of each would decide it", "What differs", "mq-deadline"]
    {
        assert!(body.contains(said), "{said}: {body}");
    }
    assert!(!body.contains("NaN") && !body.contains("inf"), "{body}");
}
