//! Standard error while a live view may be shown there.
//!
//! While a run is measured, one thread writes to standard error: that of the live view. All others
//! leave their text here, so none of them waits for a terminal that has been stopped or for a pipe
//! that nobody reads. Without such a thread, who prints also writes.
//!
//! The cursor rests at the beginning of the view's first row. So a view is removed by erasing from the
//! cursor to the end of the screen, whatever has become of its rows: an echo of Ctrl-C, a narrower
//! window whose rows the terminal breaks. Nothing here asks the terminal for anything.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Erases from the cursor to the end of the screen.
const ERASE: &str = "\r\x1b[J";

/// Text that waits. Nobody writes while this is locked.
static WAITING: Mutex<Waiting> = Mutex::new(Waiting { has_writer: false, texts: Vec::new() });
/// What the terminal shows. It is locked during a write.
static SHOWN: Mutex<Shown> = Mutex::new(Shown { view: Vec::new() });

struct Waiting {
    /// A thread writes what waits.
    has_writer: bool,
    texts: Vec<String>,
}

struct Shown {
    /// The rows of the view, if it is shown.
    view: Vec<String>,
}

/// From now on a thread writes what waits, or no longer does.
pub fn has_writer(has: bool) {
    locked(&WAITING).has_writer = has;
}

/// Prints a text, or leaves it to the thread that writes.
pub(super) fn print(text: &str) {
    let mut waiting = locked(&WAITING);
    waiting.texts.push(text.to_owned());
    let has_writer = waiting.has_writer;
    drop(waiting);
    if !has_writer {
        print_waiting();
    }
}

/// Prints all that waits, and removes the view, which may have stayed when its thread could not
/// write.
pub fn print_waiting() {
    let mut shown = locked(&SHOWN);
    let text = std::mem::take(&mut locked(&WAITING).texts).concat();
    if !text.is_empty() || !shown.view.is_empty() {
        shown.write(&text, &[]);
    }
}

/// Prints a text of little worth, unless standard error takes nothing at the moment.
pub fn print_or_drop(text: &str) {
    if is_writable() {
        locked(&SHOWN).write(text, &[]);
    }
}

/// Prints what waits, with the view below it; without rows, the view is removed. If there is nothing
/// new, nothing is written. Returns whether standard error takes text at the moment; if not, nothing
/// is written either.
pub fn show(view: &[String]) -> bool {
    if !is_writable() {
        return false;
    }
    let mut shown = locked(&SHOWN);
    let text = std::mem::take(&mut locked(&WAITING).texts).concat();
    if !text.is_empty() || shown.view != view {
        shown.write(&text, view);
    }
    true
}

/// Removes the view before something else is written to the same terminal. The view appears again
/// below that.
pub(super) fn without_view<T>(write: impl FnOnce() -> T) -> T {
    let mut shown = locked(&SHOWN);
    if !shown.view.is_empty() {
        shown.write("", &[]);
    }
    write()
}

impl Shown {
    /// Replaces the view by this text, and another view below it.
    fn write(&mut self, text: &str, view: &[String]) {
        let mut out = String::new();
        if self.view.is_empty() || !text.is_empty() || view.is_empty() {
            out += if self.view.is_empty() { "" } else { ERASE };
            out += text;
        }
        if let Some((last, above)) = view.split_last() {
            // Rows are replaced one by one, because an empty screen in between would flicker.
            out += "\r";
            above.iter().for_each(|row| out += &format!("{row}\x1b[K\r\n"));
            out += &format!("{last}\x1b[J\r");
            if !above.is_empty() {
                out += &format!("\x1b[{}A", above.len());
            }
        }
        self.view = view.to_vec();
        let _ = io::stderr().lock().write_all(out.as_bytes());
    }
}

/// Whether a write to standard error would not wait.
fn is_writable() -> bool {
    takes_text(io::stderr())
}

/// Whether a write would not wait. A terminal that has been stopped, and a full pipe, take nothing.
pub(super) fn takes_text(stream: impl AsFd) -> bool {
    let mut ready = [PollFd::new(&stream, PollFlags::OUT)];
    poll(&mut ready, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) != Ok(0)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
