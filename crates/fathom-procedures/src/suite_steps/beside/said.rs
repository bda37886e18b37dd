//! Sentences of several runs: what is the same for some of them is said once, with their labels.

/// Sentences, each with the runs for which it is true.
#[derive(Default)]
pub struct Said<'c>(Vec<(String, Vec<&'c str>)>);

impl<'c> Said<'c> {
    /// Says this of a run.
    pub fn say(&mut self, label: &'c str, text: String) {
        match self.0.iter_mut().find(|(known, _)| *known == text) {
            Some((_, labels)) => labels.push(label),
            None => self.0.push((text, vec![label])),
        }
    }

    /// A line for each sentence; without labels where it is true of all `runs`.
    pub fn lines(self, runs: usize) -> Vec<String> {
        let line = |(text, labels): (String, Vec<&str>)| match labels.len() == runs {
            true => text,
            false => format!("{}: {text}", labels.join(", ")),
        };
        self.0.into_iter().map(line).collect()
    }
}
