//! The list of runs as lines for a person: one line a run, cut at the edge of the terminal.

use fathom_session::runs::SavedRun;
use fathom_text::calendar::Moment;
use fathom_text::{carried, shown};
use std::path::Path;

/// What the columns are.
const HEADINGS: [&str; 6] = ["started (UTC)", "id", "name", "measured", "state", "result"];

/// The most characters of each column but the last. The time and the state are never longer; an id
/// has 13 characters.
const MOST: [usize; 5] = [19, 13, 24, 32, 17];

/// This is printed where nothing is known.
const NOTHING: &str = "-";

/// This takes the place of what is cut from a text.
const CUT: char = '…';

/// A line for each run, below a line of headings. Without a width, nothing is cut from the end of a
/// line.
pub(super) fn of(runs: &[SavedRun], width: Option<usize>) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(runs.iter().map(cells));
    let is_narrow = width.is_some_and(|width| width < MEASURED_FROM);
    let widths: Vec<usize> = (0..MOST.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    rows.iter().map(|row| line(row, &widths, width, is_narrow)).collect()
}

/// On a narrower terminal the target is left out, so that there is room for the result.
const MEASURED_FROM: usize = 120;

/// The column of the target.
const MEASURED: usize = 3;

/// What is printed where there is no run.
pub(super) fn none(dir: &Path) -> String {
    let why = if dir.is_dir() { "" } else { ": there is no such directory" };
    format!("no runs are saved in {}{why}\n", shown::path(dir))
}

fn cells(run: &SavedRun) -> [String; 6] {
    let some = |text: Option<&String>| text.map_or(NOTHING.to_owned(), |text| shown::line(text).into_owned());
    let mut cells = match &run.head {
        Ok(head) => [
            Moment::of_unix_ns(head.started_unix_ns).to_string().trim_end_matches(" UTC").to_owned(),
            some(Some(&head.id)),
            some(Some(&head.name)),
            some(head.target.as_ref().or(head.engine.as_ref())),
            head.state.words().to_owned(),
            some(head.headline.as_ref()),
        ],
        Err(why) => {
            let name = carried::of_os(&run.directory);
            let [time, id, measured] = [NOTHING; 3].map(str::to_owned);
            [time, id, some(Some(&name)), measured, "damaged".to_owned(), some(Some(why))]
        }
    };
    cells.iter_mut().zip(MOST).for_each(|(cell, most)| *cell = cut(cell, most));
    cells
}

fn line(row: &[String; 6], widths: &[usize], width: Option<usize>, is_narrow: bool) -> String {
    let columns = row.iter().zip(widths).enumerate().filter(|(at, _)| !(is_narrow && *at == MEASURED));
    let padded = columns.map(|(_, (cell, width))| format!("{cell:<width$}  "));
    let line = padded.collect::<String>() + &row[widths.len()];
    let line = line.trim_end();
    format!("{}\n", width.map_or(line.to_owned(), |width| cut(line, width)))
}

/// The text, in at most so many characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain([CUT]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_session::runs::{RunHead, RunState};

    fn run(name: &str, headline: Option<&str>) -> SavedRun {
        let head = RunHead {
            id: "0a1b2c".to_owned(),
            name: name.to_owned(),
            started_unix_ns: 1_795_232_326_000_000_000,
            target: Some("/dev/nvme0n1".to_owned()),
            engine: Some("io_uring".to_owned()),
            state: RunState::Complete,
            headline: headline.map(str::to_owned),
        };
        SavedRun { directory: "20261121-033846Z-quick-0a1b2c".into(), head: Ok(head) }
    }

    #[test]
    fn a_line_for_each_run_that_fits() {
        let damaged = SavedRun { directory: "old".into(), head: Err("run.json is cut".to_owned()) };
        let runs = [run("quick", Some("63.1k read IOPS")), run("j", None), damaged];
        let whole = "\
started (UTC)        id      name   measured      state     result
2026-11-21 03:38:46  0a1b2c  quick  /dev/nvme0n1  complete  63.1k read IOPS
2026-11-21 03:38:46  0a1b2c  j      /dev/nvme0n1  complete  -
-                    -       old    -             damaged   run.json is cut
";
        assert_eq!(of(&runs, None), whole);
        let narrow = of(&runs, Some(66));
        let lines: Vec<&str> = narrow.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 66), "{narrow}");
        assert!(lines[1].ends_with("complete  63.1k read IOPS") && !narrow.contains("/dev/"), "{narrow}");
        assert_eq!(of(&runs, Some(1)), "…\n…\n…\n…\n");
    }

    #[test]
    fn a_name_from_outside_makes_no_line_and_no_colour() {
        let text = of(&[run("a\n\u{1b}[2J\u{ef0a}", Some(&"long ".repeat(100)))], Some(80));
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains("a\\n\\x1b[2J\\n"), "{text}");
        assert!(of(&[run(&"x".repeat(99), None)], None).contains(&format!("  {}…  ", "x".repeat(23))));
    }
}
