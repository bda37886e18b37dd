//! Arguments to flags, job options and files, by the rules of `getopt_long_only`: one dash or two,
//! `=value` or the next argument, and any prefix that only one name has. One letter after one dash
//! is a separate flag.

use super::flags::{self, Act, FLAGS, Flag, Takes};
use crate::diagnostic::{Diagnostic, Span};
use crate::option::{Kind, OptionDef};
use crate::parse::Entry;
use crate::{foreign_engines, options};

/// One thing that the command line says.
#[derive(Debug)]
pub(super) enum Item {
    Flag(&'static Flag, Argument),
    Option(Argument),
    /// A job file; `-` is standard input.
    File(String),
}

/// An option as typed.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// Its full name; an alias is kept.
    pub name: &'static str,
    /// Its value, if it has one.
    pub value: Option<String>,
    /// The words as typed.
    text: String,
    /// Characters before the value within `text`.
    value_at: usize,
}

impl Argument {
    /// The value, or nothing.
    pub fn value(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }

    /// The words as typed.
    pub fn typed(&self) -> &str {
        &self.text
    }

    pub fn span(&self) -> Span {
        self.place(0, self.text.chars().count())
    }

    fn place(&self, from: usize, length: usize) -> Span {
        Span::typed("command line", &self.text, from + 1, length)
    }

    /// As an option of a job section.
    pub fn entry(&self) -> Entry {
        let name_length = self.value.as_ref().map_or(self.text.chars().count(), |_| self.value_at - 1);
        let value_span = self.value.as_ref().map(|value| self.place(self.value_at, value.chars().count()));
        Entry {
            name: self.name.to_owned(),
            name_span: self.place(0, name_length),
            value: self.value.clone(),
            value_span: value_span.unwrap_or_else(|| self.span()),
            expands: false,
        }
    }
}

/// The option that a name on the command line means.
#[derive(Clone, Copy)]
enum Name {
    Flag(&'static Flag),
    Option(&'static str, &'static OptionDef),
}

impl Name {
    fn text(self) -> &'static str {
        match self {
            Name::Flag(flag) => flag.name,
            Name::Option(name, _) => name,
        }
    }

    fn takes(self) -> Takes {
        match self {
            Name::Flag(flag) => flag.argument,
            Name::Option(_, def) if matches!(def.kind, Kind::Flag) => Takes::Optional,
            Name::Option(..) => Takes::Required,
        }
    }
}

/// The names of all flags and job options.
fn names() -> impl Iterator<Item = Name> {
    let job_options = options::all().flat_map(|def| def.names().map(move |name| Name::Option(name, def)));
    FLAGS.iter().map(Name::Flag).chain(job_options)
}

/// The items of a command line; what cannot be understood is added to `findings` and left out.
pub(super) fn items(args: &[String], findings: &mut Vec<Diagnostic>) -> Vec<Item> {
    let mut items = Vec::new();
    let engine = args.iter().find_map(|arg| arg.trim_start_matches('-').strip_prefix("ioengine="));
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let body = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'));
        match body {
            Some("") if arg == "--" => {
                items.extend(args.by_ref().cloned().map(Item::File));
            }
            Some(body) if !body.is_empty() => match option(arg, body, engine, &mut args) {
                Ok(item) => items.push(item),
                Err(error) => findings.push(error),
            },
            _ => items.push(Item::File(arg.clone())),
        }
    }
    items
}

fn option<'a>(
    arg: &str,
    body: &str,
    engine: Option<&str>,
    rest: &mut impl Iterator<Item = &'a String>,
) -> Result<Item, Diagnostic> {
    let dashes = arg.chars().count() - body.chars().count();
    let (typed, value) =
        body.split_once('=').map_or((body, None), |(name, value)| (name, Some(value.to_owned())));
    let value_at = dashes + typed.chars().count() + 1;
    let mut argument = Argument { name: "", value, text: arg.to_owned(), value_at };
    let letter = if dashes == 1 { flags::of_letter(typed) } else { None };
    let name = letter.map_or_else(|| look_up(typed, engine), |flag| Ok(Name::Flag(flag)));
    let name = name.map_err(|error| {
        // The value of an option of another engine is no job file.
        if argument.value.is_none() && foreign_engines::option_error(typed, engine).is_some() {
            let _ = rest.next();
        }
        error.at(&argument.place(dashes, typed.chars().count()))
    })?;
    argument.name = name.text();
    match (name.takes(), &argument.value) {
        (Takes::Nothing, Some(_)) => {
            let message = format!("--{} takes no value", argument.name);
            return Err(Diagnostic::error("extra-value", message).at(&argument.span()));
        }
        (Takes::Required, None) => {
            let next = rest.next().ok_or_else(|| {
                let message = format!("--{} needs a value", argument.name);
                Diagnostic::error("missing-value", message).at(&argument.span())
            })?;
            argument.text = format!("{arg} {next}");
            argument.value = Some(next.clone());
        }
        _ => {}
    }
    Ok(match name {
        Name::Flag(flag) => Item::Flag(flag, argument),
        Name::Option(..) => Item::Option(argument),
    })
}

/// The name typed in full, or the only one that begins so.
fn look_up(typed: &str, engine: Option<&str>) -> Result<Name, Diagnostic> {
    if let Some(name) = names().find(|name| name.text() == typed) {
        return Ok(name);
    }
    // `-h` is a flag of fio, although many options begin with it.
    if let Some(help) = FLAGS.iter().find(|flag| flag.act == Act::Help && typed == "h") {
        return Ok(Name::Flag(help));
    }
    if let Some(error) = foreign_engines::option_error(typed, engine) {
        return Err(error);
    }
    let matches: Vec<Name> = names().filter(|name| name.text().starts_with(typed)).collect();
    match matches.as_slice() {
        [name] => Ok(*name),
        [] => {
            let finding = Diagnostic::error("unknown-option", format!("there is no option {typed}"));
            let near = options::meant(typed).or_else(|| options::nearest_of(typed, names().map(Name::text)));
            Err(match near {
                Some(near) => finding.hint(format!("did you mean --{near}?")),
                None => finding.hint("--help lists the flags, --cmdhelp=all the job options"),
            })
        }
        several => {
            let names: Vec<&str> = several.iter().map(|name| name.text()).collect();
            Err(Diagnostic::error("ambiguous-option", format!("--{typed} can be {}", names.join(", "))))
        }
    }
}
