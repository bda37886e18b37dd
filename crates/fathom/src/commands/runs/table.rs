//! The list of runs as lines for a person: one line a run, cut at the edge of the terminal.
//!
//! A narrow terminal shows the same runs with shorter columns: of the time the date, of the id as much
//! as tells it from the others, of a path its end. The state is shown where it is not `complete`.

use fathom_results::SCRATCH;
use fathom_session::runs::{RunHead, SavedRun, Unreadable};
use fathom_text::calendar::Moment;
use fathom_text::table;
use fathom_text::{carried, cell, shown};
use std::path::Path;

/// This is printed where nothing is known.
const NOTHING: &str = "-";

/// This takes the place of what is cut from a text.
const CUT: char = '…';

/// The fewest characters of an id.
const ID_MIN_CHARS: usize = 6;

/// What is printed where no directory has a run.
pub(super) const NONE_AT_ALL: &str = "no runs are saved\n";

/// The most characters of each column but the last.
struct Form {
    time: usize,
    name: usize,
    measured: usize,
    /// 0 where the state is a part of the result.
    state: usize,
    /// 0 where tags are not shown.
    tags: usize,
    has_whole_id: bool,
}

/// Time to the second, the whole id, and columns for the state and the tags.
const WIDE: Form = Form { time: 19, name: 24, measured: 32, state: 17, tags: 24, has_whole_id: true };

/// Time to the minute.
const USUAL: Form = Form { time: 16, name: 14, measured: 16, state: 0, tags: 0, has_whole_id: false };

/// The date alone.
const NARROW: Form = Form { time: 10, name: 10, measured: 12, state: 0, tags: 0, has_whole_id: false };

/// The form for a terminal of this width; without a width, nothing has to fit.
fn form(columns: Option<usize>) -> Form {
    match columns {
        None | Some(120..) => WIDE,
        Some(80..) => USUAL,
        Some(_) => NARROW,
    }
}

/// How many characters of the ids tell these runs from each other.
pub(super) fn id_chars(runs: &[SavedRun]) -> usize {
    let mut ids: Vec<&str> = runs.iter().filter_map(SavedRun::id).collect();
    ids.sort_unstable();
    ids.dedup();
    let common = |pair: &[&str]| pair[0].chars().zip(pair[1].chars()).take_while(|(a, b)| a == b).count();
    ids.windows(2).map(|pair| common(pair) + 1).max().unwrap_or(0).max(ID_MIN_CHARS)
}

/// A line for each run, below a line of headings. Without a width, nothing is cut from the end of a
/// line.
pub(super) fn of(runs: &[&SavedRun], id_chars: usize, columns: Option<usize>) -> String {
    let form = form(columns);
    let has_tags =
        form.tags > 0 && runs.iter().any(|run| run.head.as_ref().is_ok_and(|head| !head.tags.is_empty()));
    let time = if form.has_whole_id { "started (UTC)" } else { "started" };
    let mut rows = vec![[time, "id", "name", "measured", "state", "tags", "result"].map(str::to_owned)];
    rows.extend(runs.iter().map(|run| cells(run, &form, id_chars)));
    let is_shown = |column: usize| match column {
        STATE => form.state > 0,
        TAGS => has_tags,
        _ => true,
    };
    let shown = |row: [String; 7]| {
        row.into_iter().enumerate().filter(|(at, _)| is_shown(*at)).map(|(_, cell)| cell).collect()
    };
    let lines = table::lines(&rows.into_iter().map(shown).collect::<Vec<_>>());
    lines
        .into_iter()
        .map(|line| columns.map_or(line.clone(), |columns| cell::cut(&line, columns)) + "\n")
        .collect()
}

/// The places of columns that are not always shown.
const STATE: usize = 4;
const TAGS: usize = 5;

/// What is printed where there is no run.
pub(super) fn none(dir: &Path) -> String {
    let why = if dir.is_dir() { "" } else { ": there is no such directory" };
    format!("no runs are saved in {}{why}\n", shown::path(dir))
}

/// What is printed where the filters leave none of so many runs.
pub(super) fn none_fits(count: usize) -> String {
    match count {
        1 => "the one saved run does not fit the filters\n".to_owned(),
        _ => format!("none of the {count} saved runs fits the filters\n"),
    }
}

fn cells(run: &SavedRun, form: &Form, id_chars: usize) -> [String; 7] {
    let some = |text: Option<&String>| text.map_or(NOTHING.to_owned(), |text| shown::line(text).into_owned());
    let id = |id: &str| match form.has_whole_id {
        true => shown::line(id).into_owned(),
        false => shown::line(id).chars().take(id_chars).collect(),
    };
    match &run.head {
        Ok(head) => {
            let (state, result) = (head.state.words(), some(head.headline.as_ref()));
            let result = match (form.state, state, &head.headline) {
                (1.., ..) | (_, "complete", _) => result,
                (_, state, None) => state.to_owned(),
                (_, state, Some(_)) => format!("{state}: {result}"),
            };
            let moment = Moment::of_unix_ns(head.started_unix_ns).to_string();
            [
                moment.chars().take(form.time).collect(),
                cell::cut(&id(&head.id), WIDE_ID),
                cell::cut(&some(Some(&head.name)), form.name),
                cut_front(&shown::line(measured(head)), form.measured),
                cell::cut(state, form.state),
                cell::cut(&shown::line(&head.tags.join(" ")), form.tags),
                result,
            ]
        }
        Err(Unreadable { state, why }) => {
            let [time, measured] = [NOTHING; 2].map(str::to_owned);
            let name = cell::cut(&some(Some(&carried::of_os(run.directory()))), form.name);
            let result = match form.state {
                0 => format!("{}: {}", state.word(), shown::line(why)),
                _ => shown::line(why).into_owned(),
            };
            let id = run.id().map_or(NOTHING.to_owned(), id);
            [time, id, name, measured, cell::cut(state.word(), form.state), String::new(), result]
        }
    }
}

/// The target. Of a scratch file, which is gone, the disk is told.
fn measured(head: &RunHead) -> &str {
    let Some(target) = &head.target else { return head.engine.as_deref().unwrap_or(NOTHING) };
    let is_scratch = target.rsplit('/').next().is_some_and(|name| name.starts_with(SCRATCH));
    let disk = head.devices.iter().find(|device| is_scratch && device.starts_with("/dev/"));
    disk.unwrap_or(target)
}

/// An id has 13 characters; one that fathom did not make may have more.
const WIDE_ID: usize = 13;

/// The end of a text, in at most so many characters: that of a path says more than its beginning.
fn cut_front(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    [CUT].into_iter().chain(text.chars().skip(count + 1 - most)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_session::runs::{RunHead, RunState, UnreadableState};

    fn run(name: &str, headline: Option<&str>) -> SavedRun {
        let head = RunHead {
            id: "0a1b2cq3mjk7z".to_owned(),
            name: name.to_owned(),
            started_unix_ns: 1_795_232_326_000_000_000,
            target: Some("/mnt/fast/data/nvme.img".to_owned()),
            engine: Some("io_uring".to_owned()),
            state: if headline.is_some() { RunState::Complete } else { RunState::Unfinished },
            headline: headline.map(str::to_owned),
            note: None,
            tags: Vec::new(),
            devices: Vec::new(),
        };
        SavedRun { path: "fathom-runs/20261121-033846Z-quick-0a1b2cq3mjk7z".into(), head: Ok(head) }
    }

    fn text(runs: &[SavedRun], columns: Option<usize>) -> String {
        of(&runs.iter().collect::<Vec<_>>(), id_chars(runs), columns)
    }

    #[test]
    fn a_line_for_each_run_that_fits() {
        let why = Unreadable { state: UnreadableState::Damaged, why: "run.json is cut".to_owned() };
        let damaged = SavedRun { path: "old".into(), head: Err(why) };
        let runs = [run("quick", Some("63.1k read IOPS, 980 MB/s")), run("j", None), damaged];
        let whole = "\
started (UTC)        id             name   measured                 state              result
2026-11-21 03:38:46  0a1b2cq3mjk7z  quick  /mnt/fast/data/nvme.img  complete           63.1k read IOPS, 980 MB/s
2026-11-21 03:38:46  0a1b2cq3mjk7z  j      /mnt/fast/data/nvme.img  running or killed  -
-                    -              old    -                        damaged            run.json is cut
";
        assert_eq!(text(&runs, None), whole);
        let usual = "\
started           id      name   measured          result
2026-11-21 03:38  0a1b2c  quick  …t/data/nvme.img  63.1k read IOPS, 980 MB/s
2026-11-21 03:38  0a1b2c  j      …t/data/nvme.img  running or killed
-                 -       old    -                 damaged: run.json is cut
";
        assert_eq!(text(&runs, Some(80)), usual);
        let narrow = "\
started     id      name   measured      result
2026-11-21  0a1b2c  quick  …ta/nvme.img  63.1k read IOPS, 9…
2026-11-21  0a1b2c  j      …ta/nvme.img  running or killed
-           -       old    -             damaged: run.json …
";
        assert_eq!(text(&runs, Some(60)), narrow);
        assert_eq!(text(&runs, Some(1)), "…\n…\n…\n…\n");
    }

    #[test]
    fn tags_are_shown_where_there_is_room() {
        let mut tagged = run("quick", Some("63.1k"));
        tagged.head.as_mut().unwrap().tags = vec!["new-fw".to_owned(), "lab".to_owned()];
        let runs = [tagged, run("j", Some("1"))];
        let wide = text(&runs, Some(120));
        assert!(wide.lines().nth(1).unwrap().ends_with("complete  new-fw lab  63.1k"), "{wide}");
        assert!(!text(&runs, Some(80)).contains("tags"));
    }

    #[test]
    fn an_id_is_as_long_as_tells_it_from_the_others() {
        let with_id = |id: &str| {
            let mut run = run("j", None);
            run.head.as_mut().unwrap().id = id.to_owned();
            run
        };
        assert_eq!(id_chars(&[]), 6);
        assert_eq!(id_chars(&[with_id("0a1b2cq3mjk7z"), with_id("0a1b2cq3mjk7z")]), 6);
        assert_eq!(id_chars(&[with_id("0a1b2cq3mjk7z"), with_id("9"), with_id("0a1b2cq3mjk7y")]), 13);
        assert_eq!(id_chars(&[with_id("0a1b2cq3mjk7z"), with_id("0a1b2c")]), 7);
    }

    #[test]
    fn a_name_from_outside_makes_no_line_and_no_colour() {
        let shown = text(&[run("a\n\u{1b}[2J\u{ef0a}", Some(&"long ".repeat(100)))], Some(80));
        assert_eq!(shown.lines().count(), 2);
        assert!(shown.contains("a\\n\\x1b[2J\\n"), "{shown}");
        assert!(text(&[run(&"x".repeat(99), None)], None).contains(&format!("  {}…  ", "x".repeat(23))));
    }
}
