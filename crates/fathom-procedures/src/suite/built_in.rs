//! The suites that fathom brings, and the job files that they name: compiled in, so that nothing needs the source tree.

use super::SuiteSpec;

/// A suite of fathom.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// A line for the suite in `suites/NAME.toml`.
macro_rules! suite {
    ($name:literal) => {
        BuiltIn { name: $name, text: include_str!(concat!("../../suites/", $name, ".toml")) }
    };
}

/// All of them, those of the guides first.
pub const BUILT_IN: &[BuiltIn] = &[
    suite!("vsl"),
    suite!("flash"),
    suite!("vroc"),
    suite!("orion"),
    suite!("scaling"),
    suite!("datasheet"),
    suite!("hot-cold"),
    suite!("overprovision"),
    suite!("raid-overhead"),
    suite!("readahead"),
    suite!("page-cache"),
    suite!("direct-vs-buffered-vs-raw"),
    suite!("ezfio"),
    suite!("wal-sync"),
    suite!("oltp"),
    suite!("lsm"),
    suite!("latency-map"),
    suite!("ai-train"),
    suite!("big-stream"),
    suite!("kv-cache"),
    suite!("vector"),
    suite!("cloud"),
    suite!("desktop"),
];

/// The suite of this name.
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|suite| suite.name == name)
}

impl BuiltIn {
    /// The suite as types. The tests read all of them, so it is sound.
    ///
    /// # Errors
    /// What is wrong in its text.
    pub fn file(&self) -> Result<SuiteSpec, String> {
        SuiteSpec::parse(self.text, &example)
    }
}

/// The text of a job file of a guide, by its path in `examples`.
///
/// # Errors
/// One sentence: fathom has no such example.
pub fn example(path: &str) -> Result<String, String> {
    let found = EXAMPLES.iter().find(|(known, _)| *known == path);
    found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| format!("fathom has no example {path:?}"))
}

/// A line for the job file in `examples`.
macro_rules! job_file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../../examples/", $path)))
    };
}

const EXAMPLES: &[(&str, &str)] = &[
    job_file!("vsl/01-random-512-write-latency.fio"),
    job_file!("vsl/02-random-512-write-iops.fio"),
    job_file!("vsl/03-sequential-512-write-iops.fio"),
    job_file!("vsl/04-random-1m-write-bandwidth.fio"),
    job_file!("vsl/05-precondition-sequential-1m-write.fio"),
    job_file!("vsl/06-random-512-read-latency.fio"),
    job_file!("vsl/07-random-512-read-iops.fio"),
    job_file!("vsl/08-sequential-512-read-iops.fio"),
    job_file!("vsl/09-random-1m-read-bandwidth.fio"),
    job_file!("flash/01-random-4k-write-latency.fio"),
    job_file!("flash/02-random-4k-write-iops.fio"),
    job_file!("flash/03-random-1m-write-bandwidth.fio"),
    job_file!("flash/04-precondition-sequential-1m-write.fio"),
    job_file!("flash/05-random-4k-read-latency.fio"),
    job_file!("flash/06-random-4k-read-iops.fio"),
    job_file!("flash/07-random-1m-read-bandwidth.fio"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{SuiteTarget, SuiteTerms, expand};

    /// A suite on as many simulated drives as it takes at least.
    #[test]
    fn every_suite_is_sound() {
        for suite in BUILT_IN {
            let file = suite.file().unwrap_or_else(|why| panic!("{}: {why}", suite.name));
            let target = SuiteTarget {
                path: "sim:datacentre/1024".to_owned(),
                can_purge: true,
                ..SuiteTarget::default()
            };
            let target =
                |at: usize| SuiteTarget { path: format!("{},op={}", target.path, 7 + at), ..target.clone() };
            let targets = (0..file.devices.least).map(target).collect();
            let terms = SuiteTerms { targets, ..SuiteTerms::default() };
            let all = expand(&file, &terms).unwrap_or_else(|why| panic!("{}: {why}", suite.name));
            assert!(!all.steps.is_empty() && !file.source.is_empty(), "{}", suite.name);
            let unfilled = all.cells.iter().find(|cell| cell.text.contains("${"));
            assert_eq!(unfilled.map(|cell| &cell.text), None, "{}", suite.name);
        }
    }
}
