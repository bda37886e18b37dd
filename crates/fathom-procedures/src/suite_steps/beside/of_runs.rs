//! What is true of several runs side by side: what is the same for some of them is there once, with their labels.

/// Values, each with the runs for which it is true.
pub struct OfRuns<'c, T>(Vec<(T, Vec<&'c str>)>);

impl<T> Default for OfRuns<'_, T> {
    fn default() -> Self {
        OfRuns(Vec::new())
    }
}

impl<'c, T: PartialEq> OfRuns<'c, T> {
    /// This is true of a run.
    pub fn add(&mut self, label: &'c str, value: T) {
        match self.0.iter_mut().find(|(known, _)| *known == value) {
            Some((_, labels)) => labels.push(label),
            None => self.0.push((value, vec![label])),
        }
    }

    /// Each value with the labels of its runs; without labels where it is true of all `runs`.
    pub fn labelled(self, runs: usize) -> impl Iterator<Item = (T, Vec<String>)> {
        self.0.into_iter().map(move |(value, labels)| {
            let all = labels.len() == runs;
            (value, if all { Vec::new() } else { labels.into_iter().map(str::to_owned).collect() })
        })
    }
}
