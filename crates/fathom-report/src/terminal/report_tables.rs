//! The tables of a report on the terminal: a line for each part, then the tables, as far as there is room.

use super::answer::part;
use crate::text::{doubted, of_test};
use fathom_results::{ReportPart, ReportTable, StandardReport, TableCell, TestReport};
use fathom_text::number::reported;
use fathom_text::painted::Painted;
use fathom_text::shown::line;
use fathom_text::style::Style;
use fathom_text::table::Table;
use fathom_words::{deviation, report_part, settled};

/// A table that is cut has at least so many rows; with fewer it says nothing.
const ROWS_MIN: usize = 2;

/// The group of the header that the terminal leaves out of tables side by side: it is the machine of the first run, and in what the
/// others differ is told.
const PLATFORM: &str = "Test platform";

/// Tables that are no procedure's own: what they are of, what to know before they are used, and all of them.
pub fn standard_tables(report: &StandardReport, style: Style) -> Painted {
    let labelled = |label: &str, text: &str| part(label, &line(text), usize::MAX, style, str::to_owned);
    let mut text = part("tables", &line(&report.standard), usize::MAX, style, |line| style.strong(line));
    let groups = report.header.iter().filter(|group| group.title != PLATFORM);
    for (name, told) in groups.flat_map(|group| &group.entries) {
        text += &part("", &line(&format!("{name}: {told}")), 1, style, str::to_owned);
    }
    for (place, deviation) in report.deviations.iter().enumerate() {
        text += &labelled(if place == 0 { "care" } else { "" }, &deviation::in_report(deviation));
    }
    for test in &report.tests {
        text += "\n";
        text += &labelled("", &of_test(test));
        test.remarks.iter().for_each(|remark| text += &labelled("", &report_part::remark(remark)));
        tables(test).for_each(|table| text += &rendered(table, table.rows.len(), usize::MAX, style));
    }
    style.page(&format!("{text}\n"))
}

/// What the report found; at most `room` lines.
pub(super) fn report_tables(report: &StandardReport, room: usize, style: Style) -> String {
    if let Some(all) = merged(report) {
        return rendered(&all, all.rows.len().min(room.saturating_sub(2).max(1)), 1, style);
    }
    // Behind the details, what each test came to stands above.
    let has_headlines = report.tests.len() > 1 && room != usize::MAX;
    let mut text = if has_headlines { headlines(report, room, style) } else { String::new() };
    let mut left_out = 0;
    let title_lines = if room == usize::MAX { usize::MAX } else { 1 };
    for table in report.tests.iter().flat_map(tables) {
        let used = text.lines().count();
        // Title, heading, a note that rows are missing.
        let rows = room.saturating_sub(used).saturating_sub(3);
        let rendered = rendered(table, rows.min(table.rows.len()), title_lines, style);
        if rows < ROWS_MIN.min(table.rows.len()) || used + rendered.lines().count() > room {
            left_out += 1;
            continue;
        }
        text += &rendered;
    }
    if left_out > 0 {
        text += &style.faint(&format!("  … {left_out} more in the page and in --details\n"));
    }
    text
}

/// The deviations from the standard that are not in `known`, then the result of each test with its doubts and remarks.
pub(super) fn of_tests(report: &StandardReport, known: &[String], style: Style) -> String {
    let labelled = |label: &str, text: &str| part(label, &line(text), usize::MAX, style, str::to_owned);
    let label = |place: usize| if place == 0 { "care" } else { "" };
    let care = report.deviations.iter().map(deviation::in_report);
    let care = care.filter(|text| !known.contains(text)).enumerate();
    let with_doubts = |test: &TestReport| {
        let doubts = test.doubted.iter().map(doubted);
        let below: String = doubts
            .chain(test.remarks.iter().map(report_part::remark))
            .map(|text| labelled("", &text))
            .collect();
        labelled("", &of_test(test)) + &below
    };
    let care: String = care.map(|(place, text)| labelled(label(place), &text)).collect();
    care + &report.tests.iter().map(with_doubts).collect::<String>()
}

fn tables(test: &TestReport) -> impl Iterator<Item = &ReportTable> {
    test.parts.iter().filter_map(|part| match part {
        ReportPart::Table(table) => Some(table),
        _ => None,
    })
}

/// One table of parts that have one table with one row each, as those of a guide whose jobs follow each other. A figure that a part
/// does not have stays empty. A table keeps its own place where its title says more than its part does: of a table of one figure,
/// only the title says which figure it is.
fn merged(report: &StandardReport) -> Option<ReportTable> {
    let all: Option<Vec<(&TestReport, &ReportTable)>> = report
        .tests
        .iter()
        .map(|test| {
            let mut tables = tables(test);
            let only = tables.next().filter(|table| table.rows.len() == 1 && table.title == test.title)?;
            tables.next().is_none().then_some((test, only))
        })
        .collect();
    let all = all.filter(|all| all.len() > 1)?;
    let mut columns: Vec<String> = Vec::new();
    for name in all.iter().flat_map(|(_, table)| table.columns.iter().skip(1)) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    let row = |(test, table): &(&TestReport, &ReportTable)| {
        let cell = |name: &String| {
            let place = table.columns.iter().position(|known| known == name);
            place.and_then(|place| table.rows[0].get(place)).cloned().unwrap_or_else(|| "".into())
        };
        std::iter::once(test.name.as_str().into()).chain(columns.iter().map(cell)).collect()
    };
    let rows = all.iter().map(row).collect();
    columns.insert(0, String::new());
    Some(ReportTable { title: String::new(), columns, rows })
}

/// A line for each part.
fn headlines(report: &StandardReport, room: usize, style: Style) -> String {
    let shown = report.tests.len().min(room.saturating_sub(1).max(1));
    let line_of = |test: &TestReport| part("", &line(&of_test(test)), 1, style, str::to_owned);
    let text: String = report.tests.iter().take(shown).map(line_of).collect();
    match report.tests.len() - shown {
        0 => text,
        more => text + &style.faint(&format!("  … {more} more in the page and in --details\n")),
    }
}

fn rendered(table: &ReportTable, rows: usize, title_lines: usize, style: Style) -> String {
    let words = |cells: &Vec<TableCell>| cells.iter().map(word).collect::<Vec<String>>();
    let heading = table.columns.iter().map(|name| line(name).into_owned()).collect();
    let all: Vec<Vec<String>> =
        std::iter::once(heading).chain(table.rows.iter().take(rows).map(words)).collect();
    let more = match table.rows.len() - rows {
        0 => String::new(),
        more => style.faint(&format!("  … {more} more rows\n")),
    };
    let title = match table.title.is_empty() {
        true => String::new(),
        false => part("", &line(&table.title), title_lines, style, |line| style.faint(line)),
    };
    format!("{title}{}{more}", Table { rows: all }.render(style))
}

fn word(cell: &TableCell) -> String {
    match cell {
        TableCell::Number(value) => reported(*value),
        TableCell::Text(text) => line(text).into_owned(),
        TableCell::NotSettled(why) => line(&settled::all(why)).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_results::answer::Deviation;
    use fathom_results::{ReportHeadline, ReportRemark};

    fn report(tests: usize, rows: usize) -> StandardReport {
        let row = |n: usize| vec![TableCell::from(format!("depth {n}")), TableCell::from(1_000.0 * n as f64)];
        let table = |rows: usize| ReportTable {
            title: "reads".to_owned(),
            columns: vec!["cell".to_owned(), "IOPS".to_owned()],
            rows: (1..=rows).map(row).collect(),
        };
        let test = |n: usize| TestReport {
            name: format!("t{n}"),
            title: "reads".to_owned(),
            headline: ReportHeadline::TooShort,
            parts: vec![ReportPart::Table(table(rows))],
            ..TestReport::default()
        };
        StandardReport { tests: (1..=tests).map(test).collect(), ..StandardReport::default() }
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let style = Style { width: 80, ..Style::PLAIN };
        let all = report_tables(&report(1, 3), usize::MAX, style);
        assert!(all.contains("depth 3") && all.contains("3,000") && !all.contains("more"), "{all}");
        let cut = report_tables(&report(1, 9), 7, style);
        assert!(cut.contains("depth 4") && cut.contains("5 more rows") && cut.lines().count() <= 7, "{cut}");
        let merged = report_tables(&report(3, 1), 9, style);
        assert!(merged.lines().count() == 4 && merged.contains("IOPS"), "{merged}");
        let several = report_tables(&report(3, 9), 5, style);
        assert!(
            several.contains("reads: The rounds were shorter") && several.contains("3 more in the page"),
            "{several}"
        );
    }

    /// Tables of one figure have the figure in their title only, so they are not joined.
    #[test]
    fn tables_of_one_figure_keep_their_titles() {
        let mut report = report(3, 1);
        for (test, figure) in report.tests.iter_mut().zip(["IOPS", "MB/s", "mean µs"]) {
            let [ReportPart::Table(table)] = &mut test.parts[..] else { panic!("no table") };
            table.title = format!("reads: {figure}");
            table.columns[1] = "W1".to_owned();
            let runs = vec![format!("W1 {figure}")];
            test.remarks = vec![ReportRemark::OfRuns { runs, of: Box::new(ReportRemark::OverRounds) }];
        }
        let (run, first) = ("W2".to_owned(), "W1".to_owned());
        let [now, before] = ["64k", "4k"].map(|value| Some(value.to_owned()));
        let differs =
            Deviation::RunsDiffer { run, what: "bs".to_owned(), now, before, first, is_given: true };
        report.deviations = vec![differs.into()];
        let style = Style { width: 80, ..Style::PLAIN };
        let beside = standard_tables(&report, style).to_string();
        for text in [&beside, &report_tables(&report, usize::MAX, style)] {
            let titles = ["reads: IOPS", "reads: MB/s", "reads: mean µs"];
            assert!(titles.iter().all(|title| text.contains(title)), "{text}");
        }
        assert!(
            beside.contains("W1 MB/s: Of several rounds") && beside.contains("W2: bs is 64k"),
            "{beside}"
        );
    }
}
