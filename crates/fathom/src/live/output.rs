//! What the display writes for a run.

use super::look::Look;
use super::progress::Progress;
use std::time::Duration;

/// What the display writes, besides messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Nothing.
    Messages,
    /// The view, on a terminal.
    View,
    /// A line each time that this much time has passed.
    Lines(Duration),
}

impl Output {
    /// What is written of this progress to the present standard error.
    pub fn of(progress: Progress) -> Output {
        if Look::has_view() {
            return if progress.is_shown() { Output::View } else { Output::Messages };
        }
        progress.line_every().map_or(Output::Messages, Output::Lines)
    }
}
