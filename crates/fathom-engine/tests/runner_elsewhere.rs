//! The worked example of CONTRIBUTING.md: a runner in one file.
//!
//! `Elsewhere` has its workers somewhere else. Here that is another thread; for a remote
//! host it would be a connection. It shows what crosses to the place of the
//! workers (the plan, the request to stop) and what comes back (frames, log chunks, the
//! announcement of a start), all of it values, and that the caller's sink is only used
//! where the caller is.

use crate::support::planned;
use fathom_engine::log::{LogChunk, LogKind};
use fathom_engine::runner::{Runner, RunnerEnd, VirtualTime};
use fathom_engine::sink::{Sink, Stop, StopReason};
use fathom_job::plan::Plan;
use fathom_results::{EndedBy, Frame};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Runs a plan by `inner`, in another place.
struct Elsewhere<R>(R);

/// What comes back while the plan runs.
enum Told {
    Frame(Box<Frame>),
    Log(LogChunk),
    /// Jobs are about to start; they wait for the answer.
    Start(Vec<usize>),
}

/// The sink in the other place: it passes everything on.
struct Line {
    out: SyncSender<Told>,
    go_on: Receiver<()>,
}

impl Sink for Line {
    fn frame(&mut self, frame: &Frame) {
        let _ = self.out.send(Told::Frame(Box::new(frame.clone())));
    }
    fn log(&mut self, chunk: LogChunk) {
        let _ = self.out.send(Told::Log(chunk));
    }
    fn before_start(&mut self, jobs: &[usize]) {
        let _ = self.out.send(Told::Start(jobs.to_vec()));
        let _ = self.go_on.recv();
    }
}

impl<R: Runner + Sync> Runner for Elsewhere<R> {
    fn run(&self, plan: &Arc<Plan>, interrupt: &Arc<Stop>, sink: &mut dyn Sink) -> RunnerEnd {
        std::thread::scope(|scope| {
            // Made here, so that the other place does not wait for a caller whose sink panics.
            let (out, told) = sync_channel(64);
            let (answer, go_on) = sync_channel(1);
            let there = scope.spawn(move || self.0.run(plan, interrupt, &mut Line { out, go_on }));
            for told in told {
                match told {
                    Told::Frame(frame) => sink.frame(&frame),
                    Told::Log(chunk) => sink.log(chunk),
                    Told::Start(jobs) => {
                        sink.before_start(&jobs);
                        let _ = answer.send(());
                    }
                }
            }
            there.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// Keeps all that it gets, as text.
#[derive(Default)]
struct Text(Vec<String>);

impl Sink for Text {
    fn frame(&mut self, frame: &Frame) {
        self.0.push(format!("{frame:?}"));
    }
    fn log(&mut self, chunk: LogChunk) {
        for kind in LogKind::OF_VALUES {
            chunk.each(kind, |sample| self.0.push(format!("{} {sample:?}", chunk.job)));
        }
    }
    fn before_start(&mut self, jobs: &[usize]) {
        self.0.push(format!("{jobs:?} start"));
    }
}

const JOBS: &str = "[global]\nioengine=oracle\noracle_clock=virtual\nrw=randread\nbs=4k\nsize=1g\niodepth=4\n\
                    write_lat_log=x\n[a]\nnumber_ios=900\nrate_iops=300\n[b]\nnumber_ios=500\n[c]\nstonewall\n\
                    number_ios=20\n";

fn said(runner: &dyn Runner, interrupt: &Arc<Stop>) -> Vec<String> {
    let mut text = Text::default();
    assert_eq!(runner.run(&Arc::new(planned(JOBS)), interrupt, &mut text), RunnerEnd::default());
    text.0
}

#[test]
fn what_comes_back_is_what_happens_here() {
    let here = said(&VirtualTime::default(), &Arc::default());
    assert!(here.len() > 1_420, "{} lines, with those of 1,420 I/Os", here.len());
    assert!(said(&Elsewhere(VirtualTime::default()), &Arc::default()) == here);
    assert!(said(&Elsewhere(Elsewhere(VirtualTime::default())), &Arc::default()) == here, "however far away");
}

#[test]
fn a_request_to_stop_reaches_the_other_place() {
    let interrupt = Arc::<Stop>::default();
    interrupt.request(StopReason::Interrupt);
    let said = said(&Elsewhere(VirtualTime::default()), &interrupt);
    let interrupted = format!("ended_by: {:?}", EndedBy::Interrupt);
    assert_eq!(said.iter().filter(|line| line.contains(&interrupted)).count(), 3, "{said:?}");
}
