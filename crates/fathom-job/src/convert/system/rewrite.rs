//! A job file of Linux, line by line, for another system.

use super::System;
use crate::convert::{ConvertSource, Converted, SourceText, changed, heading, lost};
use crate::diagnostic::{Diagnostic, Span};
use crate::job::Job;
use crate::option::{OptionDef, OptionRelation};
use crate::parse::syntax::{self, Body, Line, Part};
use crate::parse::{Surroundings, expanded_text, joined_names, read_value};
use crate::value::Value;
use crate::{engine, options};

/// Makes the job file for a system.
pub(super) fn to(system: &System, source: &ConvertSource<'_>) -> Result<Converted, Vec<Diagnostic>> {
    let text = the_only(source)?;
    let jobs = source.jobs()?.jobs;
    if let Some(job) = jobs.iter().find(|job| system.engine_there(&job.get(&options::IOENGINE)).is_none()) {
        return Err(vec![no_engine(system, job)]);
    }
    let mut rewriter = Rewriter {
        system,
        source,
        devices: Vec::new(),
        lost: Vec::new(),
        lines: Vec::new(),
        told_path: false,
    };
    rewriter.text(&text.name, &text.text);
    jobs.iter().for_each(|job| rewriter.depth(job));
    rewriter.told_devices();
    let mut out = heading(&format!("--to {}", system.form), source);
    out += &rewriter.required(&jobs);
    rewriter.lines.iter().for_each(|line| {
        out += line;
        out.push('\n');
    });
    Ok(Converted { text: out, lost: rewriter.lost })
}

/// The text of a source with one text. Several job files have several `[global]` sections, which would
/// add up in one file.
fn the_only<'a>(source: &'a ConvertSource<'_>) -> Result<&'a SourceText, Vec<Diagnostic>> {
    match source.texts.as_slice() {
        [text] => Ok(text),
        several => {
            let message =
                format!("{} files make {} files: convert one after another", several.len(), several.len());
            Err(vec![Diagnostic::error("several-files", message)])
        }
    }
}

fn no_engine(system: &System, job: &Job) -> Diagnostic {
    let engine = job.get(&options::IOENGINE);
    let message = format!("job {}: fio on {} has no engine like {engine}", job.name, system.name);
    let found = Diagnostic::error("no-engine", message);
    let found = job.setting(&options::IOENGINE).map_or(found.clone(), |setting| found.at(&setting.span));
    found.hint(format!("{} takes the place of {}", system.engine, system.engines.join(", ")))
}

struct Rewriter<'a> {
    system: &'a System,
    source: &'a ConvertSource<'a>,
    /// The devices of the file, in the order in which they come.
    devices: Vec<String>,
    lost: Vec<Diagnostic>,
    lines: Vec<String>,
    told_path: bool,
}

impl Rewriter<'_> {
    fn text(&mut self, file: &str, text: &str) {
        let mut parsed = syntax::lines(text).peekable();
        for (at, raw) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
            match parsed.next_if(|line| line.number == at + 1) {
                Some(line) => self.line(file, &line),
                None => self.lines.push(raw.to_owned()),
            }
        }
    }

    fn line(&mut self, file: &str, line: &Line) {
        match &line.body {
            Body::Section(name) if is_device(&name.text) => {
                let there = self.device(&name.text);
                self.lines.push(with_section(line, name, &there));
            }
            Body::Option(name, value) => {
                match OptionLine::of(line, name, value.as_ref(), self.source.around) {
                    Some(option) => self.option(file, &option, line),
                    None => self.lines.push(line.text.to_owned()),
                }
            }
            Body::Include(path) => self.include(file, &path.text, line),
            _ => self.lines.push(line.text.to_owned()),
        }
    }

    fn option(&mut self, file: &str, option: &OptionLine, line: &Line) {
        let place = option.span(file);
        if let Some(why) = self.system.why_dropped(option.def, option.text()) {
            self.lines.push(format!("# left out: {} ({why})", option.assignment()));
            self.lost.push(lost(format!("{} is left out: {why}", option.assignment()), Some(&place)));
            return;
        }
        if let Some(text) = self.forced(option, &place) {
            self.lines.push(text);
            return;
        }
        let name = option.def.name;
        if name == options::IOENGINE.def.name {
            let there = self.system.engine_there(option.text()).unwrap_or(option.text());
            self.lines.push(option.with_value(there));
        } else if name == options::FILENAME.def.name {
            let names: Vec<String> = option.names().iter().map(|name| self.named(name, &place)).collect();
            self.lines.push(option.with_value(&joined_names(&names)));
        } else {
            if name == options::DIRECTORY.def.name {
                self.path(&option.assignment(), &place);
            }
            self.lines.push(line.text.to_owned());
        }
    }

    /// The line of an option that has another value there.
    fn forced(&mut self, option: &OptionLine, place: &Span) -> Option<String> {
        if let Some((_, value, _)) = self.system.required.filter(|(name, ..)| *name == option.def.name) {
            let is_so = option.is_on() == Some(value == "1");
            return (!is_so).then(|| option.with_value(value));
        }
        let is_on = option.is_on()?;
        for (name, here, there, why) in self.system.forced {
            let opposite = matches!(option.def.relation, OptionRelation::Opposite(other) if other == *name);
            let means = if opposite { !is_on } else { is_on };
            if (option.def.name == *name || opposite) && u8::from(means).to_string() == *here {
                let value = if opposite { *here } else { *there };
                let message = format!("{} becomes {}={value}: {why}", option.assignment(), option.def.name);
                self.lost.push(changed(message, Some(place)));
                return Some(option.with_value(value));
            }
        }
        None
    }

    /// The included text in place, because it is part of what is converted.
    fn include(&mut self, file: &str, path: &str, line: &Line) {
        match self.source.included(path, file) {
            Some((path, text)) => {
                self.lines.push(format!("# {}", line.text.trim()));
                self.text(&path, &text);
            }
            None => {
                self.lost.push(lost(
                    format!("{path} is not shown to you, so it is left out"),
                    Some(&span(file, line)),
                ));
                self.lines.push(format!("# left out: {}", line.text.trim()));
            }
        }
    }

    /// A name of `filename` there.
    fn named(&mut self, name: &str, place: &Span) -> String {
        if is_device(name) {
            return self.device(name);
        }
        self.path(&format!("filename={name}"), place);
        name.to_owned()
    }

    fn device(&mut self, name: &str) -> String {
        if let Some(target) = &self.source.target {
            return target.clone();
        }
        let at = self.devices.iter().position(|known| known == name).unwrap_or_else(|| {
            self.devices.push(name.to_owned());
            self.devices.len() - 1
        });
        (self.system.device)(at)
    }

    /// Says once that paths of files are those of Linux.
    fn path(&mut self, message: &str, place: &Span) {
        if !std::mem::replace(&mut self.told_path, true) {
            let finding = changed(format!("{message} is a path of this system"), Some(place));
            self.lost.push(finding.hint(self.system.path_hint));
        }
    }

    /// A synchronous engine keeps one I/O in flight, whatever iodepth says; the one there does not.
    fn depth(&mut self, job: &Job) {
        let (name, depth) = (job.get(&options::IOENGINE), job.get(&options::IODEPTH));
        let is_sync = engine::named(&name).is_some_and(engine::EngineDef::is_sync);
        if is_sync && depth > 1 && self.system.engine_there(&name) == Some(self.system.engine) {
            let message = format!(
                "job {}: with {name} only one I/O is in flight, and {} keeps iodepth={depth} of them",
                job.name, self.system.engine
            );
            let finding = lost(message, job.setting(&options::IODEPTH).map(|setting| &setting.span));
            self.lost.push(finding.hint("set iodepth=1 for the same load"));
        }
    }

    fn told_devices(&mut self) {
        for (at, device) in self.devices.iter().enumerate() {
            let finding = changed(format!("{device} becomes {}", (self.system.device)(at)), None);
            self.lost.push(finding.hint(self.system.device_hint).hint("or give its name with --target"));
        }
    }

    /// What each job must say there, for those that do not.
    fn required(&mut self, jobs: &[Job]) -> String {
        let Some((name, value, why)) = self.system.required else { return String::new() };
        match jobs.iter().all(|job| job.settings().any(|(given, _)| given == name)) {
            true => String::new(),
            false => format!("# {why}.\n[global]\n{name}={value}\n\n"),
        }
    }
}

/// Does a path of Linux name a device with storage?
fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") && !path.starts_with("/dev/shm/") && !["/dev/null", "/dev/zero"].contains(&path)
}

/// fio's asynchronous engine on Linux.
const ENGINE: &str = "libaio";

/// Where nothing says which device it is here.
const DEVICE: &str = "/dev/DEVICE";

/// Makes the job file for Linux of one for a system.
pub(super) fn from(system: &System, source: &ConvertSource<'_>) -> Result<Converted, Vec<Diagnostic>> {
    let text = the_only(source)?;
    source.jobs()?;
    let device = source.target.as_deref().unwrap_or(DEVICE);
    let mut reader = Reader { system, source, device, changes: Vec::new() };
    let mut out = heading(&format!("--from {}", system.form), source);
    let mut parsed = syntax::lines(&text.text).peekable();
    for (at, raw) in text.text.strip_prefix('\u{feff}').unwrap_or(&text.text).lines().enumerate() {
        out += &parsed
            .next_if(|line| line.number == at + 1)
            .map_or_else(|| raw.to_owned(), |line| reader.line(&line));
        out.push('\n');
    }
    let mut lost = reader.changes;
    if source.target.is_none() && out.contains(DEVICE) {
        let finding = changed(format!("the device of {} becomes {DEVICE}", system.name), None);
        lost.push(finding.hint("give its name with --target, here or to fathom run"));
    }
    Ok(Converted { text: out, lost })
}

struct Reader<'a> {
    system: &'a System,
    source: &'a ConvertSource<'a>,
    device: &'a str,
    changes: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn line(&mut self, line: &Line) -> String {
        match &line.body {
            Body::Section(name) if (self.system.is_device)(&name.text) => {
                with_section(line, name, self.device)
            }
            Body::Option(name, value) => {
                let option = OptionLine::of(line, name, value.as_ref(), self.source.around);
                option.and_then(|option| self.option(&option)).unwrap_or_else(|| line.text.to_owned())
            }
            _ => line.text.to_owned(),
        }
    }

    fn option(&mut self, option: &OptionLine) -> Option<String> {
        let name = option.def.name;
        if name == options::IOENGINE.def.name {
            return (option.text() == self.system.engine).then(|| option.with_value(ENGINE));
        }
        if name == options::FILENAME.def.name {
            let here =
                |name: String| if (self.system.is_device)(&name) { self.device.to_owned() } else { name };
            return Some(
                option.with_value(&joined_names(&option.names().into_iter().map(here).collect::<Vec<_>>())),
            );
        }
        let (_, here, there, _) = self.system.forced.iter().find(|(forced, ..)| *forced == name)?;
        (option.text() == *there).then(|| {
            let message = format!("{} becomes {name}={here}, which it replaced there", option.assignment());
            self.changes.push(changed(message, None));
            option.with_value(here)
        })
    }
}

/// An option line whose option is known.
pub(super) struct OptionLine<'a> {
    pub def: &'static OptionDef,
    /// The value after variables and keywords were replaced; `None` where the option stands alone.
    pub value: Option<String>,
    line: &'a Line<'a>,
    /// Where the value is written; `None` where a variable holds the whole option.
    written: Option<&'a Part>,
}

impl<'a> OptionLine<'a> {
    /// The option of a line, or `None` for one that is not known.
    pub fn of(
        line: &'a Line<'a>,
        name: &Part,
        value: Option<&'a Part>,
        around: &dyn Surroundings,
    ) -> Option<Self> {
        let mut typed = expanded_text(&name.text, around);
        let mut text = value.map(|value| expanded_text(&value.text, around));
        // A variable can hold a whole `name=value`.
        if let (None, Some((name, value))) = (&text, typed.clone().split_once('=')) {
            text = Some(value.trim().to_owned());
            typed = name.trim().to_owned();
        }
        let def = options::find(typed.trim())?;
        Some(OptionLine { def, value: text, line, written: value })
    }

    /// `iodepth=32`, or `norandommap`.
    pub fn assignment(&self) -> String {
        match &self.value {
            Some(value) => format!("{}={value}", self.def.name),
            None => self.def.name.to_owned(),
        }
    }

    /// The value as text, or what an option alone means.
    pub fn text(&self) -> &str {
        self.value.as_deref().unwrap_or("1")
    }

    /// The value of a flag or a boolean.
    pub fn is_on(&self) -> Option<bool> {
        match read_value(self.def, self.text()) {
            Some(Value::Flag(on)) => Some(on),
            _ => None,
        }
    }

    /// The value of a list of names.
    pub fn names(&self) -> Vec<String> {
        match read_value(self.def, self.text()) {
            Some(Value::List(names)) => names,
            _ => Vec::new(),
        }
    }

    /// The line with another value, everything around it unchanged.
    pub fn with_value(&self, value: &str) -> String {
        match self.written {
            Some(part) => with_part(self.line, part, value),
            None => format!("{}={value}", self.def.name),
        }
    }

    /// Its place.
    pub fn span(&self, file: &str) -> Span {
        span(file, self.line)
    }
}

/// The line with another text in the place of a part of it.
fn with_part(line: &Line, part: &Part, text: &str) -> String {
    let chars = || line.text.chars();
    let before: String = chars().take(part.column - 1).collect();
    let after: String = chars().skip(part.column - 1 + part.text.chars().count()).collect();
    format!("{before}{text}{after}")
}

/// The line of a section with another name. The place of a section is that of its bracket.
fn with_section(line: &Line, name: &Part, text: &str) -> String {
    let before: String = line.text.chars().take(name.column).collect();
    let rest: String = line.text.chars().skip(name.column).collect();
    before + &rest.replacen(&name.text, text, 1)
}

/// The whole of a line as a place.
pub(super) fn span(file: &str, line: &Line) -> Span {
    let text = line.text.trim_end();
    let lead = text.chars().count() - text.trim_start().chars().count();
    let length = text.trim_start().chars().count().max(1);
    Span { file: file.to_owned(), line: line.number, column: lead + 1, length, text: line.text.to_owned() }
}
