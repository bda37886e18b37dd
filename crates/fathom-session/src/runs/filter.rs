//! Which runs of a list are shown.

use super::head::{RunHead, RunState};
use super::saved_run::SavedRun;
use super::unreadable::UnreadableState;
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
    /// Its record cannot be read, for this reason.
    Not(UnreadableState),
}

impl RunFilter {
    /// The runs that are shown, in the order of the list.
    pub fn shown<'a>(&'a self, runs: &'a [SavedRun]) -> impl Iterator<Item = &'a SavedRun> {
        let device = self.device.as_deref().map(AskedDevice::of);
        runs.iter().filter(move |run| self.fits(run, device.as_ref()))
    }

    fn fits(&self, run: &SavedRun, device: Option<&AskedDevice<'_>>) -> bool {
        match &run.head {
            Err(unreadable) => {
                let only_states = RunFilter { states: self.states.clone(), ..RunFilter::default() };
                *self == only_states && self.has(StateFilter::Not(unreadable.state))
            }
            Ok(head) => self.has(StateFilter::Is(head.state)) && self.fits_head(head, device),
        }
    }

    fn has(&self, state: StateFilter) -> bool {
        self.states.is_empty() || self.states.contains(&state)
    }

    fn fits_head(&self, head: &RunHead, device: Option<&AskedDevice<'_>>) -> bool {
        self.name.as_ref().is_none_or(|name| contains(&head.name, name))
            && self.tags.iter().all(|tag| head.tags.contains(tag))
            && self.since_unix_ns.is_none_or(|since| head.started_unix_ns >= since)
            && self.until_unix_ns.is_none_or(|until| head.started_unix_ns < until)
            && device.is_none_or(|device| device.is_of(head))
    }
}

/// The device that is asked for. A link such as `/dev/disk/by-id/…` is followed once for a list, because ten thousand runs
/// may be in it.
struct AskedDevice<'a> {
    text: &'a str,
    /// The path without links; `None` where the text is no path, or nothing is there.
    real: Option<String>,
}

impl AskedDevice<'_> {
    fn of(text: &str) -> AskedDevice<'_> {
        let real = Path::new(text).canonicalize().ok().filter(|_| text.starts_with('/'));
        AskedDevice { text, real: real.map(fathom_text::carried::of_os) }
    }

    /// Whether a run measured it. What begins with a slash is a path, and a part of a path is
    /// no device: `sda` is not `/dev/sdaa`.
    fn is_of(&self, head: &RunHead) -> bool {
        head.devices.iter().chain(&head.target).any(|known| match known.starts_with('/') {
            true => self.is_path(known),
            false => !self.text.is_empty() && contains(known, self.text),
        })
    }

    fn is_path(&self, known: &str) -> bool {
        known == self.text
            || known.strip_prefix("/dev/") == Some(self.text)
            || Some(known) == self.real.as_deref()
    }
}

/// Is a part in a text, in small or capital letters?
fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}
