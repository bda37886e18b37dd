//! The help is true, and fits.

use super::examples::EXAMPLES;
use super::topic::TOPICS;
use super::{LONG, SHORT};
use crate::cli;
use crate::failure::Exit;
use clap::Command;
use fathom_job::parse::read_time;

/// Lines and columns of a small terminal.
const LINES: usize = 24;
const COLUMNS: usize = 80;

fn columns(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

fn commands() -> Vec<String> {
    let root = cli::command();
    root.get_subcommands().filter(|command| !command.is_hide_set()).map(|c| c.get_name().to_owned()).collect()
}

/// Whether the parser takes a line of help. What a shell does with its output is not part of it.
fn is_understood(line: &str) -> bool {
    let words = line.split_whitespace().take_while(|word| !["|", "||", ">", "&&"].contains(word));
    match cli::parse(words.map(Into::into)) {
        Ok(_) => true,
        Err(error) => !error.use_stderr(),
    }
}

#[test]
fn the_first_screen_fits_and_names_every_command() {
    // A prompt, and the line that was typed.
    assert!(SHORT.lines().count() + 2 <= LINES && columns(SHORT) <= COLUMNS, "{SHORT}");
    for name in commands() {
        let is_named =
            |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == name);
        assert!(is_named(SHORT) && (is_named(LONG) || name == "help"), "{name} is missing");
    }
}

#[test]
fn every_example_is_understood() {
    for (command, examples) in EXAMPLES {
        for example in *examples {
            assert!(is_understood(example.line), "{command}: {}", example.line);
            assert!(example.line.starts_with("fathom "), "{}", example.line);
        }
        let width = examples.iter().map(|example| example.line.len()).max().unwrap_or(0);
        let does = examples.iter().map(|example| example.does.len()).max().unwrap_or(0);
        assert!(does == 0 || width + does + 5 <= COLUMNS + 8, "{command}: {width} and {does}");
    }
}

#[test]
fn every_command_has_an_example() {
    fn check(command: &Command, above: &str) {
        for below in command.get_subcommands().filter(|command| !command.is_hide_set()) {
            let path = format!("{above} {}", below.get_name());
            assert!(!super::examples::of(path.trim()).is_empty(), "{path}");
            check(below, &path);
        }
    }
    check(&cli::command(), "");
}

#[test]
fn topics_are_short_and_their_commands_are_understood() {
    for topic in TOPICS {
        assert!(topic.text.lines().count() <= 60 && columns(topic.text) <= COLUMNS + 8, "{}", topic.name);
        assert!(!commands().contains(&topic.name.to_owned()), "{}", topic.name);
        for line in topic.text.lines().chain(LONG.lines()) {
            let Some(command) = line.trim_start().strip_prefix("fathom ").filter(|_| line.starts_with("  "))
            else {
                continue;
            };
            // Behind the command, at least two spaces further right, is what it does.
            let command = command.split("  ").next().unwrap_or(command);
            assert!(is_understood(&format!("fathom {command}")), "{}: {line}", topic.name);
        }
    }
}

/// Each number at the margin of the table is an exit code, and each code is in it.
#[test]
fn the_exit_codes_are_those_of_the_code() {
    let text = super::topic::find("exit-codes").expect("a topic").text;
    let told: Vec<u8> = text
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("       "))
        .filter_map(|line| line.split_whitespace().next()?.parse().ok())
        .collect();
    let codes = Exit::ALL.map(|exit| exit as u8);
    assert_eq!(told, codes);
}

#[test]
fn the_units_are_those_of_job_files() {
    let text = super::topic::find("units").expect("a topic").text;
    let row =
        text.lines().find_map(|line| line.trim().strip_prefix("us ms s m h d")).expect("the row of times");
    for time in row.split(',').map(str::trim) {
        assert!(read_time(time, true).is_ok(), "{time}");
    }
    for unit in ["us", "ms", "s", "m", "h", "d"] {
        assert!(read_time(&format!("1{unit}"), true).is_ok(), "{unit}");
    }
    assert!(read_time("1ns", true).is_err());
}
