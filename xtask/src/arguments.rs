//! The few words that xtask takes, read without a library: it must build fast on a fresh machine.

/// The words of the command line that have not been used yet.
pub struct Arguments {
    rest: Vec<String>,
}

impl Arguments {
    /// The words of this process.
    pub fn from_process() -> Self {
        Self::from_words(std::env::args().skip(1))
    }

    /// The words of a list.
    pub fn from_words(words: impl Iterator<Item = String>) -> Self {
        Self { rest: words.collect() }
    }

    /// The words that have not been used.
    pub fn rest(self) -> Vec<String> {
        self.rest
    }

    /// The next word, if there is one.
    pub fn word(&mut self) -> Option<String> {
        (!self.rest.is_empty()).then(|| self.rest.remove(0))
    }

    /// Whether the flag is given.
    pub fn flag(&mut self, name: &str) -> bool {
        let at = self.rest.iter().position(|word| word == name);
        at.map(|at| self.rest.remove(at)).is_some()
    }

    /// The number after `name`, written `--name N` or `--name=N`; `otherwise` if it is not given.
    pub fn number(&mut self, name: &str, otherwise: u64) -> Result<u64, String> {
        let Some(value) = self.value(name).map_err(|_| format!("{name} needs a number"))? else {
            return Ok(otherwise);
        };
        value.parse().map_err(|_| format!("{name} needs a number, not \"{value}\""))
    }

    /// The text after `name`, written `--name TEXT` or `--name=TEXT`.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        let Some(at) = self.rest.iter().position(|word| is_option(word, name)) else {
            return Ok(None);
        };
        let word = self.rest.remove(at);
        match word.split_once('=') {
            Some((_, value)) => Ok(Some(value.to_owned())),
            None if at < self.rest.len() => Ok(Some(self.rest.remove(at))),
            None => Err(format!("{name} needs a value")),
        }
    }

    /// Every text after `name`, which may be given several times.
    pub fn values(&mut self, name: &str) -> Result<Vec<String>, String> {
        let mut values = Vec::new();
        while let Some(value) = self.value(name)? {
            values.push(value);
        }
        Ok(values)
    }

    /// Fails if a word was not used.
    pub fn finish(self) -> Result<(), String> {
        match self.rest.first() {
            None => Ok(()),
            Some(word) => Err(format!("\"{word}\" means nothing here\n\n{}", crate::USAGE)),
        }
    }
}

fn is_option(word: &str, name: &str) -> bool {
    word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Arguments {
        Arguments::from_words(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn both_spellings_of_a_number() {
        for line in ["bench --pairs 7 --aa", "bench --aa --pairs=7"] {
            let mut given = arguments(line);
            assert_eq!(given.word().as_deref(), Some("bench"));
            assert_eq!(given.number("--pairs", 1), Ok(7));
            assert_eq!(given.number("--seconds", 3), Ok(3));
            assert!(given.flag("--aa"));
            assert_eq!(given.finish(), Ok(()));
        }
    }

    #[test]
    fn a_value_may_be_given_several_times() {
        let mut given = arguments("--case null --pairs 2 --case=zram");
        assert_eq!(given.values("--case"), Ok(vec!["null".to_owned(), "zram".to_owned()]));
        assert_eq!(given.number("--pairs", 1), Ok(2));
        assert!(arguments("--case").values("--case").is_err());
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        assert!(arguments("--pairs").number("--pairs", 1).is_err());
        assert!(arguments("--pairs many").number("--pairs", 1).is_err());
        assert!(arguments("--pears 3").finish().is_err());
    }
}
