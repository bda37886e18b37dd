//! Counters as they were some time before.
//!
//! They have three sources and one form: the audit reads them half a second
//! before its checks, the watch reads them when a run begins, and a capture
//! keeps them in the tree under [`BESIDE`]`/earlier`.
//!
//! Some counters are not files: a drive counts its throttling in a log page.
//! Their pattern is the path of the answer in a capture,
//! `/.fathom/asked/nvme#/log-02`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fathom_device::ask::Question;
use fathom_device::glob::glob;
use fathom_device::root::{BESIDE, Root, Unknown};

/// The file of a capture with the milliseconds between the two readings.
pub const ELAPSED: &str = "/.fathom/earlier-ms";

/// A first reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Earlier {
    texts: BTreeMap<PathBuf, String>,
    /// By the path that the answer has in a capture.
    answers: BTreeMap<PathBuf, Vec<u8>>,
    /// Time between the two readings.
    pub elapsed: Duration,
}

impl Earlier {
    /// Reads everything that matches one of the patterns now. The caller must
    /// set `elapsed` when it reads again.
    pub fn take<'p>(root: &Root, patterns: impl IntoIterator<Item = &'p str>) -> Self {
        let mut earlier = Self::default();
        // Several checks compare the same counters, and to read those of all processes takes milliseconds.
        let patterns: BTreeSet<&str> = patterns.into_iter().collect();
        for pattern in patterns {
            let questions = logs(root, pattern).into_iter().map(|question| (question.path(), question));
            earlier
                .answers
                .extend(questions.filter_map(|(path, asked)| Some((path, root.ask(&asked).ok()?))));
            let paths = glob(root, pattern).into_iter().filter(|path| !path.starts_with(BESIDE));
            earlier.texts.extend(paths.filter_map(|path| Some((path.clone(), root.read_text(&path).ok()?))));
        }
        earlier
    }

    /// Takes the first reading and waits, so that a second reading can be compared with it.
    pub fn watch<'p>(root: &Root, patterns: impl IntoIterator<Item = &'p str>, span: Duration) -> Self {
        let begun = Instant::now();
        let taken = Self::take(root, patterns);
        thread::sleep(span);
        Self { elapsed: begun.elapsed(), ..taken }
    }

    /// The first reading of a capture; `None` if it has none.
    pub fn recorded<'p>(root: &Root, patterns: impl IntoIterator<Item = &'p str>) -> Option<Self> {
        let elapsed_ms: u64 = root.read_value(ELAPSED).ok()?;
        let prefix = Path::new(BESIDE).join("earlier");
        let mut earlier = Self { elapsed: Duration::from_millis(elapsed_ms), ..Self::default() };
        for pattern in patterns {
            for kept in glob(root, &format!("{}{pattern}", prefix.display())) {
                let Ok(path) = kept.strip_prefix(&prefix).map(|path| Path::new("/").join(path)) else {
                    continue;
                };
                if path.starts_with(BESIDE) {
                    earlier.answers.extend(root.read_bytes(&kept).ok().map(|bytes| (path, bytes)));
                } else {
                    earlier.texts.extend(root.read_text(&kept).ok().map(|text| (path, text)));
                }
            }
        }
        Some(earlier)
    }

    /// The text of a file at the first reading.
    pub fn text(&self, path: &Path) -> Result<&str, Unknown> {
        let text = self.texts.get(path).map(String::as_str);
        text.ok_or_else(|| Unknown::new(path, "was not read before"))
    }

    /// Everything that was read, with its path.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_path(), text.as_str()))
    }

    /// The answer to a question at the first reading.
    pub fn answer(&self, question: &Question) -> Result<&[u8], Unknown> {
        let path = question.path();
        let answer = self.answers.get(&path).map(Vec::as_slice);
        answer.ok_or_else(|| Unknown::new(path, "was not asked before"))
    }

    /// Every answer, with its path in a capture.
    pub fn answers(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.answers.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice()))
    }
}

/// Bytes that we read of a log page: the whole health log (page 2), or the
/// beginning of any other.
const LOG_BYTES: usize = 512;

/// The log pages of this machine that match a pattern such as
/// `/.fathom/asked/nvme#/log-02`.
fn logs(root: &Root, pattern: &str) -> Vec<Question> {
    let rest = pattern.strip_prefix(BESIDE).and_then(|rest| rest.strip_prefix("/asked/"));
    let Some((controllers, page)) = rest.and_then(|rest| rest.split_once("/log-")) else {
        return Vec::new();
    };
    let Ok(page) = u8::from_str_radix(page, 16) else {
        return Vec::new();
    };
    let controllers = glob(root, &format!("/sys/class/nvme/{controllers}")).into_iter();
    let name = |path: PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    controllers.map(|path| Question::NvmeLog { controller: name(path), page, len_bytes: LOG_BYTES }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::tree::Tree;

    /// A reading of a live tree equals the reading that a capture keeps.
    #[test]
    fn files_and_answers_are_taken_and_found_again() {
        let text = "/proc/stat = cpu 1\n/sys/class/nvme/nvme3/model = x\n/.fathom/asked/nvme3/log-02 <<hex\n\t0102\n";
        let kept = "/.fathom/earlier-ms = 500\n/.fathom/earlier/proc/stat = cpu 1\n\
                    /.fathom/earlier/.fathom/asked/nvme3/log-02 <<hex\n\t0102\n";
        let mut tree = Tree::default();
        tree.overlay(&format!("{text}{kept}")).unwrap();
        let root = Root::held(&tree);
        let patterns = ["/proc/stat", "/.fathom/asked/nvme#/log-02"];
        let question = Question::NvmeLog { controller: "nvme3".to_owned(), page: 2, len_bytes: 512 };
        let recorded = Earlier::recorded(&root, patterns).unwrap();
        let taken = Earlier { elapsed: recorded.elapsed, ..Earlier::take(&root, patterns) };
        assert_eq!(taken, recorded);
        assert_eq!(taken.answer(&question).unwrap(), [1, 2]);
        assert_eq!(taken.text(Path::new("/proc/stat")).unwrap(), "cpu 1");
        assert_eq!((taken.iter().count(), taken.answers().count()), (1, 1));
    }
}
