//! The checklist as text.

use super::{BiosChecklist, BiosLine, BiosSeen};
use fathom_text::words::wrapped;
use std::fmt::Write;

/// Columns of a terminal, less the indent of the explanation of a line.
const WIDTH: usize = 72;

impl BiosChecklist {
    /// A line for each setting, and what the system shows of it below.
    pub fn to_text(&self) -> String {
        let mut out = String::from("The settings, and what this system shows\n");
        for BiosLine { setting, seen } in &self.lines {
            let other = setting.other_guide.filter(|other| *other != setting.guide);
            let other = other.map(|other| format!(" (an older guide: {other})")).unwrap_or_default();
            let _ = writeln!(out, "    {}: {}{other}", setting.name, setting.guide);
            for line in wrapped(&said(seen), WIDTH) {
                let _ = writeln!(out, "        {line}");
            }
        }
        let count = |is_so: fn(&BiosSeen) -> bool| self.lines.iter().filter(|line| is_so(&line.seen)).count();
        let _ = writeln!(
            out,
            "\n    {} of {} are as in the guide, {} differ, {} show a part, {} show nothing.",
            count(|seen| matches!(seen, BiosSeen::AsTheGuide(_))),
            self.lines.len(),
            count(|seen| matches!(seen, BiosSeen::Differs(_))),
            count(|seen| matches!(seen, BiosSeen::Related(_))),
            count(|seen| matches!(seen, BiosSeen::Hidden(_))),
        );
        out
    }
}

fn said(seen: &BiosSeen) -> String {
    match seen {
        BiosSeen::AsTheGuide(says) => format!("as the guide: {says}"),
        BiosSeen::Differs(says) => format!("differs: {says}"),
        BiosSeen::Related(says) => format!("in part: {says}"),
        BiosSeen::Hidden(place) => format!("not shown: see {place}"),
    }
}
