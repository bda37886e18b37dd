//! The live view: what a run does at the moment, on standard error.
//!
//! On a terminal it is a panel of up to seven lines. Elsewhere it is a line every ten seconds; under the name fio it is fio's line.
//!
//! The view cannot change what is measured. The thread that delivers frames leaves numbers in a
//! [`Feed`], which never waits; one thread of low rate reads them and writes ([`Display`]). If
//! the terminal does not take what is written, that thread waits alone, and the run ends without it.

mod bar;
mod display;
mod feed;
mod figures;
mod fio_line;
mod last_window;
mod left;
mod line;
mod look;
mod moment;
mod output;
mod panel;
mod pauses;
mod progress;
mod rounds;
mod taints;
#[cfg(test)]
mod tests;

pub use progress::Progress;
pub use rounds::Rounds;

use crate::edge::stderr;
use display::Display;
use fathom_job::plan::Plan;
use fathom_results::Frame;
use feed::Feed;
use output::Output;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

/// How long the end of a run waits for the view to be removed. A terminal that was stopped would
/// hold it up without limit.
const END_WAIT: Duration = Duration::from_millis(500);

/// The live view of a run.
pub struct Live {
    feed: Arc<Feed>,
    /// Dropped to end the display.
    over: Sender<()>,
    /// Disconnected when the display has ended.
    ended: Receiver<()>,
}

impl Live {
    /// Starts the display of a run. Its thread also prints the messages of the run, so it runs even if
    /// no progress is shown. If no thread can be started, the run goes on without the view.
    pub fn start(progress: Progress, plan: &Arc<Plan>, rounds: Option<Rounds>) -> Option<Live> {
        let output = Output::of(progress);
        let (feed, windows) = Feed::of(plan, output != Output::Messages);
        let feed = Arc::new(feed);
        let ((over, is_over), (ending, ended)) = (channel(), channel::<()>());
        let display = Display::new(output, plan.clone(), feed.clone(), windows, rounds);
        stderr::has_writer(true);
        let work = move || {
            display.run(&is_over);
            drop(ending);
        };
        match Builder::new().name("progress".to_owned()).spawn(work) {
            Ok(_) => Some(Live { feed, over, ended }),
            Err(_) => {
                stderr::has_writer(false);
                None
            }
        }
    }

    /// Takes the numbers of a frame. It never waits.
    pub fn frame(&self, frame: &Frame) {
        self.feed.frame(frame);
    }

    /// Removes the view, and prints what waits to be printed. A terminal that takes nothing is not
    /// waited for: what it did not take is printed before the next text.
    pub fn stop(self) {
        drop(self.over);
        let _ = self.ended.recv_timeout(END_WAIT);
        stderr::has_writer(false);
    }
}
