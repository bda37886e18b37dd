//! Instructions of one run, counted by valgrind's cachegrind, without its cache: callgrind counts the same in six times as long.
//!
//! It counts instructions in user space, of all threads, but not those of the kernel and no cache
//! misses. The count does not depend on what else the machine does.

use std::path::Path;

use crate::command::{capture, command};

/// Instructions that `words` execute from start to end, and what they print; `scratch` takes
/// cachegrind's file. Several may be counted at the same time.
pub fn count(words: &[&str], scratch: &Path) -> Result<(u64, String), String> {
    let file = tempfile::NamedTempFile::new_in(scratch);
    let profile = file.map_err(|e| format!("{}: {e}", scratch.display()))?.into_temp_path();
    let option = format!("--cachegrind-out-file={}", profile.display());
    let mut all = vec!["--tool=cachegrind", "--cache-sim=no", option.as_str()];
    all.extend(words);
    let printed = capture(command("valgrind", &all).current_dir(scratch))?;
    let text = std::fs::read_to_string(&profile).map_err(|e| format!("{}: {e}", profile.display()))?;
    let total = total(&text).ok_or_else(|| format!("{}: it holds no count", profile.display()))?;
    Ok((total, printed))
}

/// The sum in cachegrind's file: its last line, `summary:`. The format is described in valgrind's manual, "Cachegrind File
/// Format".
fn total(text: &str) -> Option<u64> {
    let sum = text.lines().rev().find_map(|line| line.strip_prefix("summary:"))?;
    sum.split_whitespace().next()?.parse().ok().filter(|sum| *sum > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_found() {
        let text = "desc: I1 cache:\ncmd: fathom fio j.fio\nevents: Ir\nfl=main.c\nfn=main\n3 77\nsummary: 82974678\n";
        assert_eq!(total(text), Some(82_974_678));
    }

    #[test]
    fn a_file_without_a_sum_is_not_zero_instructions() {
        assert_eq!(total(""), None);
        assert_eq!(total("events: Ir\nsummary: 0\n"), None);
        assert_eq!(total("fn=(1) summary: 5\n"), None);
    }
}
