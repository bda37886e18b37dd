//! The options as one JSON document: what `fathom options --json` prints.

use super::{kind, standing, status, words};
use crate::option::OptionDef;
use crate::options;
use schemars::JsonSchema;
use serde::Serialize;

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// What fathom does with options of fio.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OptionsDocument {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The options: all of them, or the one that was named.
    pub options: Vec<OptionStanding>,
}

/// One option.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OptionStanding {
    /// Its name.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// What it sets.
    pub help: &'static str,
    /// What fathom does with it: `honoured`, `partly`, `differently`, `no effect` or `refused`.
    pub standing: &'static str,
    /// The same in words, with the reason.
    pub status: String,
    /// The form of its value, in words.
    pub value: String,
    /// The words that its value may be, separated by commas; empty where it is no word.
    pub words: String,
    /// What holds without it; null where nothing does.
    pub default: Option<&'static str>,
    /// The engines that have it; empty for all engines.
    pub engines: &'static [&'static str],
}

impl OptionsDocument {
    /// The option of this name, or all for `all`; `None` if there is no such option.
    pub fn of(name: &str) -> Option<Self> {
        let options = match name {
            "all" => options::all().map(OptionStanding::of).collect(),
            name => vec![OptionStanding::of(options::find(name)?)],
        };
        Some(OptionsDocument { format: FORMAT, options })
    }
}

impl OptionStanding {
    fn of(def: &'static OptionDef) -> Self {
        OptionStanding {
            name: def.name,
            aliases: def.aliases,
            help: def.help,
            standing: standing(def),
            status: status(def),
            value: kind(&def.kind),
            words: words(&def.kind),
            default: (!def.default.is_empty()).then_some(def.default),
            engines: def.engines,
        }
    }
}
