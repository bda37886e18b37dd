//! A command that was typed, with an option changed.

use fathom_results::NextStep;
use fathom_results::answer::Gain;
use fathom_results::procedure::CONSENT_OPTIONS;
use fathom_text::shell::quoted_carried;

/// Options that belong to one run.
const OF_ONE_RUN: [&str; 8] =
    ["--output-dir", "--output", "-o", "--seed", "--fail-on", "--name", "--note", "--tag"];

/// A command line in pieces.
#[derive(Clone, Debug)]
pub struct Again {
    words: Vec<String>,
    /// It had given consent.
    had_consent: bool,
}

impl Again {
    /// The words that were typed, the program first, without what belonged to that run alone. `None` where they are not
    /// known, or are not those of `command`.
    pub fn of(typed: &[String], command: &str) -> Option<Self> {
        if typed.get(1).map(String::as_str) != Some(command) {
            return None;
        }
        let mut again = Again { words: typed[1..].to_vec(), had_consent: false };
        // A suggestion never repeats them: the device may hold other data when a person follows it.
        for option in CONSENT_OPTIONS {
            again.had_consent |= again.remove(option);
        }
        OF_ONE_RUN.into_iter().for_each(|option| _ = again.remove(option));
        Some(again)
    }

    /// Removes an option with its value, however often it is there.
    fn remove(&mut self, option: &str) -> bool {
        let before = self.words.len();
        let joined = format!("{option}=");
        self.words.retain(|word| !word.starts_with(&joined));
        while let Some(at) = self.words.iter().position(|word| word == option) {
            self.words.drain(at..(at + 2).min(self.words.len()));
        }
        self.words.len() < before
    }

    /// The value of an option.
    pub fn value(&self, option: &str) -> Option<&str> {
        let joined = format!("{option}=");
        let apart = || self.words.iter().skip_while(|word| *word != option).nth(1).map(String::as_str);
        self.words.iter().find_map(|word| word.strip_prefix(&joined)).or_else(apart)
    }

    /// With this value of an option, instead of any other.
    pub fn with(mut self, option: &str, value: &str) -> Self {
        self.remove(option);
        self.plus(&[option, value])
    }

    /// Is this option of all jobs set?
    pub fn sets(&self, name: &str) -> bool {
        let is_of = |text: &str| text.split_once('=').is_some_and(|(known, _)| known.trim() == name);
        self.words.iter().any(|word| word.strip_prefix("--set=").is_some_and(is_of))
            || self.words.windows(2).any(|two| two[0] == "--set" && is_of(&two[1]))
    }

    /// With this value of an option of all jobs, instead of any other: two would be an error.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        let is_of = |text: &str| text.split_once('=').is_some_and(|(known, _)| known.trim() == name);
        self.words.retain(|word| !word.strip_prefix("--set=").is_some_and(is_of));
        while let Some(at) = self.words.windows(2).position(|two| two[0] == "--set" && is_of(&two[1])) {
            self.words.drain(at..at + 2);
        }
        self.plus(&["--set", &format!("{name}={value}")])
    }

    /// Without an option and its value.
    pub fn without(mut self, option: &str) -> Self {
        self.remove(option);
        self
    }

    /// Without options that have no value.
    pub fn without_flags(mut self, flags: &[&str]) -> Self {
        self.words.retain(|word| !flags.contains(&word.as_str()));
        self
    }

    /// With more words at the end.
    pub fn and(mut self, words: &[&str]) -> Self {
        self.words.extend(words.iter().map(|word| (*word).to_owned()));
        self
    }

    /// With more words after the name of the command.
    pub fn plus(mut self, words: &[&str]) -> Self {
        self.words.splice(1..1, words.iter().map(|word| (*word).to_owned()));
        self
    }

    /// The words behind the name of the command.
    pub fn words(&self) -> &[String] {
        &self.words[1..]
    }

    /// With the same words for another command.
    pub fn named(mut self, command: &str) -> Self {
        command.clone_into(&mut self.words[0]);
        self
    }

    /// Is this option there?
    pub fn has(&self, option: &str) -> bool {
        let joined = format!("{option}=");
        self.words.iter().any(|word| word == option || word.starts_with(&joined))
    }

    /// Had it given consent to write? A suggestion never repeats that.
    pub fn had_consent(&self) -> bool {
        self.had_consent
    }

    /// The step that advises it. A command that had consent says that it needs it again.
    pub fn advised(&self, gain: Gain) -> NextStep {
        NextStep { command: self.text(), gain, needs_consent: self.had_consent }
    }

    /// As it is typed.
    pub fn text(&self) -> String {
        let words = self.words.iter().map(|word| quoted_carried(word));
        std::iter::once("fathom".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_all_jobs_is_set_once() {
        for typed in [
            "fathom run --set runtime=1 j.fio --set bs=4k",
            "fathom run --set=runtime=1 j.fio --set bs=4k",
            "fathom run j.fio --set bs=4k --set runtime=2s",
        ] {
            let words: Vec<String> = typed.split(' ').map(str::to_owned).collect();
            let again = Again::of(&words, "run").unwrap();
            assert!(again.sets("runtime") && again.sets("bs") && !again.sets("rw"), "{typed}");
            let told = again.set("runtime", "30s").text();
            assert_eq!(told, "fathom run --set runtime=30s j.fio --set bs=4k", "{typed}");
        }
    }
}
