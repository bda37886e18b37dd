//! Files that look open elsewhere for a moment.
//!
//! A child that was just started holds our descriptors until it runs its own
//! program. For that long each file that we had open looks as if somebody else
//! had it open.

use std::fs::File;
use std::time::{Duration, Instant};

use fathom_device::sys::lease;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(1);

/// Waits for files that are open elsewhere, up to a limit.
pub(super) struct Patience {
    /// How long all files together are waited for.
    most: Duration,
    /// When the first of them was seen open.
    began: Option<Instant>,
}

impl Patience {
    pub fn of(most: Duration) -> Self {
        Self { most, began: None }
    }

    /// Whether somebody else has the file open and keeps it open.
    pub fn is_open_elsewhere(&mut self, reader: &File) -> bool {
        while lease::is_open_elsewhere(reader).unwrap_or(false) {
            if self.began.get_or_insert_with(Instant::now).elapsed() >= self.most {
                return true;
            }
            std::thread::sleep(LOOK);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_closes_soon_is_waited_for_and_who_does_not_is_seen() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let reader = File::open(&path).unwrap();
        let theirs = File::open(&path).unwrap();
        assert!(Patience::of(Duration::from_millis(5)).is_open_elsewhere(&reader));
        let closing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            drop(theirs);
        });
        assert!(!Patience::of(Duration::from_secs(60)).is_open_elsewhere(&reader));
        closing.join().unwrap();
    }
}
