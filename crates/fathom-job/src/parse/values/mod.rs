//! The value grammars: one small file for each kind of value.
//!
//! Where fio reads the first digits and ignores the rest of the text, these grammars refuse the
//! value and say how fio would read it.

mod calc;
mod cpus;
mod directions;
mod distribution;
mod errors;
mod hints;
mod inverted;
mod list;
mod number;
mod pattern;
mod piece;
mod policy;
mod print;
mod range;
mod service;
mod size;
mod split;
mod steady;
mod time;
mod units;
mod word;
mod zones;

pub(crate) use calc::{Unit, whole as calculate};
pub(crate) use inverted::inverted;
pub(crate) use piece::{BadValue, Piece};
pub(crate) use print::print;
pub(crate) use service::orders;
pub(crate) use steady::figures;
pub(crate) use units::Units;
pub(crate) use word::patterns;

use crate::option::{Kind, OptionDef};
use crate::value::{Size, Value};

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
        Kind::FileService => service::service(piece, def.refused_words).map(Value::FileService),
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
            range::times(piece, context.units).map(|(low, high)| Value::TimeRange(low, high))?
        }
        Kind::Word(words) => word::word(piece, words, &[])?,
        Kind::Text | Kind::OptionalText => Value::Text(piece.text.to_owned()),
        Kind::List => Value::List(list::names(piece)?),
        Kind::Numbers => Value::Numbers(number::list(piece, context.units)?),
        Kind::Cpus => Value::Cpus(cpus::list(piece)?),
        Kind::CpuMask => Value::Cpus(cpus::mask(piece)?),
        Kind::Pattern => Value::Pattern(pattern::pattern(piece)?),
        Kind::Range { lone } => Value::Range(range::sizes(piece, context.units, *lone)?),
        Kind::Splits => Value::Splits(split::splits(piece, context.units)?),
        Kind::Rw => Value::Rw(word::rw(piece, context.units)?),
        Kind::MemPolicy => Value::MemPolicy(policy::memory(piece)?),
        Kind::SyncRange => Value::SyncRange(policy::sync_range(piece, context.units)?),
        Kind::FileService => Value::FileService(service::service(piece, &[])?),
        Kind::Distribution => Value::Distribution(distribution::distribution(piece, context.units, &[])?),
        Kind::Steady => Value::Steady(steady::steady(piece, context.units)?),
        Kind::Errors => Value::Errors(errors::lists(piece)?),
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
