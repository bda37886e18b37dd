//! Job files for fio on another operating system: the text of the file, changed where that system
//! differs.
//!
//! A [`System`] is a table: its asynchronous engine, the name of a device, what must have another
//! value there, and what it does not have. Everything else of the text stays as it is.

mod back;
mod line;
mod rewrite;
pub mod solaris;
#[cfg(test)]
mod tests;
pub mod windows;

use back::from;
use rewrite::to;

use crate::option::{OptionDef, OptionRelation, OptionStatus};

/// How an operating system differs, for job files.
struct System {
    /// The form's word on the command line.
    form: &'static str,
    /// The name of the system.
    name: &'static str,
    /// fio's asynchronous engine there.
    engine: &'static str,
    /// Engines of Linux that become that one.
    engines: &'static [&'static str],
    /// The name of the device number `at`, from 0, where only a person knows the right one.
    device: fn(at: usize) -> String,
    /// Is this the name of a device there?
    is_device: fn(path: &str) -> bool,
    /// How the name of a device is completed.
    device_hint: &'static str,
    /// What to do about the path of a file.
    path_hint: &'static str,
    /// Options with another value there: option, value here, value there, why.
    forced: &'static [(&'static str, &'static str, &'static str, &'static str)],
    /// An option that each job must have there, its value, and why.
    required: Option<(&'static str, &'static str, &'static str)>,
    /// Options that the system does not have.
    dropped: &'static [Drop],
}

/// An option that a system does not have.
struct Drop {
    option: &'static str,
    /// Only these values, in small letters; empty for all.
    values: &'static [&'static str],
    why: &'static str,
}

impl Drop {
    const fn of(option: &'static str, why: &'static str) -> Self {
        Drop { option, values: &[], why }
    }

    const fn when(option: &'static str, values: &'static [&'static str], why: &'static str) -> Self {
        Drop { option, values, why }
    }

    fn covers(&self, option: &str, value: &str) -> bool {
        self.option == option && (self.values.is_empty() || self.values.contains(&value))
    }
}

/// Engines of fio that are the same on every system.
const EVERYWHERE: &[&str] = &["sync", "psync", "vsync", "mmap", "null"];

impl System {
    /// The engine there, if it has a counterpart.
    fn engine_there<'a>(&self, engine: &'a str) -> Option<&'a str>
    where
        Self: 'a,
    {
        match () {
            () if self.engines.contains(&engine) => Some(self.engine),
            () if EVERYWHERE.contains(&engine) => Some(engine),
            // Both are pread and pwrite with another call.
            () if matches!(engine, "pvsync" | "pvsync2") => Some("psync"),
            () => None,
        }
    }

    /// Why an option with this value is left out there.
    fn why_dropped(&self, def: &OptionDef, value: &str) -> Option<String> {
        let name = if let OptionRelation::Becomes(other) = def.relation { other } else { def.name };
        if let Some(drop) = self.dropped.iter().find(|drop| drop.covers(name, value)) {
            return Some(drop.why.to_owned());
        }
        if def.source == "fathom" {
            return Some("it is an option of fathom, and fio does not have it".to_owned());
        }
        if let OptionStatus::Refused(why) = def.status {
            return Some(why.to_owned());
        }
        let is_kept = |engine: &&str| self.engine_there(engine) == Some(engine);
        (!def.engines.is_empty() && !def.engines.iter().any(is_kept)).then(|| {
            format!("it is an option of {}, which {} does not have", def.engines.join(" and "), self.name)
        })
    }
}
