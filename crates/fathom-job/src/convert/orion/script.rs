//! A script, a page of a guide or a `.lun` list: its command lines of ORION, which of them run side by
//! side, and the devices that it lists.

use super::command::{self, Command};
use crate::convert::{ConvertSource, SourceText};
use crate::diagnostic::{Diagnostic, Span};
use std::collections::BTreeMap;

/// What texts of ORION say.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// Commands that run side by side, stage after stage.
    pub stages: Vec<Vec<Placed>>,
    /// Devices by the name of their list, without `.lun`.
    pub lists: BTreeMap<String, Vec<String>>,
    /// Lines that are none of these.
    pub ignored: Vec<Span>,
}

/// A command with its place.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub command: Command,
    pub place: Span,
}

/// Reads all texts.
///
/// # Errors
/// Every command line that ORION would not accept.
pub(super) fn read(source: &ConvertSource<'_>) -> Result<Script, Vec<Diagnostic>> {
    let (mut script, mut errors) = (Script::default(), Vec::new());
    for text in &source.texts {
        Reader {
            text,
            script: &mut script,
            errors: &mut errors,
            list: None,
            waits: false,
            stage: Vec::new(),
        }
        .read();
    }
    script.lists.retain(|_, devices| !devices.is_empty());
    match errors.is_empty() {
        true => Ok(script),
        false => Err(errors),
    }
}

struct Reader<'a> {
    text: &'a SourceText,
    script: &'a mut Script,
    errors: &'a mut Vec<Diagnostic>,
    /// The list that a line such as `cat fio.lun` names.
    list: Option<String>,
    /// The last command ended with `&`, so the next one runs beside it.
    waits: bool,
    stage: Vec<Placed>,
}

/// A command line whose words may go on in the next line.
#[derive(Default)]
struct Open {
    words: Vec<String>,
    line: usize,
    text: String,
}

impl Reader<'_> {
    fn read(mut self) {
        let mut open: Option<Open> = None;
        for (at, line) in self.text.text.lines().enumerate() {
            let mut words = words(line);
            if let Some(open) = open.as_mut().filter(|open| open.goes_on(&words)) {
                open.words.append(&mut words);
                continue;
            }
            if let Some(open) = open.take() {
                self.command(open);
            }
            match words.windows(2).position(|pair| is_program(&pair[0]) && pair[1].starts_with('-')) {
                Some(first) => {
                    let words = words.split_off(first + 1);
                    open = Some(Open { words, line: at + 1, text: line.to_owned() });
                }
                None => self.other(at + 1, line, &words),
            }
        }
        if let Some(open) = open {
            self.command(open);
        }
        self.end_of_stage();
    }

    fn command(&mut self, mut open: Open) {
        open.words.retain(|word| word != "\\");
        let (mut words, mut beside) = (open.words, false);
        if let Some(end) =
            words.iter().position(|word| word.starts_with(['&', ';', '|', '>', '<']) || word.ends_with('&'))
        {
            let last = words[end].trim_end_matches('&').to_owned();
            beside = words[end].ends_with('&') && words[end] != "&&";
            words.truncate(end);
            if !last.is_empty() && !last.starts_with(['&', ';', '|', '>', '<']) {
                words.push(last);
            }
        }
        let place = place(&self.text.name, open.line, &open.text);
        match command::read(&words, &place) {
            Ok(command) => {
                if !self.waits {
                    self.end_of_stage();
                }
                self.stage.push(Placed { command, place });
                self.waits = beside;
            }
            Err(error) => self.errors.push(error),
        }
    }

    fn end_of_stage(&mut self) {
        if !self.stage.is_empty() {
            self.script.stages.push(std::mem::take(&mut self.stage));
        }
    }

    /// A line without a command: a device, the name of a list, or something that is ignored.
    fn other(&mut self, number: usize, line: &str, words: &[String]) {
        if let Some(list) = words.iter().find_map(|word| word.strip_suffix(".lun")) {
            let list = list.rsplit('/').next().unwrap_or(list).to_owned();
            // The line may have the devices in it that writes the list.
            let devices = words.iter().filter(|word| word.starts_with("/dev/")).cloned();
            self.script.lists.entry(list.clone()).or_default().extend(devices);
            self.list = Some(list);
            return;
        }
        match words {
            [device] if device.starts_with('/') => {
                let of_file = self.text.name.rsplit('/').next().and_then(|name| name.strip_suffix(".lun"));
                let list = self.list.clone().or(of_file.map(str::to_owned)).unwrap_or_default();
                self.script.lists.entry(list).or_default().push(device.clone());
            }
            [] => {}
            [first, ..] if first == "wait" => self.waits = false,
            [first, ..] if first.starts_with('#') || first == "END" => {}
            _ => self.script.ignored.push(place(&self.text.name, number, line)),
        }
    }
}

impl Open {
    /// Whether the words of the next line belong to this command: it ends with a backslash, or they
    /// begin with an option, as where a page breaks a line.
    fn goes_on(&self, next: &[String]) -> bool {
        let is_option = |word: &String| word.starts_with('-') && word.len() > 1;
        let is_finished = self.words.last().is_some_and(|word| word.ends_with(['&', ';']));
        self.words.last().is_some_and(|word| word == "\\")
            || (!is_finished && next.first().is_some_and(is_option))
    }
}

/// `./orion_linux_x86-64`, `orion.exe`, `$ORACLE_HOME/bin/orion`.
fn is_program(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.starts_with("orion") && !name.ends_with(".lun") && !name.contains('=')
}

/// The words of a line. Text of a page may have a backslash before an underscore, and a long dash for an option.
fn words(line: &str) -> Vec<String> {
    let plain = line.replace("\\_", "_").replace(['"', '\'', '`'], " ");
    let word =
        |word: &str| word.strip_prefix(['–', '—']).map_or_else(|| word.to_owned(), |rest| format!("-{rest}"));
    plain.split_whitespace().map(word).collect()
}

fn place(file: &str, line: usize, text: &str) -> Span {
    let length = text.trim_end().chars().count().max(1);
    Span { file: file.to_owned(), line, column: 1, length, text: text.to_owned() }
}
