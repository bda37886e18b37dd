//! The value grammars: one file for each family of values.
//!
//! Where fio reads the first digits and ignores the rest of the text, these grammars refuse the
//! value and say how fio would read it.

mod calc;
mod directions;
mod distribution;
mod number;
mod pattern;
mod print;
mod service;
mod size;
mod steady;
mod time;
mod word;

pub(crate) use calc::{Unit, whole as calculate};
pub(crate) use pattern::{PATTERN_MAX, with_files};
pub(crate) use print::print;
pub(crate) use service::orders;
pub(crate) use size::inverted;
pub(crate) use steady::figures;
pub(crate) use word::patterns;

use crate::option::{Kind, OptionDef};
use crate::value::{Size, Value};
use std::ops::Range;

/// What a value's meaning depends on besides its text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context<'a> {
    /// What units mean.
    pub units: Units,
    /// The option's value so far: directions left empty keep it.
    pub held: Option<&'a Value>,
    /// The block size so far, which is used where nothing is held.
    pub block: Option<&'a Value>,
}

/// Reads the value of an option; `text` is `None` when it stands alone.
pub(crate) fn read(def: &OptionDef, text: Option<&str>, context: &Context) -> Result<Value, BadValue> {
    let Some(text) = text else { return bare(def) };
    let piece = Piece::whole(text).trim();
    // fio reads the options of engines without regard to kb_base.
    let units = if def.engines.is_empty() { context.units } else { Units { kb: 1024, ..context.units } };
    let context = Context { units, ..*context };
    if piece.text.is_empty() && !matches!(def.kind, Kind::OptionalText) {
        return Err(BadValue::new("missing-value", "the value is empty"));
    }
    match def.kind {
        Kind::Word(words) => word::word(piece, words, def.refused_words),
        Kind::Distribution => {
            distribution::distribution(piece, context.units, def.refused_words).map(Value::Distribution)
        }
        kind => read_kind(&kind, piece, &context),
    }
}

/// Reads a value of a kind; also the parts of lists by direction.
fn read_kind(kind: &Kind, piece: Piece, context: &Context) -> Result<Value, BadValue> {
    Ok(match kind {
        Kind::Flag => Value::Flag(word::digit(piece, context.units, u64::MAX)?),
        Kind::Bool => Value::Flag(word::digit(piece, context.units, 1)?),
        Kind::Int { min, max } => Value::Int(number::int(piece, context.units, *min, *max)?),
        Kind::Float { min, max } => Value::Float(number::float(piece, context.units, *min, *max)?),
        Kind::Size { min, percent, zones } => Value::Size(size::size(
            piece,
            context.units,
            size::Allowed { min: *min, percent: *percent, zones: *zones },
        )?),
        Kind::Time { bare_seconds } => Value::Time(time::time(piece, *bare_seconds, context.units)?),
        Kind::TimeRange => {
            size::times(piece, context.units).map(|(low, high)| Value::TimeRange(low, high))?
        }
        Kind::Word(words) => word::word(piece, words, &[])?,
        Kind::Text | Kind::OptionalText => Value::Text(piece.text.to_owned()),
        Kind::List => Value::List(number::names(piece)?),
        Kind::Numbers => Value::Numbers(number::list(piece, context.units)?),
        Kind::Cpus => Value::Cpus(number::cpu_list(piece)?),
        Kind::CpuMask => Value::Cpus(number::mask(piece)?),
        Kind::Pattern => Value::Pattern(pattern::pattern(piece)?),
        Kind::VerifyPattern => Value::VerifyPattern(pattern::verify_pattern(piece)?),
        Kind::Range { lone } => Value::Range(size::sizes(piece, context.units, *lone)?),
        Kind::Splits => Value::Splits(size::splits(piece, context.units)?),
        Kind::Rw => Value::Rw(word::rw(piece, context.units)?),
        Kind::MemPolicy => Value::MemPolicy(word::memory(piece)?),
        Kind::SyncRange => Value::SyncRange(word::sync_range(piece, context.units)?),
        Kind::FileService => Value::FileService(service::service(piece, context.units)?),
        Kind::Distribution => Value::Distribution(distribution::distribution(piece, context.units, &[])?),
        Kind::Steady => Value::Steady(steady::steady(piece, context.units)?),
        Kind::Errors => Value::Errors(number::error_lists(piece)?),
        Kind::PerDirection(kind) => directions::each(kind, piece, context)?,
    })
}

/// An option without `=`.
fn bare(def: &OptionDef) -> Result<Value, BadValue> {
    match def.kind {
        Kind::Flag => Ok(Value::Flag(true)),
        Kind::OptionalText => Ok(Value::Text(String::new())),
        Kind::Bool => Err(BadValue::new("missing-value", "a value is needed")
            .hint(format!("write {0}=1 or {0}=0", def.name))),
        _ => Err(BadValue::new("missing-value", "a value is needed").hint(format!("write {}=…", def.name))),
    }
}

/// A bare number of bytes as a value; what directions hold for block sizes.
fn bytes(n: u64) -> Value {
    Value::Size(Size::Bytes(crate::units::Bytes(n)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Units {
    /// `kb_base`: 1024 or 1000.
    pub kb: u64,
    /// As fio: take the unit that the rest begins with, and ignore what is unknown. Otherwise such
    /// a rest is an error.
    pub drops_rest: bool,
}

impl Default for Units {
    fn default() -> Self {
        Units { kb: 1024, drops_rest: false }
    }
}

/// A part of a value's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub text: &'a str,
    /// Its first byte within the whole value.
    pub start: usize,
}

impl<'a> Piece<'a> {
    /// All of a value.
    pub fn whole(text: &'a str) -> Self {
        Piece { text, start: 0 }
    }

    /// The bytes of this piece from `from` on.
    pub fn tail(self, from: usize) -> Self {
        Piece { text: &self.text[from..], start: self.start + from }
    }

    /// The bytes of this piece up to `to`.
    pub fn head(self, to: usize) -> Self {
        Piece { text: &self.text[..to], start: self.start }
    }

    /// Without blanks around it.
    pub fn trim(self) -> Self {
        let lead = self.text.len() - self.text.trim_start().len();
        let piece = self.tail(lead);
        piece.head(piece.text.trim_end().len())
    }

    /// The parts between separators; at least one, perhaps empty.
    pub fn split(self, separator: char) -> impl Iterator<Item = Piece<'a>> {
        let mut rest = Some(self);
        std::iter::from_fn(move || {
            let piece = rest.take()?;
            let Some((head, tail)) = piece.split_once(separator) else { return Some(piece) };
            rest = Some(tail);
            Some(head)
        })
    }

    /// What comes before and after the first separator.
    pub fn split_once(self, separator: char) -> Option<(Piece<'a>, Piece<'a>)> {
        let at = self.text.find(separator)?;
        Some((self.head(at), self.tail(at + separator.len_utf8())))
    }

    /// Says what is wrong with this part.
    pub fn bad(self, code: &'static str, message: impl Into<String>) -> BadValue {
        BadValue::new(code, message).at(self)
    }

    /// How many leading bytes satisfy a test on characters.
    pub fn leading(self, test: impl Fn(char) -> bool) -> usize {
        self.text.find(|c| !test(c)).unwrap_or(self.text.len())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadValue {
    /// Stable name of the rule.
    pub code: &'static str,
    pub message: String,
    /// The offending bytes within the value; all of it if `None`.
    pub at: Option<Range<usize>>,
    /// What to write instead.
    pub hints: Vec<String>,
}

impl BadValue {
    /// A bad value, all of it.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        BadValue { code, message: message.into(), at: None, hints: Vec::new() }
    }

    /// Marks the offending part.
    pub fn at(mut self, piece: Piece) -> Self {
        self.at = (!piece.text.is_empty()).then(|| piece.start..piece.start + piece.text.len());
        self
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a hint if there is one.
    pub fn hint_if(mut self, hint: Option<String>) -> Self {
        self.hints.extend(hint);
        self
    }
}
