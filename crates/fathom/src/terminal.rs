//! What sessions report, on the terminal of this process.

use crate::edge::{say, say_at_once, tell_held};
use crate::held;
use crate::live::{Live, Progress, Rounds};
use crate::put_back;
use crate::signals;
use crate::steps;
use crate::web::Web;
use fathom_results::procedure::{ProcedureForecast, StepRecord};
use fathom_session::runs::RunIndex;
use fathom_session::{Exit, Here, Level, Listener, Message, Notice, PutBack, SlowLook};
use fathom_text::shell::quoted;
use fathom_tune::TuneError;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

static TERMINAL: LazyLock<Arc<Terminal>> = LazyLock::new(Arc::default);
static SLOW_LOOK: LazyLock<SlowLook> = LazyLock::new(|| SlowLook::new(terminal()));

/// The terminal, and what is shown there.
#[derive(Default)]
pub struct Terminal(Mutex<State>);

#[derive(Default)]
struct State {
    progress: Progress,
    /// What is said when a run begins, which is after the guard has admitted its targets.
    at_beginning: Option<String>,
    /// The rounds of the procedure that runs.
    rounds: Option<Rounds>,
    live: Option<Live>,
    /// The page of what is measured.
    web: Option<Web>,
}

/// The terminal of this process.
pub fn terminal() -> Arc<Terminal> {
    TERMINAL.clone()
}

/// This machine, which reports to the terminal.
pub fn here() -> Here {
    Here::new(terminal()).with_index(RunIndex::usual()).with_slow_look(slow_look().clone())
}

/// Examines paths that may not answer.
pub fn slow_look() -> &'static SlowLook {
    &SLOW_LOOK
}

impl Terminal {
    /// Whether the next run shows its progress.
    pub fn shows(&self, progress: Progress) {
        self.lock().progress = progress;
    }

    /// Serves the page of what is measured next.
    pub fn serves(&self, web: Web) {
        self.lock().web = Some(web);
    }

    /// Sends the result to the readers of the page, and ends the page.
    pub fn end_web(&self) {
        let web = self.lock().web.take();
        web.into_iter().for_each(Web::end);
    }

    fn saves_in(&self, dir: &Path) {
        signals::saves_in(dir);
        self.lock().web.iter().for_each(|web| web.saves_in(dir));
    }

    /// Says this when the next run begins; nothing if it never does.
    pub fn says_when_it_begins(&self, text: String) {
        self.lock().at_beginning = Some(text);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A step of a procedure has ended.
    fn step_ended(&self, step: &StepRecord, of: &ProcedureForecast) {
        let mut state = self.lock();
        state.rounds.iter_mut().for_each(|rounds| rounds.step_ended(step));
        let is_shown = state.progress.is_shown();
        drop(state);
        if is_shown {
            say(&steps::line(step, of));
        }
    }

    /// Removes the live view.
    fn stop(&self) {
        let live = self.lock().live.take();
        if let Some(live) = live {
            live.stop();
        }
    }
}

impl Listener for Terminal {
    fn notice(&self, notice: Notice<'_>) {
        match notice {
            Notice::Message(message) => tell(&message),
            Notice::Examining(what) if self.lock().progress.is_shown() => say(what),
            Notice::Examining(_) => {}
            Notice::Waiting(name) => {
                say_at_once(&format!("still waiting for {name}, which is slow or does not answer"));
            }
            Notice::NoAnswer { from, within } => no_answer(from, within),
            Notice::SavesIn(dir) => self.saves_in(dir),
            Notice::Begins(plan) => {
                let mut state = self.lock();
                state.at_beginning.take().iter().for_each(|text| say(text));
                state.live = Live::start(state.progress, plan, state.rounds);
            }
            Notice::Frame(frame) => self.lock().live.iter().for_each(|live| live.frame(frame)),
            Notice::Measured => self.stop(),
            Notice::ProcedureBegins { of, rounds } => self.lock().rounds = Some(Rounds::new(of, rounds)),
            Notice::StepEnded { step, of } => self.step_ended(step, of),
            Notice::Hangs { dir, exit, put_back } => leave(dir, exit, put_back),
        }
    }

    fn messages(&self) -> Vec<String> {
        held::messages()
    }
}

/// Prints a message.
pub fn tell(message: &Message) {
    let level = match message.level {
        Level::Error => "error: ",
        Level::Warning => "warning: ",
        Level::Note => "note: ",
        Level::State => "",
    };
    say(&format!("{level}{}", message.text));
    message.hints.iter().for_each(|hint| say(&format!("  hint: {hint}")));
}

/// Ends the process, because its main thread waits for an answer before the first I/O.
fn no_answer(from: &str, within: Duration) -> ! {
    let seconds = within.as_secs_f64();
    say(&format!(
        "error: {from} did not answer within {seconds} s, so the run did not begin; nothing was measured"
    ));
    say("  hint: --stuck-after SECONDS sets this limit, 0 removes it");
    tell_held();
    signals::remove_temporary();
    std::process::exit(Exit::Failed as i32);
}

/// Ends the process, because its main thread waits for a target.
fn leave(dir: &Path, exit: Exit, put_back: Option<Result<PutBack, TuneError>>) {
    terminal().stop();
    say("the target also prevents the end of the run; what was measured is saved");
    say(&format!("  hint: fathom report {}", quoted(dir)));
    match put_back {
        Some(Ok(back)) => drop(put_back::tell(&back)),
        Some(Err(e)) => say(&format!("warning: the settings of the host could not be put back: {e}")),
        None => {}
    }
    tell_held();
    std::process::exit(exit as i32);
}
