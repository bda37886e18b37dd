//! The progress line: one line on a terminal that is rewritten; without a terminal it is
//! not shown, unless asked for: then a line a second.
//!
//! Four times a second it shows the figures that frames left; it never touches the workers.

use crate::edge::{progress, progress_line};
use fathom_job::direction::Direction;
use fathom_job::fio_cli::Eta;
use fathom_job::plan::Plan;
use fathom_job::units::{Bytes, Nanos};
use fathom_results::{Frame, Phase};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// What the line shows. Each frame updates it, and the display thread reads it.
struct LiveState(Mutex<Shown>);

#[derive(Default)]
struct Shown {
    running: Vec<bool>,
    names: Vec<String>,
    phase: Option<Phase>,
    ios: [u64; 3],
    bytes: [u64; 3],
    ended: usize,
    is_over: bool,
}

/// The display thread.
pub struct Live {
    state: Arc<LiveState>,
    thread: JoinHandle<()>,
}

impl LiveState {
    /// Updates the figures from a frame.
    fn frame(&self, frame: &Frame) {
        let Ok(mut shown) = self.0.lock() else { return };
        match frame {
            Frame::Window(w) => {
                let span_ns = (w.end_ns - w.start_ns).max(1);
                let sum = |f: fn(&fathom_results::DirectionWindow) -> u64, d: Direction| {
                    w.directions.iter().filter(|(x, _)| *x == d).map(|(_, c)| f(c)).sum::<u64>()
                };
                for (at, d) in Direction::ALL.into_iter().enumerate() {
                    let rate = |n: u64| (u128::from(n) * 1_000_000_000 / u128::from(span_ns)) as u64;
                    // Several workers report, one after the other; the line shows a running
                    // mean over them.
                    let jobs = shown.running.iter().filter(|r| **r).count().max(1) as u64;
                    shown.ios[at] = smooth(shown.ios[at], rate(sum(|c| c.ios, d)) * jobs, jobs);
                    shown.bytes[at] = smooth(shown.bytes[at], rate(sum(|c| c.bytes, d)) * jobs, jobs);
                }
            }
            Frame::Phase { job, phase, .. } => {
                if let Some(running) = shown.running.get_mut(*job as usize) {
                    *running = matches!(phase, Phase::Ramp | Phase::Measure);
                }
                shown.phase = Some(*phase);
            }
            Frame::Ended(outcome) => {
                if let Some(running) = shown.running.get_mut(outcome.job as usize) {
                    *running = false;
                }
                shown.ended += 1;
                (shown.ios, shown.bytes) = ([0; 3], [0; 3]);
            }
            Frame::Event(_) => {}
        }
    }
}

/// The running mean over `weight` workers, with one new value.
fn smooth(old: u64, new: u64, weight: u64) -> u64 {
    if old == 0 { new } else { (old * (weight - 1) + new) / weight }
}

impl Live {
    /// Starts the display, if the line is to be shown. If no thread can be started, the
    /// run goes on without the line.
    pub fn start(progress: Eta, plan: &Plan) -> Option<Live> {
        let names = plan.jobs.iter().map(|j| j.name.clone()).collect::<Vec<_>>();
        let shown = Shown { running: vec![false; names.len()], names, ..Shown::default() };
        let state = Arc::new(LiveState(Mutex::new(shown)));
        let is_terminal = std::io::stderr().is_terminal();
        let shows = progress == Eta::Always || (progress == Eta::Auto && is_terminal);
        let (expected, display_of) = (plan.expected_time(), state.clone());
        let display = move || display(&display_of, expected, is_terminal);
        let spawn = || Builder::new().name("progress".to_owned()).spawn(display).ok();
        let thread = if shows { spawn()? } else { return None };
        Some(Live { state, thread })
    }

    /// Updates the line from a frame.
    pub fn frame(&self, frame: &Frame) {
        self.state.frame(frame);
    }

    /// Removes the line.
    pub fn stop(self) {
        if let Ok(mut shown) = self.state.0.lock() {
            shown.is_over = true;
        }
        let _ = self.thread.join();
    }
}

fn display(state: &LiveState, expected: Option<Nanos>, is_terminal: bool) {
    let start = Instant::now();
    let step = Duration::from_millis(if is_terminal { 250 } else { 1000 });
    loop {
        let (line, is_over) = match state.0.lock() {
            Ok(shown) => (line(&shown, start.elapsed(), expected), shown.is_over),
            Err(_) => return,
        };
        if is_over {
            if is_terminal {
                progress(None);
            }
            return;
        }
        if is_terminal {
            progress(Some(&line));
        } else {
            progress_line(&line);
        }
        // Short sleeps, so that the end of the run does not wait for this thread.
        for _ in 0..step.as_millis() / 50 {
            std::thread::sleep(Duration::from_millis(50));
            if state.0.lock().is_ok_and(|s| s.is_over) {
                break;
            }
        }
    }
}

fn line(shown: &Shown, elapsed: Duration, expected: Option<Nanos>) -> String {
    let running: Vec<usize> = (0..shown.running.len()).filter(|&j| shown.running[j]).collect();
    let name = running.first().map_or("", |&j| shown.names[j].as_str());
    let phase = match shown.phase {
        Some(Phase::Prepare) | None => "preparing",
        Some(Phase::Ramp) => "ramp",
        Some(Phase::Measure | Phase::Drain) => "measuring",
    };
    let mut text = format!("[{}/{} jobs done] {name} {phase}", shown.ended, shown.names.len());
    if running.len() > 1 {
        text.push_str(&format!(" ({} workers)", running.len()));
    }
    for (at, letter) in ["r", "w", "t"].iter().enumerate() {
        if shown.ios[at] > 0 {
            text.push_str(&format!("  {letter}: {} IOPS {}/s", shown.ios[at], Bytes(shown.bytes[at])));
        }
    }
    if let Some(expected) = expected {
        let left = expected.as_secs_f64() - elapsed.as_secs_f64();
        if left > 0.0 {
            text.push_str(&format!("  about {left:.0} s left"));
        }
    }
    text
}
