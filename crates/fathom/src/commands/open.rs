//! `fathom open`: the page of a saved run in the browser. It reads: nothing that was saved changes.

use super::output;
use crate::args::RUNS_DIR;
use crate::failure::{Exit, Failure, print, say};
use crate::saved_result;
use clap::Args;
use fathom_results::RunResult;
use fathom_results::procedure::{ROUNDS, is_procedure};
use fathom_session::page::{keep_page, saved_page};
use fathom_text::shell::quoted;
use fathom_text::shown;
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The program that opens a file in a graphical session (freedesktop.org, xdg-utils).
const OPENER: &str = "xdg-open";

/// How long the opener may take to fail. It usually ends at once; some stay as long as the browser.
const WAIT: Duration = Duration::from_secs(3);

#[derive(Debug, Args)]
pub struct OpenArgs {
    /// Directory of a run, its id or the beginning of that, its name, or `latest`; default: the newest in
    /// fathom-runs
    pub run: Option<PathBuf>,
    /// Directory that holds the directories of the runs
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Only print the path of the page
    #[arg(long)]
    pub print: bool,
}

/// Runs the command. Of a run that was saved without a page, one is made.
pub fn run(args: &OpenArgs) -> Result<Exit, Failure> {
    let dir = saved_result::run(&args.runs_dir, args.run.as_deref())?;
    let page = page(&dir)?;
    let path = || print(&format!("{}\n", shown::path(&page)));
    if args.print {
        return path().map(|()| Exit::Ok);
    }
    match opened(&page) {
        Ok(()) => say(&format!("opened {} with {OPENER}", shown::path(&page))),
        Err(why) => {
            path()?;
            say(&format!("note: the page is not opened: {why}"));
            say(&format!("  hint: to copy it from another machine: scp {}:{} .", host(), quoted(&page)));
        }
    }
    Ok(Exit::Ok)
}

/// The page of a run, as an absolute path.
fn page(dir: &Path) -> Result<PathBuf, Failure> {
    if is_procedure(dir) {
        let message = format!("{} is a procedure, and open shows the pages of runs", shown::path(dir));
        let rounds = quoted(dir.join(ROUNDS));
        return Err(Failure::new(Exit::Usage, message)
            .hint(format!("to make its page: fathom report -o page.html {}", quoted(dir)))
            .hint(format!("each round in {rounds} is a run, which `fathom open` takes")));
    }
    let mut run = fathom_session::load(dir)?;
    let page = match saved_page(&run) {
        Some(page) => page,
        None => made(&mut run).map_err(|e| {
            e.hint(format!("to write it to another place: fathom report -o page.html {}", quoted(dir)))
        })?,
    };
    Ok(absolute(&page).unwrap_or(page))
}

/// Makes the page of a run that has none, or none that can be shown, as a report makes it.
fn made(run: &mut RunResult) -> Result<PathBuf, Failure> {
    if run.record.finish.is_none() {
        fathom_judge::judge(run);
    }
    keep_page(run, output::page_text(run).as_str().as_bytes())
}

/// Starts the opener; or why not, in a few words.
fn opened(page: &Path) -> Result<(), String> {
    let has_session = ["WAYLAND_DISPLAY", "DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    if !has_session {
        return Err("there is no graphical session here".to_owned());
    }
    let mut command = Command::new(OPENER);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| format!("{OPENER} cannot be started: {e}"))?;
    let until = Instant::now() + WAIT;
    while Instant::now() < until {
        match child.try_wait() {
            Ok(Some(ended)) if ended.success() => return Ok(()),
            Ok(Some(ended)) => return Err(format!("{OPENER} failed ({ended})")),
            Ok(None) => sleep(Duration::from_millis(20)),
            Err(e) => return Err(format!("{OPENER}: {e}")),
        }
    }
    Ok(())
}

/// The name of this machine, as far as it is known.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "HOST".to_owned(),
        name => name.to_owned(),
    }
}
