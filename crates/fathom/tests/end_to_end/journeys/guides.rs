//! The pages that follow the guides (`docs/guides`) do not age: every command that they show is one that fathom takes, what
//! does not depend on the machine prints what the page says, and every check, knob, suite and error that they name exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use fathom_host::audit::checks;
use fathom_host::calc::slips;
use fathom_tune as tune;

/// The pages of the guides, by the letter of their rows.
const PAGES: [(char, &str); 5] =
    [('V', "vsl.md"), ('M', "orion.md"), ('H', "flash.md"), ('I', "vroc.md"), ('T', "blog.md")];

/// A job file that takes the place of `JOB` where the command reads it.
const JOB: &str = "examples/vsl/06-random-512-read-latency.fio";

/// A command of a page, and the lines that the page shows below it.
#[derive(Debug)]
struct Shown {
    at: String,
    line: String,
    output: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(page: &str) -> String {
    let path = root().join("docs/guides").join(page);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The parts of a page between its fences, which are in turn prose and blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// What is in backticks; a table writes a bar as `\|`.
fn code_spans(text: &str) -> Vec<String> {
    prose(text)
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .map(|span| span.replace("\\|", "|"))
        .collect()
}

/// The commands of the blocks, each with what is shown below it.
fn blocks(page: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut is_block = false;
    for (number, line) in text(page).lines().enumerate() {
        if line.starts_with("```") {
            is_block = !is_block;
            assert!(!is_block || line == "```console", "{page}:{}: {line}", number + 1);
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| is_block) {
            let at = format!("{page}:{}", number + 1);
            found.push(Shown { at, line: without_extras(command), output: Vec::new() });
        } else if is_block && !line.trim().is_empty() {
            let shown = found.last_mut().unwrap_or_else(|| panic!("{page}: output before the first command"));
            shown.output.push(line.trim_end().to_owned());
        }
    }
    found
}

/// The commands in the text and the tables.
fn in_prose(page: &str) -> Vec<Shown> {
    let spans =
        code_spans(&text(page)).into_iter().filter(|span| after_settings(span).starts_with("fathom "));
    spans.map(|span| Shown { at: page.to_owned(), line: without_extras(&span), output: Vec::new() }).collect()
}

/// The page that follows no document.
const OWN_PAGE: &str = "integrity.md";

fn every_command() -> Vec<Shown> {
    let pages = PAGES.iter().map(|(_, page)| *page).chain([OWN_PAGE]);
    pages.flat_map(|page| blocks(page).into_iter().chain(in_prose(page))).collect()
}

/// A command line without its remark and without where its output goes. An ellipsis of its own means "and so on"; within a
/// word it is a value.
fn without_extras(line: &str) -> String {
    let line = line.split("  # ").next().unwrap().split(" # ").next().unwrap();
    let line = line.split(" > ").next().unwrap();
    let words = line.split(' ').filter(|word| *word != "…" && !word.is_empty());
    words.map(|word| word.replace('…', "1")).collect::<Vec<_>>().join(" ")
}

/// The command after settings of the environment, as in `SIZE=1M fathom run`.
fn after_settings(line: &str) -> &str {
    line.find("fathom ")
        .filter(|at| line[..*at].ends_with(' ') && line.contains('='))
        .map_or(line, |at| &line[at..])
}

fn words(line: &str) -> Vec<&str> {
    after_settings(line).split(' ').collect()
}

/// Runs a command line in a shell, from the directory that the pages mean.
fn run(line: &str) -> Output {
    let at = line.len() - after_settings(line).len();
    let line = format!("{}\"$FATHOM\"{}", &line[..at], &line[at + "fathom".len()..]);
    let mut command = Command::new("bash");
    command.args(["-c", &line]).current_dir(root()).stdin(Stdio::null());
    command.env("FATHOM", env!("CARGO_BIN_EXE_fathom")).env("NO_COLOR", "1").env_remove("COLUMNS");
    command.output().unwrap()
}

/// The same line in a form that does nothing: help is printed for a line that is understood.
fn harmless(line: &str) -> String {
    match line.split_once(" -- ") {
        _ if words(line)[1] == "fio" => format!("{} --parse-only", line.replace(" JOB", &format!(" {JOB}"))),
        Some((before, jobs)) => format!("{before} --help -- {jobs}"),
        None => format!("{line} --help"),
    }
}

/// Whether a command prints the same on every machine: it calculates, explains, plans for a simulated drive, or reads a
/// recorded machine.
fn is_same_everywhere(line: &str) -> bool {
    let words = words(line);
    let has = |word: &str| words.contains(&word);
    let is_here = has("--target") && line.contains("/dev/");
    match words[1] {
        "calc" | "options" => true,
        "convert" => words[2].starts_with("examples/") || words[2].starts_with("crates/"),
        // This list says what the machine shows of each setting.
        "doctor" if has("bios-checklist") => false,
        "doctor" => has("--explain") || has("--read") || has("--root"),
        "topology" | "tune" => has("--root"),
        "compare" => has("--values"),
        "filesystem" => has("--plan"),
        "suite" => words[2] == "show" || (has("--plan") && !is_here),
        "run" | "pts" => has("--plan") && !is_here,
        _ => false,
    }
}

/// Runs each of the lines with as many threads as there are CPUs, and gives back what was wrong.
fn all_wrong(shown: &[Shown], wrong: impl Fn(&Shown) -> Option<String> + Sync) -> Vec<String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = shown.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let wrong = &wrong;
        let parts = shown
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().filter_map(wrong).collect::<Vec<_>>()));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}

/// Every command exists, and each of its options.
#[test]
fn every_command_is_understood() {
    let mut lines = BTreeSet::new();
    let shown: Vec<Shown> =
        every_command().into_iter().filter(|shown| lines.insert(shown.line.clone())).collect();
    assert!(shown.len() > 200, "{}", shown.len());
    let wrong = all_wrong(&shown, |shown| {
        let output = run(&harmless(&shown.line));
        let said = String::from_utf8_lossy(&output.stderr);
        (!output.status.success()).then(|| format!("{}: {}\n{said}", shown.at, shown.line))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lines that a page shows are in the output of the command, in their order.
#[test]
fn what_is_the_same_everywhere_is_what_the_page_shows() {
    let shown: Vec<Shown> = PAGES.iter().flat_map(|(_, page)| blocks(page)).collect();
    let shown: Vec<Shown> = shown
        .into_iter()
        .filter(|shown| is_same_everywhere(&shown.line) && !shown.output.is_empty())
        .collect();
    assert!(shown.len() > 40, "{}", shown.len());
    let wrong = all_wrong(&shown, |shown| {
        let output = run(&shown.line);
        let said = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .join("\n");
        let mut lines = said.lines().map(str::trim_end);
        let missing = shown.output.iter().find(|expected| !lines.any(|line| line == **expected))?;
        Some(format!(
            "{}: {}\nis not there, or not after the lines before it: {missing}\n{said}",
            shown.at, shown.line
        ))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A line that explains something is run, and not only parsed: the word after it must be known.
#[test]
fn what_is_to_be_explained_is_known() {
    let is_asked = |line: &str| {
        let words = words(line);
        let asks = words.contains(&"--explain")
            || ["options", "help"].contains(&words[1])
            || line.contains(" calc slips ");
        asks && !words.iter().any(|word| ["ID", "NAME", "CHECK"].contains(word))
    };
    let shown: Vec<Shown> = every_command().into_iter().filter(|shown| is_asked(&shown.line)).collect();
    assert!(shown.len() > 40, "{}", shown.len());
    let wrong = all_wrong(&shown, |shown| {
        let output = run(&shown.line);
        (!output.status.success()).then(|| format!("{}: {}", shown.at, shown.line))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Suites that are named exist, with the groups and variables that the line names.
#[test]
fn suites_groups_and_variables_exist() {
    let mut named = 0;
    for shown in every_command() {
        let words = words(&shown.line);
        if words[1] != "suite" || !["run", "check", "show"].contains(&words[2]) {
            continue;
        }
        named += 1;
        let output = run(&format!("fathom suite show {}", words[3]));
        assert!(output.status.success(), "{}: {}", shown.at, shown.line);
        let suite = String::from_utf8(output.stdout).unwrap();
        let has_line = |begin: &str| suite.lines().any(|line| line.starts_with(begin));
        for pair in words.windows(2) {
            match pair {
                ["--only", groups] => {
                    for group in groups.split(',').filter(|group| *group != "GROUP") {
                        assert!(has_line(&format!("name = \"{group}\"")), "{}: no group {group}", shown.at);
                    }
                }
                ["--with", given] => {
                    let name = given.split('=').next().unwrap();
                    assert!(has_line(&format!("{name} = ")), "{}: no variable {name}", shown.at);
                }
                _ => {}
            }
        }
    }
    assert!(named > 30, "{named}");
}

/// A word such as `cpu.governor` is a check or a knob.
#[test]
fn checks_and_knobs_exist() {
    let families: BTreeSet<&str> =
        checks::catalogue().filter_map(|check| check.id.split('.').next()).collect();
    let mut named = 0;
    for (_, page) in PAGES {
        for span in code_spans(&text(page)) {
            let Some((family, rest)) = span.split_once('.') else { continue };
            if families.contains(family)
                && rest.chars().all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c))
            {
                named += 1;
                assert!(checks::find(&span).is_some() || tune::knob(&span).is_some(), "{page}: {span}");
            }
        }
    }
    assert!(named > 50, "{named}");
}

/// Every known error of a guide is named where the page comes to its row.
#[test]
fn every_error_of_a_guide_is_named_where_it_is() {
    for (guide, page) in PAGES {
        let prose = prose(&text(page));
        let parts: Vec<&str> = prose.split("\n\n").flat_map(|part| part.split_inclusive('\n')).collect();
        for slip in slips::all().filter(|slip| slip.id.starts_with(guide)) {
            let at = parts.iter().position(|part| part.contains(&format!("[{}]", slip.id)));
            let at = at.unwrap_or_else(|| panic!("{page}: no [{}]", slip.id));
            // A paragraph or an item of a list goes on until the next ID; a row of a table is one line.
            let follows =
                parts[at + 1..].iter().take_while(|part| !part.contains('[') && !part.starts_with('|'));
            let before =
                parts[..at].iter().rev().take_while(|part| !part.contains('[') && !part.starts_with('|'));
            let is_named = std::iter::once(&parts[at])
                .chain(follows)
                .chain(before)
                .any(|part| part.contains("**Slip**"));
            assert!(is_named, "{page}: {} is an error of the guide, and the page does not say so", slip.id);
        }
    }
}

#[test]
fn a_line_is_taken_apart() {
    assert_eq!(
        without_extras("fathom purge DEV DEV … --destroy NAME    # all of it"),
        "fathom purge DEV DEV --destroy NAME"
    );
    assert_eq!(without_extras("fathom compare --values a:TPM=…"), "fathom compare --values a:TPM=1");
    assert_eq!(without_extras("fathom fio --minimal > r.csv"), "fathom fio --minimal");
    assert_eq!(after_settings("SIZE=1M fathom run job.fio"), "fathom run job.fio");
    assert_eq!(after_settings("fathom run job.fio"), "fathom run job.fio");
    assert_eq!(harmless("fathom try direct=0 -- JOB"), "fathom try direct=0 --help -- JOB");
    assert!(is_same_everywhere("fathom calc pcie 5x1") && !is_same_everywhere("fathom quick DEV"));
    assert!(!is_same_everywhere("fathom run --plan JOB --target /dev/loop0"));
}
