//! A job file of another system, for Linux.

use super::System;
use super::line::{OptionLine, with_section};
use super::rewrite::the_only;
use crate::convert::source::ConvertSource;
use crate::convert::{Converted, changed, heading};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::parse::joined_names;
use crate::parse::syntax::{self, Body, Line};

/// fio's asynchronous engine on Linux.
const ENGINE: &str = "libaio";

/// Where nothing says which device it is here.
const DEVICE: &str = "/dev/DEVICE";

/// Makes the job file for Linux of one for a system.
pub(super) fn from(system: &System, source: &ConvertSource<'_>) -> Result<Converted, Vec<Diagnostic>> {
    let text = the_only(source)?;
    source.jobs()?;
    let device = source.target.as_deref().unwrap_or(DEVICE);
    let mut reader = Reader { system, source, device, found: Vec::new() };
    let mut out = heading(&format!("--from {}", system.form), source);
    let mut said = syntax::lines(&text.text).peekable();
    for (at, raw) in text.text.strip_prefix('\u{feff}').unwrap_or(&text.text).lines().enumerate() {
        out += &said
            .next_if(|line| line.number == at + 1)
            .map_or_else(|| raw.to_owned(), |line| reader.line(&line));
        out.push('\n');
    }
    let mut lost = reader.found;
    if source.target.is_none() && out.contains(DEVICE) {
        let found = changed(format!("the device of {} becomes {DEVICE}", system.name), None);
        lost.push(found.hint("give its name with --target, here or to fathom run"));
    }
    Ok(Converted { text: out, lost })
}

struct Reader<'a> {
    system: &'a System,
    source: &'a ConvertSource<'a>,
    device: &'a str,
    found: Vec<Diagnostic>,
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
            let said = format!("{} becomes {name}={here}, which it replaced there", option.said());
            self.found.push(changed(said, None));
            option.with_value(here)
        })
    }
}
