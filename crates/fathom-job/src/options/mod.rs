//! The option table: every option that fio has, and what fathom does with it.
//!
//! One file per topic. The planner or the engine reads a row with a [`Key`](crate::option::Key);
//! rows that nothing reads are in separate files: options not built yet (`verify`, `zone`,
//! `replay`, `foreign`, `later`), and options that will never be honoured (`never`). To add an
//! option, write its row in the file of its topic and read its key where it is honoured.

mod buffer;
mod cpu;
mod depth;
mod durability;
mod engine;
mod engine_private;
mod error;
mod foreign;
mod job;
mod later;
mod layout;
mod log;
mod meant;
mod nearest;
mod never;
mod oracle;
mod pace;
mod pattern;
mod replay;
mod size;
mod statistics;
mod steady;
mod target;
#[cfg(test)]
mod tests;
mod time;
mod verify;
mod zone;

pub use self::{
    buffer::*, cpu::*, depth::*, durability::*, engine::*, engine_private::*, error::*, job::*, layout::*,
    log::*, oracle::*, pace::*, pattern::*, size::*, statistics::*, steady::*, target::*, time::*,
};
pub(crate) use meant::meant;
pub use nearest::nearest_of;

use crate::option::OptionDef;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The files of the table, in the order of the reference.
const FILES: &[&[&OptionDef]] = &[
    job::ROWS,
    target::ROWS,
    layout::ROWS,
    pattern::ROWS,
    size::ROWS,
    engine::ROWS,
    engine_private::ROWS,
    oracle::ROWS,
    depth::ROWS,
    time::ROWS,
    steady::ROWS,
    pace::ROWS,
    cpu::ROWS,
    buffer::ROWS,
    durability::ROWS,
    statistics::ROWS,
    log::ROWS,
    error::ROWS,
    verify::ROWS,
    zone::ROWS,
    replay::ROWS,
    foreign::ROWS,
    later::ROWS,
    never::ROWS,
];

/// Every row.
pub fn all() -> impl Iterator<Item = &'static OptionDef> {
    FILES.iter().flat_map(|rows| rows.iter().copied())
}

/// The row of a name or alias, spelled exactly.
pub fn find(name: &str) -> Option<&'static OptionDef> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static OptionDef>> = OnceLock::new();
    let by_name =
        BY_NAME.get_or_init(|| all().flat_map(|def| def.names().map(move |name| (name, def))).collect());
    by_name.get(name).copied()
}

/// Is this an option with its value, such as `rw=write`, and no name of a file?
pub fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| find(name).is_some())
}

/// The option that is probably meant by a name that is none: one with another name in fio, or the nearest in spelling,
/// if any is near enough.
pub fn nearest(name: &str) -> Option<&'static str> {
    meant::meant(name).or_else(|| nearest_of(name, all().flat_map(OptionDef::names)))
}
