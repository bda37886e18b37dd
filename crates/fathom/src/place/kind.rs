//! Kinds of output, and how a file of each kind is recognised.

use fathom_job::convert::HEADING;
use fathom_report::is_table_heading;
use fathom_session::bundle::BUNDLE_BEGINNING;
use std::fmt;

/// What an output is. A file counts as an output of a kind if it begins like
/// one; the rest of it is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// A run's result, in any of its forms, fathom's or fio's.
    Result,
    /// A recorded machine (`fathom doctor capture`).
    Capture,
    /// A plan of `fathom tune`.
    TunePlan,
    /// A comparison, as text, JSON or a page.
    Comparison,
    /// A bundle of a run (`fathom bundle`).
    Bundle,
    /// What `fathom import` made of fio's output.
    Import,
    /// A suite that a person will change. No file counts as one, so that no change of a person is replaced.
    Suite,
    /// What `fathom convert` made of job files.
    Converted,
}

impl OutputKind {
    /// Whether a file with this beginning is of this kind.
    pub fn is_begun_by(self, head: &[u8]) -> bool {
        let text = String::from_utf8_lossy(head);
        match self {
            OutputKind::Comparison => is_comparison(&text),
            OutputKind::Result => is_result(&text),
            OutputKind::Capture => text.starts_with("fathom-tree "),
            OutputKind::TunePlan => first_key(&text) == Some("fathom_tune_plan"),
            OutputKind::Bundle => head.starts_with(BUNDLE_BEGINNING),
            OutputKind::Import => is_import(&text),
            OutputKind::Suite => false,
            OutputKind::Converted => text.lines().take(2).any(|line| line.starts_with(HEADING)),
        }
    }
}

impl OutputKind {
    /// `a result`, `an import`.
    pub fn with_article(self) -> String {
        let article = if self == OutputKind::Import { "an" } else { "a" };
        format!("{article} {self}")
    }
}

impl fmt::Display for OutputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OutputKind::Result => "result",
            OutputKind::Capture => "capture",
            OutputKind::TunePlan => "plan",
            OutputKind::Comparison => "comparison",
            OutputKind::Bundle => "bundle",
            OutputKind::Import => "import",
            OutputKind::Suite => "suite",
            OutputKind::Converted => "converted job file",
        })
    }
}

/// The forms of a result: fio's JSON, terse line and normal text as fathom writes them, and fathom's page and summary. What
/// fio itself wrote is a measurement that nobody can make again, so it is none of them.
fn is_result(head: &str) -> bool {
    let line = head.lines().next().unwrap_or_default();
    (first_key(head) == Some("fio version") && first_value(head).is_some_and(is_own_version))
        || (first_key(head) == Some("format")
            && head.lines().nth(2).is_some_and(|line| RESULT_KEYS.iter().any(|key| line.starts_with(key))))
        || is_table_heading(line)
        || is_terse(line)
        || (line.contains(": (g=")
            && line.contains("): rw=")
            && line.contains("ioengine=")
            && head.lines().any(is_own_version))
        || is_page(head)
        || line.contains(" · fathom ")
        || is_procedure(head)
        || is_first_screen(line)
}

/// The second key of the document of a run, of a procedure, and of runs of a suite side by side.
const RESULT_KEYS: [&str; 3] = ["  \"fathom\":", "  \"verdict\":", "  \"runs\":"];

/// Is it fathom that calls itself this version of fio, such as `fio-3.33-fathom-0.1.0`?
fn is_own_version(version: &str) -> bool {
    version.starts_with("fio-") && version.contains("-fathom-")
}

/// The text of a procedure, whose second line is its moment, and the tables of suites side by side.
fn is_procedure(head: &str) -> bool {
    let second = head.lines().nth(1).unwrap_or_default();
    (second.starts_with("when ") && second.contains(" · fathom "))
        || (head.starts_with("tables   ") && head.lines().any(|line| line.starts_with("         Suite: ")))
}

/// A terse line of a version that has the version of fio. That of version 2 looks as fio's own does.
fn is_terse(line: &str) -> bool {
    let version =
        line.split(';').nth(1).filter(|_| ["3;", "4;", "5;"].iter().any(|form| line.starts_with(form)));
    version.is_some_and(is_own_version) && line.split(';').count() > 4
}

/// The verdict with the baseline below it, the document, or the page.
fn is_comparison(head: &str) -> bool {
    let is_document = first_key(head) == Some("format") && head.contains("\"subjects\":");
    is_page(head) || is_document || (head.starts_with("result   ") && head.contains("\nA        "))
}

/// The forms of an import: page, document, table, summary.
fn is_import(head: &str) -> bool {
    let line = head.lines().next().unwrap_or_default();
    first_key(head) == Some("fathom_import")
        || is_page(head)
        || line == "source,file,job,direction,kind,figure,unit,value"
        || line.contains(" of fio · fathom ")
}

/// A page of fathom.
fn is_page(head: &str) -> bool {
    head.starts_with("<!DOCTYPE html>") && head.contains(" · fathom</title>")
}

/// The heading of a summary: name, moment, length, and how the run ended.
fn is_first_screen(line: &str) -> bool {
    let ends = ["complete", "incomplete", "failed"];
    line.contains(" UTC · ") && line.split(" · ").any(|part| ends.contains(&part))
}

/// The text that is the value of the first key of a JSON object.
fn first_value(head: &str) -> Option<&str> {
    let after_key = head.split_once(first_key(head)?)?.1.strip_prefix('"')?;
    let value = after_key.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    value.split_once('"').map(|(value, _)| value)
}

/// The first key of a JSON object.
fn first_key(head: &str) -> Option<&str> {
    let inside = head.trim_start().strip_prefix('{')?.trim_start().strip_prefix('"')?;
    let (key, rest) = inside.split_once('"')?;
    rest.trim_start().starts_with(':').then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_known_by_its_beginning() {
        for head in [
            "result   B is better in 1 of 2 figures.\nA        before · 3 runs\n",
            "{\n  \"format\": 1,\n  \"subjects\": [\n",
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>b compared with a · fathom</title>\n",
        ] {
            assert!(OutputKind::Comparison.is_begun_by(head.as_bytes()), "{head}");
        }
        let result = [
            "{\n  \"fio version\" : \"fio-3.33-fathom-0.1.0\",\n",
            "3;fio-3.33-fathom-0.1.0;j;0;0;1\n",
            "5;fio-3.33-fathom-0.1.0;j;0;0;1\n",
            "a job: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=psync, iodepth=1\nfio-3.33-fathom-0.1.0\n",
            "{\n  \"format\": 1,\n  \"runs\": [\n",
            "A  complete\nwhen     2026-11-26 13:40:43 UTC · suite · 7 of 7 rounds · vm · fathom 0.1.0\n",
            "tables   Peak performance of an SSD: seven jobs\n         in their order\n         Suite: flash\n",
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>j · fathom</title>\n",
            "j  4f2a00 · fathom 0.1.0\n2026-11-21 03:38:46 UTC\n",
            "j  2026-11-21 03:38:46 UTC · 26 s · complete\ntarget   /dev/sda\n",
            "j  2026-11-21 03:38:46 UTC · 26 s · complete · 6 jobs of 2 s\ntarget   /dev/sda\n",
            "{\n  \"format\": 1,\n  \"fathom\": \"0.1.0\",\n  \"id\": \"4f2a00\",\n",
            "{\n  \"format\": 1,\n  \"verdict\": null,\n  \"record\": {\n",
            "run,name,started,target,job,job_number,direction,metric,value,unit,n,low,high\na,b\n",
            "run,name,started,target,round,cell,trust,job,job_number,direction,iops,latency_p99.9\n",
            "run,name,started,target,job,job_number,direction,second,at_s,covered_s,iops,bandwidth,latency_mean,latency_p99\n",
            "run,name,started,target,round,cell,job,job_number,direction,second,at_s,covered_s,iops,bandwidth,latency_mean,latency_p99\n",
        ];
        for head in result {
            assert!(OutputKind::Result.is_begun_by(head.as_bytes()), "{head}");
            assert!(!OutputKind::Capture.is_begun_by(head.as_bytes()), "{head}");
            assert!(!OutputKind::TunePlan.is_begun_by(head.as_bytes()), "{head}");
        }
        let import = [
            "{\n  \"fathom_import\": 1,\n",
            "source,file,job,direction,kind,figure,unit,value\n",
            "nightly · 2 logs of fio · fathom 0.1.0\n",
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>j · fathom</title>\n",
        ];
        import.iter().for_each(|head| assert!(OutputKind::Import.is_begun_by(head.as_bytes()), "{head}"));
        for head in [
            "# Converted by fathom convert --to windows from job.fio.\n",
            "#!/bin/sh\n# Converted by fathom convert\n",
        ] {
            assert!(OutputKind::Converted.is_begun_by(head.as_bytes()), "{head}");
        }
        assert!(OutputKind::Capture.is_begun_by(b"fathom-tree 1\n/proc/cmdline = quiet\n"));
        assert_eq!(OutputKind::Import.with_article(), "an import");
        assert_eq!(OutputKind::Result.with_article(), "a result");
        assert!(OutputKind::TunePlan.is_begun_by(b"{\n  \"fathom_tune_plan\": 1,\n"));
        assert!(OutputKind::Bundle.is_begun_by(&[BUNDLE_BEGINNING, b"more"].concat()));
    }

    #[test]
    fn what_else_people_keep_is_no_output() {
        let others = [
            "",
            "old",
            "[global]\nrw=read\n",
            "{\n  \"format\": 1,\n  \"id\": \"4f2a00\",\n",
            "FATHOMSP\u{2}",
            "<!DOCTYPE html>\n<title>My thesis</title>\n",
            "notes on \"fio version\" : what it means\n",
            // What fio measured, in each of its forms, with and without the word.
            "{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp\" : 1795232339,\n  \"jobname\" : \"fio-1-fathom-2\",\n",
            "3;fio-3.33;j;0;0;1\n",
            "3;fio-3.33;fio-1-fathom-2;0;0;1\n",
            "fathom: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=psync, iodepth=1\nfio-3.33\nStarting 1 process\n",
            "1, 63322, 0, 4096, 0\n2, 73735, 0, 4096, 0\n",
            "fio: a warning\n{\n  \"fio version\" : \"fio-3.33\",\n",
            "3;4;5\n",
            // A person's own table of runs, and the rest of ours with a column more.
            "run,name,started,km,minutes\n",
            "run,name,started,target,job,job_number,direction,metric,value,unit,n,low,high,my remark\n",
            "run,name,started,target,round,cell,trust,job,job_number,direction,iops,heart rate\n",
            "{\"a\" 1}",
        ];
        for head in others {
            let kinds = [OutputKind::Result, OutputKind::Capture, OutputKind::TunePlan, OutputKind::Bundle];
            for kind in kinds.into_iter().chain([OutputKind::Import, OutputKind::Converted]) {
                assert!(!kind.is_begun_by(head.as_bytes()), "{kind}: {head}");
            }
        }
        assert!(!OutputKind::Result.is_begun_by(&[0xff; 100]));
        // The backup of somebody else.
        assert!(!OutputKind::Bundle.is_begun_by(b"\x1f\x8b\x08\0\0\0\0\0\0\x03and compressed bytes"));
    }
}
