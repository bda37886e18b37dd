//! The text of a suite as types.

use super::{CellGroup, DeviceCount};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A suite as it was written.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SuiteSpec {
    /// What it measures, one line.
    pub title: String,
    /// The document that it follows, or where its shape comes from.
    pub source: String,
    /// How it relates to its source.
    #[serde(default)]
    pub kind: SuiteKind,
    /// What a person should know before running it, a few sentences.
    #[serde(default)]
    pub about: String,
    /// How many targets it takes: `1`, `2..8`, `2..`.
    #[serde(default)]
    pub devices: DeviceCount,
    /// All groups are measured on the first target, then all on the second, ….
    #[serde(default)]
    pub each_target: bool,
    /// Values that the texts of the jobs have as `${name}`, and that the command line may change.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// In which order the cells of a group are measured.
    #[serde(default)]
    pub order: Order,
    /// After so many cells the first cell of the group is measured again, so that a drift is seen. 0 for never.
    #[serde(default)]
    pub reference_every: u32,
    /// Options that every job has, as lines of a job file.
    #[serde(default)]
    pub global: String,
    /// What is measured, in order.
    #[serde(rename = "group")]
    pub groups: Vec<CellGroup>,
}

/// How a suite relates to its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuiteKind {
    /// It does what a document says.
    #[default]
    Guide,
    /// It has the shape of an application's I/O. It is no result of that application's own benchmark.
    Shape,
    /// A person's own choice, such as a sweep.
    Own,
}

/// The order of the cells of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As they are written: the last name that varies changes fastest.
    #[default]
    AsWritten,
    /// At random, so that a drift does not look like the effect of what varies.
    Random,
}

impl SuiteSpec {
    /// Reads the text of a suite; `read` gives the text of a job file that it names.
    ///
    /// # Errors
    /// What is wrong, with the line where that is known: `line 12: …`.
    pub fn parse(text: &str, read: &dyn Fn(&str) -> Result<String, String>) -> Result<SuiteSpec, String> {
        let mut file: SuiteSpec = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|span| text[..span.start.min(text.len())].lines().count().max(1));
            let said = e.message().trim().replace('\n', " ");
            line.map_or_else(|| said.clone(), |line| format!("line {line}: {said}"))
        })?;
        for group in &mut file.groups {
            let wrong = |why: String| format!("group {:?}: {why}", group.name);
            match (&group.job_file, group.job.is_empty()) {
                (None, false) => {}
                (Some(path), true) => group.job = read(path).map_err(wrong)?,
                _ => {
                    return Err(wrong(
                        "give either job, the text of a job file, or job-file, its path".to_owned(),
                    ));
                }
            }
        }
        file.fill(&[])?;
        file.is_sound().map(|()| file)
    }

    /// Puts values in the place of `${name}` in what varies: these, and those of the suite for the others.
    ///
    /// # Errors
    /// What varies in a group is no list of values.
    pub fn fill(&mut self, variables: &[(String, String)]) -> Result<(), String> {
        let own = self.variables.iter().map(|(name, value)| (name.clone(), value.clone()));
        let all: Vec<(String, String)> = variables.iter().cloned().chain(own).collect();
        for group in &mut self.groups {
            group.fill(&all).map_err(|why| format!("group {:?}: {why}", group.name))?;
        }
        Ok(())
    }

    /// The job files that it names, in order.
    pub fn job_files(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().filter_map(|group| group.job_file.as_deref())
    }

    fn is_sound(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        if self.groups.is_empty() {
            return Err("it has no [[group]], so there is nothing to measure".to_owned());
        }
        for group in &self.groups {
            let wrong = |why: String| format!("group {:?}: {why}", group.name);
            group.is_sound(self.each_target).map_err(wrong)?;
            if !names.insert(&group.name) {
                return Err(wrong("there are two groups with this name".to_owned()));
            }
            // Only what was measured before can be in the same plan, and a reader looks for it above.
            if let Some(other) = group.against.as_ref().filter(|other| !names.contains(other)) {
                return Err(wrong(format!("against = {other:?} is no group above it")));
            }
        }
        Ok(())
    }
}

/// The name of the column for sets of targets.
pub const TARGETS_COLUMN: &str = "targets";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{Over, Shown};

    fn parsed(text: &str) -> Result<SuiteSpec, String> {
        SuiteSpec::parse(text, &|path| {
            if path == "a.fio" { Ok("[j]\n".to_owned()) } else { Err(format!("no {path}")) }
        })
    }

    const LEAST: &str = "title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='w'\njob='''\n[j]\nrw=read\n'''\n";

    #[test]
    fn the_least_suite_has_usual_values() {
        let suite = parsed(LEAST).unwrap();
        let group = &suite.groups[0];
        assert_eq!(
            (suite.kind, suite.devices, suite.order),
            (SuiteKind::Guide, DeviceCount::default(), Order::AsWritten)
        );
        assert_eq!((group.repeat, group.measure, group.over), (1, true, Over::Together));
        assert_eq!(group.values, Shown::usual());
    }

    #[test]
    fn what_is_wrong_has_its_line_or_its_group() {
        for (from, to, said) in [
            ("title='t'", "titel='t'", "line 1: unknown field `titel`"),
            ("name='g'", "name='a b'", "group \"a b\": its name may have"),
            ("what='w'", "what='w'\nbefore=['wash']", "\"wash\" is no preparation"),
            ("what='w'", "what='w'\nvary=['iodepth']", "is not NAME=VALUE"),
            ("what='w'", "what='w'\ncolumns='bs'", "columns = \"bs\" does not vary"),
            ("what='w'", "what='w'\nvalues=['speed']", "unknown figure `speed`"),
            ("what='w'", "what='w'\nrepeat=0", "repeat must be at least 1"),
            ("what='w'", "what='w'\nvary=['bs=${blocks}']", "names a variable that the suite does not have"),
            ("what='w'", "what='w'\nagainst='h'", "against = \"h\" is no group above it"),
            ("source='s'", "source='s'\ndevices='0'", "is not a number of targets"),
            ("what='w'", "what='w'\njob-file='a.fio'", "give either job"),
            ("[[group]]", "[group]", "expected a sequence"),
        ] {
            let why = parsed(&LEAST.replace(from, to)).unwrap_err();
            assert!(why.contains(said), "{to}: {why}");
        }
        let twice =
            format!("{LEAST}{}", LEAST.split_once("[[").map(|(_, rest)| format!("[[{rest}")).unwrap());
        assert!(parsed(&twice).unwrap_err().contains("two groups with this name"));
    }

    #[test]
    fn a_job_file_is_read() {
        let text =
            |path: &str| format!("title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='w'\njob-file='{path}'\n");
        let suite = parsed(&text("a.fio")).unwrap();
        assert_eq!(
            (suite.groups[0].job.as_str(), suite.job_files().collect::<Vec<_>>()),
            ("[j]\n", vec!["a.fio"])
        );
        assert_eq!(parsed(&text("b.fio")).unwrap_err(), "group \"g\": no b.fio");
    }
}
