//! Which runs of a list are shown.

use super::head::{RunHead, RunState};
use super::saved_run::SavedRun;
use std::path::Path;

/// What a run must be to be shown. An empty filter shows every run, also the damaged ones, of which
/// nothing else is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// It measured this device: its path, its kernel name, or a part of its model or serial number; or
    /// this file.
    pub device: Option<String>,
    /// Its name contains this, in small or capital letters.
    pub name: Option<String>,
    /// It has all of these words.
    pub tags: Vec<String>,
    /// It began at this time or later, ns since 1970 UTC.
    pub since_unix_ns: Option<u64>,
    /// It began before this time, ns since 1970 UTC.
    pub until_unix_ns: Option<u64>,
    /// It is in one of these states; in any where there is none.
    pub states: Vec<StateFilter>,
}

/// A state by which runs are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFilter {
    /// Its record can be read, and says this.
    Is(RunState),
    /// Its record cannot be read.
    Damaged,
}

impl RunFilter {
    /// Is this run shown?
    pub fn fits(&self, run: &SavedRun) -> bool {
        match &run.head {
            Err(_) => {
                let only_states = RunFilter { states: self.states.clone(), ..RunFilter::default() };
                *self == only_states && self.has(StateFilter::Damaged)
            }
            Ok(head) => self.has(StateFilter::Is(head.state)) && self.fits_head(head),
        }
    }

    fn has(&self, state: StateFilter) -> bool {
        self.states.is_empty() || self.states.contains(&state)
    }

    fn fits_head(&self, head: &RunHead) -> bool {
        let contains = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        self.name.as_ref().is_none_or(|name| contains(&head.name, name))
            && self.tags.iter().all(|tag| head.tags.contains(tag))
            && self.since_unix_ns.is_none_or(|since| head.started_unix_ns >= since)
            && self.until_unix_ns.is_none_or(|until| head.started_unix_ns < until)
            && self.device.as_ref().is_none_or(|device| measured(head, device))
    }
}

/// Whether a run measured this device. What begins with a slash is a path, and a part of a path is
/// no device: `sda` is not `/dev/sdaa`.
fn measured(head: &RunHead, device: &str) -> bool {
    let real = Path::new(device).canonicalize().ok().filter(|_| device.starts_with('/'));
    let real = real.as_ref().map(fathom_text::carried::of_os);
    let is_path = |known: &str| {
        known == device || known.strip_prefix("/dev/") == Some(device) || Some(known) == real.as_deref()
    };
    let is_part = |known: &str| known.to_lowercase().contains(&device.to_lowercase());
    head.devices.iter().chain(&head.target).any(|known| match known.starts_with('/') {
        true => is_path(known),
        false => !device.is_empty() && is_part(known),
    })
}
