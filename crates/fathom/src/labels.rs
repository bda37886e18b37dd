//! `--name`, `--note` and `--tag`: what a person writes on a run.

use crate::args::carried;
use clap::Args;
use clap::builder::TypedValueParser;
use fathom_session::RunLabels;
use fathom_session::runs::LATEST;

/// The longest name, in characters: it is part of lists and headings.
const NAME_MAX_CHARS: usize = 80;

/// The longest note, in characters.
const NOTE_MAX_CHARS: usize = 4000;

/// What a person writes on a run.
#[derive(Clone, Debug, Default, Args)]
pub struct LabelArgs {
    /// Name of this run in lists and reports; `fathom report NAME` finds it
    #[arg(long, value_name = "NAME", value_parser = carried().try_map(name))]
    pub name: Option<String>,
    /// A remark that is saved with this run
    #[arg(long, value_name = "TEXT", value_parser = carried().try_map(note))]
    pub note: Option<String>,
    /// A word by which `fathom runs --tag` finds this run; may be repeated
    #[arg(long, value_name = "WORD", value_parser = carried().try_map(tag))]
    pub tag: Vec<String>,
}

impl LabelArgs {
    /// As values for a session. A word that was given twice counts once.
    pub fn labels(&self) -> RunLabels {
        let mut tags: Vec<String> = Vec::new();
        for tag in &self.tag {
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        RunLabels { name: self.name.clone(), note: self.note.clone(), tags, claims: None }
    }
}

/// A name must not be taken for something else that names a run: a path, or `latest`.
fn name(text: String) -> Result<String, String> {
    match text.chars().count() {
        0 => Err("give a name such as new-firmware".to_owned()),
        1..=NAME_MAX_CHARS if text.trim() != text => Err("a name begins and ends without a blank".to_owned()),
        1..=NAME_MAX_CHARS if text.contains('/') => Err("a name has no slash, as a path would".to_owned()),
        1..=NAME_MAX_CHARS if text == LATEST => Err("`latest` always names the newest run".to_owned()),
        1..=NAME_MAX_CHARS => Ok(text),
        _ => Err(format!("a name has at most {NAME_MAX_CHARS} characters; --note takes a longer text")),
    }
}

fn note(text: String) -> Result<String, String> {
    match text.chars().count() {
        0..=NOTE_MAX_CHARS => Ok(text),
        _ => Err(format!("a note has at most {NOTE_MAX_CHARS} characters")),
    }
}

fn tag(text: String) -> Result<String, String> {
    let is_word = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == ',');
    match is_word && text.chars().count() <= NAME_MAX_CHARS {
        true => Ok(text),
        false => Err(format!(
            "a tag is one word of at most {NAME_MAX_CHARS} characters; --tag may be given several times"
        )),
    }
}
