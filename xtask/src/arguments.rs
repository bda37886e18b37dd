//! The few words that xtask takes, read without a library: it must build fast on a fresh machine.

/// What stands on the command line and has not been understood yet.
pub struct Arguments {
    rest: Vec<String>,
}

impl Arguments {
    /// Those of this process.
    pub fn from_process() -> Self {
        Self { rest: std::env::args().skip(1).collect() }
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

    /// The number behind `name`, written `--name N` or `--name=N`; `otherwise` where it is not given.
    pub fn number(&mut self, name: &str, otherwise: u64) -> Result<u64, String> {
        let Some(at) = self.rest.iter().position(|word| is_option(word, name)) else {
            return Ok(otherwise);
        };
        let word = self.rest.remove(at);
        let value = match word.split_once('=') {
            Some((_, value)) => value.to_owned(),
            None if at < self.rest.len() => self.rest.remove(at),
            None => return Err(format!("{name} needs a number")),
        };
        value.parse().map_err(|_| format!("{name} needs a number, not \"{value}\""))
    }

    /// Fails when something was not understood.
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
        Arguments { rest: line.split_whitespace().map(str::to_owned).collect() }
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
    fn what_is_not_understood_is_an_error() {
        assert!(arguments("--pairs").number("--pairs", 1).is_err());
        assert!(arguments("--pairs many").number("--pairs", 1).is_err());
        assert!(arguments("--pears 3").finish().is_err());
    }
}
