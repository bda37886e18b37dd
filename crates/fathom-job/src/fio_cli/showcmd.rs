//! Jobs as a fio command line (`--showcmd`).

use crate::options;
use crate::parse::{JobSet, read_value};

/// One line that runs the same jobs: each with all that it inherits, quoted
/// for the shell.
pub fn showcmd(set: &JobSet) -> String {
    let mut line = String::from("fio");
    for job in &set.jobs {
        line += &format!(" {}", quoted(&format!("--name={}", job.name)));
        for (name, setting) in job.settings().filter(|(name, _)| *name != options::NAME.def.name) {
            // The text as typed, unless it means something else when it stands
            // alone; then the value in full.
            let alone = options::find(name).and_then(|def| read_value(def, &setting.text));
            let same = alone.as_ref() == Some(&setting.value);
            let text = if same { setting.text.clone() } else { setting.canonical() };
            line += &format!(" {}", quoted(&format!("--{name}={text}")));
        }
    }
    line
}

/// In single quotes where the shell would change it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+,./:%@^".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
