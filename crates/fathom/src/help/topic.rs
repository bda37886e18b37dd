//! The topics of `fathom help`: what concerns several commands.

/// A topic.
pub struct Topic {
    /// The word after `fathom help`.
    pub name: &'static str,
    /// What it explains, in a few words.
    pub about: &'static str,
    /// Its text. A line at the margin between empty lines, without a stop at its end, is a heading. An
    /// indented line is shown as it is.
    pub text: &'static str,
}

/// Every topic, in the order of the list.
pub const TOPICS: &[Topic] = &[
    topic("targets", "what can be measured, and how to name it", include_str!("targets.txt")),
    topic("jobs", "job files: how to write, check and run them", include_str!("jobs.txt")),
    topic("traces", "record I/Os, and issue recorded ones again", include_str!("traces.txt")),
    topic("zones", "zoned devices, and jobs for them", include_str!("zones.txt")),
    topic("priorities", "I/Os with a class and a level", include_str!("priorities.txt")),
    topic("metadata", "make, find and remove files by the thousand", include_str!("metadata.txt")),
    topic("units", "how sizes, times and rates are written and shown", include_str!("units.txt")),
    topic("consent", "what fathom writes to, and how to allow more", include_str!("consent.txt")),
    topic("trust", "what the lines of an answer mean, and how to trust more", include_str!("trust.txt")),
    topic("results", "what a run saves, and how to print it again", include_str!("results.txt")),
    topic("tuning", "settings of the host: change, measure, put back", include_str!("tuning.txt")),
    topic("from-fio", "use fathom in place of fio", include_str!("from-fio.txt")),
    topic("exit-codes", "how each command ends, for scripts", include_str!("exit-codes.txt")),
];

const fn topic(name: &'static str, about: &'static str, text: &'static str) -> Topic {
    Topic { name, about, text }
}

/// The topic with this name.
pub fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

/// The list of topics.
pub fn list() -> String {
    TOPICS.iter().map(|Topic { name, about, .. }| format!("  fathom help {name:<12} {about}\n")).collect()
}
