//! What one option *is*: a row of the option table.
//!
//! A row is data. The parser, `--cmdhelp`, the reference page and the plan all
//! read the same row, so an option is added by writing one row in a file under
//! `options/` and reading its [`Key`] where it is honoured.

use crate::value::FromValue;
use std::marker::PhantomData;

/// The grammar of an option's value.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Present or absent; also takes `=0` and `=1` (fio's STR_SET).
    Flag,
    /// Takes a digit: `0` or `1` (fio's BOOL).
    Bool,
    /// A whole number within bounds; accepts suffixes and arithmetic.
    Int {
        /// Smallest allowed.
        min: i64,
        /// Largest allowed.
        max: i64,
    },
    /// A number with a decimal point.
    Float {
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// An amount of data.
    Size {
        /// Smallest allowed, in bytes.
        min: u64,
        /// `N%` is allowed.
        percent: bool,
        /// `Nz` is allowed.
        zones: bool,
    },
    /// A span of time.
    Time {
        /// A bare number counts seconds (else microseconds).
        bare_seconds: bool,
    },
    /// One time or `low-high`, bare numbers in seconds.
    TimeRange,
    /// One of a fixed set of words: (spelling, canonical word). The value may
    /// carry a `:rest` where the row says so by a spelling that ends in `:`.
    Word(&'static [(&'static str, &'static str)]),
    /// Free text to the end of the line.
    Text,
    /// Free text, or nothing at all (`write_bw_log`).
    OptionalText,
    /// Names separated by `:`; `\:` is a colon.
    List,
    /// Numbers separated by `:` (at most 20).
    Numbers,
    /// `0,2,8-15`.
    Cpus,
    /// A bit mask of CPUs; reads as a CPU list.
    CpuMask,
    /// Decimal, `0x…`, `"text"`, mixed: a buffer pattern.
    Pattern,
    /// The same, with `%o` for the offset of the block.
    VerifyPattern,
    /// `low-high`.
    Range {
        /// One size alone is a range of itself.
        lone: bool,
    },
    /// `size/percent:size/percent…`.
    Splits,
    /// An access pattern with optional `:N`.
    Rw,
    /// `default`, `local`, `prefer:N`, `bind:LIST`, `interleave:LIST`.
    MemPolicy,
    /// `wait_before,write,wait_after:N`.
    SyncRange,
    /// `iops`, `bw` or `lat`, or the slope of one, with a limit: `iops_slope:0.5%`.
    Steady,
    /// `roundrobin`, `random` or `sequential`, each with an optional `:N`.
    FileService,
    /// A distribution of random offsets: `zipf:1.2`, `zoned:60/10:40/90`.
    Distribution,
    /// Error names or numbers, `read:…,write:…,verify:…`.
    Errors,
    /// `read,write,trim` of another kind; missing trailing entries copy the
    /// previous one.
    PerDirection(&'static Kind),
}

/// What fathom does with an option. No option is ignored silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionStatus {
    /// As fio does.
    Honoured,
    /// Honoured, with a stated difference.
    Differently(&'static str),
    /// Accepted; it has no effect here, and why.
    NoEffect(&'static str),
    /// An error, and why.
    Refused(&'static str),
}

/// How an option relates to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionRelation {
    /// It does not relate to another one.
    Alone,
    /// The other says the opposite (`direct` and `buffered`), or has the rest
    /// of 100 percent (`rwmixread` and `rwmixwrite`): setting one sets both,
    /// and the last one wins.
    Opposite(&'static str),
    /// Another spelling of the other's value; kept as the other.
    Becomes(&'static str),
}

/// A row of the option table.
#[derive(Debug)]
pub struct OptionDef {
    /// Canonical name, fio's.
    pub name: &'static str,
    /// Other accepted spellings.
    pub aliases: &'static [&'static str],
    /// Grammar of the value.
    pub kind: Kind,
    /// Default as a job file would spell it; empty when there is none.
    pub default: &'static str,
    /// One line: what it means, with its unit.
    pub help: &'static str,
    /// What fathom does with it.
    pub status: OptionStatus,
    /// Engines it is private to; empty for all.
    pub engines: &'static [&'static str],
    /// Those of them for which fio takes it and fathom does not, each with its reason.
    pub refused_engines: &'static [(&'static str, &'static str)],
    /// Words that fio has and fathom refuses, each with its reason.
    pub refused_words: &'static [(&'static str, &'static str)],
    /// Its relation to another option.
    pub relation: OptionRelation,
    /// It is refused, but a job without it has the same figures: `fathom fio` leaves it out, with a warning.
    pub changes_no_figure: bool,
    /// What to use in the place of a refused option: the hint of its error.
    pub instead: &'static str,
    /// Where the meaning comes from: fio's manual by default; contract IDs or
    /// `fathom` for options that only fathom has.
    pub source: &'static str,
}

impl OptionDef {
    /// The row that others are based on: a text option, honoured.
    pub const BASE: OptionDef = OptionDef {
        name: "",
        aliases: &[],
        kind: Kind::Text,
        default: "",
        help: "",
        status: OptionStatus::Honoured,
        engines: &[],
        refused_engines: &[],
        refused_words: &[],
        relation: OptionRelation::Alone,
        changes_no_figure: false,
        instead: "",
        source: "fio HOWTO",
    };
    /// A flag, off unless given.
    pub const FLAG: OptionDef = OptionDef { kind: Kind::Flag, default: "0", ..Self::BASE };
    /// A boolean that is off by default.
    pub const OFF: OptionDef = OptionDef { kind: Kind::Bool, default: "0", ..Self::BASE };
    /// A row that is refused: why, and what to use in its place.
    pub const fn refused(why: &'static str, instead: &'static str) -> OptionDef {
        OptionDef { status: OptionStatus::Refused(why), instead, ..Self::BASE }
    }
    /// The same for an option without which a job has the same figures.
    pub const fn or_left_out(self) -> OptionDef {
        OptionDef { changes_no_figure: true, ..self }
    }
    /// A boolean that is on by default.
    pub const ON: OptionDef = OptionDef { kind: Kind::Bool, default: "1", ..Self::BASE };

    /// The canonical name, then the other spellings.
    pub fn names(&'static self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Why the option is refused with this engine, if it is.
    pub fn refused_with(&self, engine: &str) -> Option<&'static str> {
        self.refused_engines.iter().find(|(name, _)| *name == engine).map(|(_, why)| *why)
    }

    /// The engines that it is private to, without those for which it is refused; empty for all.
    pub fn honouring_engines(&self) -> Vec<&'static str> {
        self.engines.iter().copied().filter(|engine| self.refused_with(engine).is_none()).collect()
    }

    /// A row of this sort.
    pub const fn row(self, name: &'static str, help: &'static str) -> OptionDef {
        OptionDef { name, help, ..self }
    }
    /// The same with another grammar, and its default (empty if there is none).
    pub const fn of(
        self,
        name: &'static str,
        kind: Kind,
        default: &'static str,
        help: &'static str,
    ) -> OptionDef {
        OptionDef { name, kind, default, help, ..self }
    }
    /// A row of this sort, a boolean that is off by default.
    pub const fn off(self, name: &'static str, help: &'static str) -> OptionDef {
        self.of(name, Kind::Bool, "0", help)
    }
}

impl Kind {
    /// A count: any 32-bit number.
    pub const COUNT: Kind = Kind::Int { min: 0, max: u32::MAX as i64 };
    /// A whole number of percent.
    pub const PERCENT: Kind = Kind::Int { min: 0, max: 100 };
    /// An amount of data in bytes.
    pub const BYTES: Kind = Kind::Size { min: 0, percent: false, zones: false };
    /// An amount of data in bytes, at least one.
    pub const BLOCK: Kind = Kind::Size { min: 1, percent: false, zones: false };
    /// An amount of data in bytes, percent or zones.
    pub const AMOUNT: Kind = Kind::Size { min: 0, percent: true, zones: true };
    /// A time whose bare numbers are seconds.
    pub const SECONDS: Kind = Kind::Time { bare_seconds: true };
    /// A time whose bare numbers are microseconds.
    pub const MICROS: Kind = Kind::Time { bare_seconds: false };
}

/// A row together with the Rust type of its value.
pub struct Key<T: 'static> {
    /// The row.
    pub def: &'static OptionDef,
    value: PhantomData<fn() -> T>,
}

impl<T: FromValue> Key<T> {
    /// The key of a row; used by the [`table!`](crate::table) macro.
    pub const fn of(def: &'static OptionDef) -> Self {
        Key { def, value: PhantomData }
    }
}

/// Declares rows and their keys in one place.
///
/// ```text
/// table! {
///     IODEPTH: u32 = OptionDef { name: "iodepth", kind: Kind::Int { min: 1, max: 65536 }, default: "1", ..OptionDef::BASE };
/// }
/// ```
/// makes `pub const IODEPTH: Key<u32>` and lists the row in `pub const ROWS`.
/// Options that nothing reads (refused, without effect) are in plain arrays.
#[macro_export]
macro_rules! table {
    ($($key:ident: $type:ty = $def:expr;)*) => {
        $(/// The key of the option of this name; the `help` of its row says what it means.
        pub const $key: $crate::option::Key<$type> = {
            const DEF: &$crate::option::OptionDef = &$def;
            $crate::option::Key::of(DEF)
        };)*
        pub(super) const ROWS: &[&$crate::option::OptionDef] = &[$($key.def),*];
        /// Each row with a check that a value reads as its key's type.
        #[cfg(test)]
        pub(super) const READS: &[(&str, $crate::option::Reads)] =
            &[$(($key.def.name, |v| match v {
                Some(v) => <$type as $crate::value::FromValue>::from_value(v).is_some(),
                None => <$type as $crate::value::FromValue>::unset().is_some(),
            })),*];
    };
}

/// Does a value, or the lack of one, read as the type of a row's key?
#[cfg(test)]
pub(crate) type Reads = fn(Option<&crate::value::Value>) -> bool;

/// Declares rows that nothing reads: refused ones and those without effect.
#[macro_export]
macro_rules! rows {
    ($($def:expr;)*) => {
        pub(super) const ROWS: &[&$crate::option::OptionDef] = &[$(&$def),*];
    };
}
