//! The thread that shows the view.

use super::feed::Feed;
use super::figures::LastSecond;
use super::fio_line::fio_line;
use super::last_window::LastWindow;
use super::left::left;
use super::line::log_line;
use super::look::Look;
use super::moment::{LiveMoment, Running, phase};
use super::output::Output;
use super::panel::panel;
use super::rounds::Rounds;
use super::taints::taints;
use crate::edge::{print_line_or_drop, stderr};
use fathom_job::plan::Plan;
use fathom_job::units::Nanos;
use fathom_text::shown;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Time between two looks at what is to be printed. At each of them there is one write at most, so
/// there are at most ten in a second.
const TICK: Duration = Duration::from_millis(100);
/// Time between two views.
const VIEW_EVERY: Duration = Duration::from_millis(300);
const SECOND: Duration = Duration::from_secs(1);
/// How often the end tries to remove the view.
const ENDS_MAX: u8 = 4;
/// Seconds of the sparkline.
const HISTORY: usize = 60;
/// The clock of the run goes on for this long after the last frame: without frames, nobody knows how
/// far the run is.
const ON_MAX: Duration = Duration::from_secs(2);

/// What the thread works with.
pub struct Display {
    output: Output,
    plan: Arc<Plan>,
    /// Whether files are written before the first job starts.
    lays_out: bool,
    feed: Arc<Feed>,
    windows: Receiver<LastWindow>,
    rounds: Option<Rounds>,
    last: LastSecond,
    history: VecDeque<f64>,
    /// Jobs that had begun when the sparkline was shown last.
    begun: usize,
    began: Instant,
    /// When the latest frame came, and its time in the run.
    latest: (Instant, u64),
}

impl Display {
    /// The display of a run.
    pub fn new(
        output: Output,
        plan: Arc<Plan>,
        feed: Arc<Feed>,
        windows: Receiver<LastWindow>,
        rounds: Option<Rounds>,
    ) -> Display {
        let (last, now) = (LastSecond::of(plan.jobs.len()), Instant::now());
        let (history, latest) = (VecDeque::new(), (now, 0));
        let lays_out = plan.jobs.iter().flat_map(|job| job.files.iter()).any(|file| file.layout.0 > 0);
        Display { output, plan, lays_out, feed, windows, rounds, last, history, begun: 0, began: now, latest }
    }

    /// Shows the run until `is_over` is disconnected.
    pub fn run(mut self, is_over: &Receiver<()>) {
        let every = match self.output {
            Output::Lines(every) | Output::FioLines { every, .. } => every,
            Output::View | Output::Messages => VIEW_EVERY,
        };
        let (mut output, mut rates, mut rows) = (Every::of(every), Every::of(SECOND), Vec::new());
        while is_over.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            self.last.take(&self.windows);
            if rates.is_due() {
                self.keep_rate();
            }
            match self.output {
                Output::View if output.is_due() => rows = panel(&self.moment(), Look::now()),
                Output::Lines(_) if output.is_due() => {
                    let line = log_line(&self.moment());
                    stderr::print_or_drop(&format!("{}\n", shown::line(&line)));
                }
                Output::FioLines { on_stdout, .. } if output.is_due() => {
                    let moment = self.moment();
                    let line = fio_line(&self.plan, &self.feed, &moment);
                    match on_stdout {
                        true => print_line_or_drop(&line),
                        false => stderr::print_or_drop(&format!("{line}\n")),
                    }
                }
                _ => {}
            }
            stderr::show(&rows);
        }
        // A terminal may need a moment; one that was stopped is not waited for.
        let _ = (0..ENDS_MAX).any(|at| {
            std::thread::sleep(TICK * u32::from(at > 0));
            stderr::show(&[])
        });
    }

    /// Adds a second to the sparkline.
    fn keep_rate(&mut self) {
        let Some(figures) = self.last.figures(&self.feed) else { return };
        if self.history.len() == HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(figures.iops());
    }

    /// What is to be shown now.
    fn moment(&mut self) -> LiveMoment {
        let figures = self.last.figures(&self.feed);
        let now_ns = self.now_ns();
        let running = Running::now(&self.plan, &self.feed);
        if std::mem::replace(&mut self.begun, running.begun) != running.begun {
            // The rates of different jobs are no time line.
            self.history.clear();
        }
        let rounds = self.rounds.as_ref();
        let moment = LiveMoment {
            phase: phase(&self.plan, &self.feed, self.lays_out),
            running,
            elapsed: Nanos(self.began.elapsed().as_nanos() as u64),
            left: left(&self.plan, &self.feed, now_ns, rounds),
            taints: taints(&self.plan, &self.feed, figures.as_ref()),
            history: self.history.iter().copied().collect(),
            figures,
            ..LiveMoment::default()
        };
        moment.of_rounds(Nanos(now_ns), rounds)
    }

    /// The time of the run, which is that of frames and goes on between them. A run in virtual time
    /// has a clock of its own.
    fn now_ns(&mut self) -> u64 {
        let latest_ns = self.feed.latest_ns();
        if latest_ns != self.latest.1 {
            self.latest = (Instant::now(), latest_ns);
        }
        latest_ns + self.latest.0.elapsed().min(ON_MAX).as_nanos() as u64
    }
}

/// Something that is done each time that some time has passed.
struct Every {
    every: Duration,
    last: Instant,
}

impl Every {
    fn of(every: Duration) -> Every {
        Every { every, last: Instant::now() }
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.last.elapsed() >= self.every;
        if is_due {
            self.last = Instant::now();
        }
        is_due
    }
}
