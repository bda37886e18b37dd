//! Jobs as a fio command line (`--showcmd`).

use crate::options;
use crate::parse::{JobSet, read_value};
use fathom_text::shell::quoted_carried;

/// One line that runs the same jobs: each with all that it inherits, quoted
/// for the shell.
pub fn showcmd(set: &JobSet) -> String {
    let mut line = String::from("fio");
    for job in &set.jobs {
        line += &format!(" {}", quoted_carried(&format!("--name={}", job.section)));
        for (name, setting) in job.settings().filter(|(name, _)| *name != options::NAME.def.name) {
            // The text as typed, unless it means something else when it is
            // alone; then the value in full.
            let alone = options::find(name).and_then(|def| read_value(def, &setting.text));
            let same = alone.as_ref() == Some(&setting.value);
            let text = if same { setting.text.clone() } else { setting.canonical() };
            line += &format!(" {}", quoted_carried(&format!("--{name}={text}")));
        }
    }
    line
}
