//! A parsed option value, and how typed code takes it out again.
//!
//! The variant follows from the option's [`Kind`](crate::option::Kind); a
//! [`Key<T>`](crate::option::Key) names the Rust type, and [`FromValue`] is the
//! one bridge between the two.

use crate::direction::PerDirection;
use crate::distribution::Distribution;
use crate::steady::SteadyTerms;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// An amount given in bytes, as a share of the file, or in zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
    /// Absolute.
    Bytes(Bytes),
    /// `N%` of the file or device, 0 to 100.
    Percent(u8),
    /// `Nz`: zones of a zoned device.
    Zones(u32),
}

/// An inclusive range of sizes, `low <= high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeRange {
    /// Smallest.
    pub low: Bytes,
    /// Largest.
    pub high: Bytes,
}

/// One entry of `bssplit`: a block size and its share of the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// The block size.
    pub bytes: Bytes,
    /// Percent of I/Os; `None` shares what the others leave.
    pub percent: Option<u8>,
}

/// The access pattern of `rw=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rw {
    /// Which directions take part.
    pub mix: Mix,
    /// Random offsets rather than sequential ones.
    pub random: bool,
    /// The `:N` postfix: for random, a new offset every N I/Os; for
    /// sequential, a hole of N bytes (may be negative) after each I/O.
    pub postfix: Option<i64>,
}

/// The directions of an access pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mix {
    /// Reads only.
    Read,
    /// Writes only.
    Write,
    /// Trims only.
    Trim,
    /// Reads and writes, by `rwmixread`.
    ReadWrite,
    /// Each block trimmed, then written.
    TrimWrite,
}

/// Where a worker's memory comes from (`numa_mem_policy`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemPolicy {
    /// The policy of the process.
    Default,
    /// The node the worker runs on.
    Local,
    /// This node while it has room.
    Prefer(usize),
    /// These nodes only.
    Bind(Vec<usize>),
    /// These nodes in turn, page by page.
    Interleave(Vec<usize>),
}

/// `sync_file_range`: flags, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncRange {
    /// `SYNC_FILE_RANGE_WAIT_BEFORE`.
    pub wait_before: bool,
    /// `SYNC_FILE_RANGE_WRITE`.
    pub write: bool,
    /// `SYNC_FILE_RANGE_WAIT_AFTER`.
    pub wait_after: bool,
    /// Called after this many writes.
    pub every: u32,
}

/// `file_service_type`: which file is next, and for how many I/Os.
#[derive(Clone, Debug, PartialEq)]
pub struct FileService {
    /// Which file comes next.
    pub order: FileOrder,
    /// I/Os in a row before the next file is chosen, at least 1. It has no
    /// meaning for `sequential`, which stays with a file to its end, and is 1 where the choice is skewed.
    pub every: u32,
}

/// The order in which a job serves its files.
#[derive(Clone, Debug, PartialEq)]
pub enum FileOrder {
    /// One after the other, again and again.
    RoundRobin,
    /// A random file each time.
    Random,
    /// Each to its end, then the next.
    Sequential,
    /// Some files more often than others: by zipf, pareto or a normal distribution.
    Skewed(Distribution),
}

/// `ignore_error`: errno values that are not failures, by kind of I/O.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IgnoredErrors {
    /// On reads.
    pub read: Vec<i32>,
    /// On writes.
    pub write: Vec<i32>,
    /// On verification.
    pub verify: Vec<i32>,
}

/// A parsed option value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A flag or boolean.
    Flag(bool),
    /// A whole number.
    Int(i64),
    /// A fraction.
    Float(f64),
    /// An amount of data.
    Size(Size),
    /// A span of time.
    Time(Nanos),
    /// A range of times, low to high.
    TimeRange(Nanos, Nanos),
    /// One of the option's fixed words, in canonical spelling.
    Word(&'static str),
    /// Free text.
    Text(String),
    /// A colon-separated list, escapes resolved.
    List(Vec<String>),
    /// A colon-separated list of numbers.
    Numbers(Vec<f64>),
    /// CPU numbers, ascending, without repeats.
    Cpus(Vec<usize>),
    /// Bytes of a buffer pattern.
    Pattern(Vec<u8>),
    /// Bytes of a pattern that is verified, and where the offset of the block is among them.
    VerifyPattern(fathom_verify::Pattern),
    /// A range of sizes.
    Range(SizeRange),
    /// Weighted block sizes.
    Splits(Vec<Split>),
    /// An access pattern.
    Rw(Rw),
    /// A memory policy.
    MemPolicy(MemPolicy),
    /// When and how to call sync_file_range.
    SyncRange(SyncRange),
    /// Which file the next I/O goes to.
    FileService(FileService),
    /// How random offsets are spread.
    Distribution(Distribution),
    /// What must be steady.
    Steady(SteadyTerms),
    /// Error numbers to ignore.
    Errors(IgnoredErrors),
    /// A value for each direction.
    PerDirection(Box<PerDirection<Value>>),
}

/// Types that an option value can be read as.
pub trait FromValue: Sized {
    /// The value as this type; `None` when the variant does not fit, which
    /// for a correct option table cannot happen (a test walks the table).
    fn from_value(value: &Value) -> Option<Self>;
    /// What an option reads as when it is neither set nor has a default.
    fn unset() -> Option<Self> {
        None
    }
}

macro_rules! from_value {
    ($($type:ty: $pattern:pat => $out:expr;)*) => {
        $(impl FromValue for $type {
            fn from_value(value: &Value) -> Option<Self> {
                match value { $pattern => $out, _ => None }
            }
        })*
    };
}

from_value! {
    bool: Value::Flag(b) => Some(*b);
    i64: Value::Int(n) => Some(*n);
    u32: Value::Int(n) => u32::try_from(*n).ok();
    u64: Value::Int(n) => u64::try_from(*n).ok();
    f64: Value::Float(x) => Some(*x);
    Size: Value::Size(s) => Some(*s);
    Bytes: Value::Size(Size::Bytes(b)) => Some(*b);
    Nanos: Value::Time(t) => Some(*t);
    (Nanos, Nanos): Value::TimeRange(a, b) => Some((*a, *b));
    &'static str: Value::Word(w) => Some(*w);
    String: Value::Text(t) => Some(t.clone());
    Vec<String>: Value::List(l) => Some(l.clone());
    Vec<f64>: Value::Numbers(l) => Some(l.clone());
    Vec<usize>: Value::Cpus(l) => Some(l.clone());
    Vec<u8>: Value::Pattern(p) => Some(p.clone());
    fathom_verify::Pattern: Value::VerifyPattern(p) => Some(p.clone());
    SizeRange: Value::Range(r) => Some(*r);
    Vec<Split>: Value::Splits(s) => Some(s.clone());
    Rw: Value::Rw(rw) => Some(*rw);
    MemPolicy: Value::MemPolicy(p) => Some(p.clone());
    SyncRange: Value::SyncRange(s) => Some(*s);
    FileService: Value::FileService(s) => Some(s.clone());
    Distribution: Value::Distribution(d) => Some(d.clone());
    SteadyTerms: Value::Steady(s) => Some(*s);
    IgnoredErrors: Value::Errors(e) => Some(e.clone());
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Option<Self> {
        T::from_value(value).map(Some)
    }
    fn unset() -> Option<Self> {
        Some(None)
    }
}

impl<T: FromValue> FromValue for PerDirection<T> {
    fn from_value(value: &Value) -> Option<Self> {
        let Value::PerDirection(each) = value else { return None };
        Some(PerDirection {
            read: T::from_value(&each.read)?,
            write: T::from_value(&each.write)?,
            trim: T::from_value(&each.trim)?,
        })
    }
}
