//! Kinds of output, and how a file of each kind is recognised.

use fathom_job::convert::HEADING;
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

/// The forms of a result: fio's JSON, terse line and normal text, and fathom's
/// page and summary.
fn is_result(head: &str) -> bool {
    let line = head.lines().next().unwrap_or_default();
    first_key(head) == Some("fio version")
        || (first_key(head) == Some("format")
            && head.lines().nth(2).is_some_and(|line| RESULT_KEYS.iter().any(|key| line.starts_with(key))))
        || line.starts_with("run,name,started,")
        || (line.starts_with("3;fio-") && line.split(';').count() > 4)
        || (line.contains(": (g=") && line.contains("): rw=") && line.contains("ioengine="))
        || is_page(head)
        || line.contains(" · fathom ")
        || is_first_screen(line)
}

/// The second key of the document of a run and of a procedure.
const RESULT_KEYS: [&str; 2] = ["  \"fathom\":", "  \"verdict\":"];

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
            "{\n  \"fio version\" : \"fio-3.33\",\n",
            "3;fio-3.33-fathom-0.1.0;j;0;0;1\n",
            "a job: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=psync, iodepth=1\n",
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>j · fathom</title>\n",
            "j  4f2a00 · fathom 0.1.0\n2026-11-21 03:38:46 UTC\n",
            "j  2026-11-21 03:38:46 UTC · 26 s · complete\ntarget   /dev/sda\n",
            "j  2026-11-21 03:38:46 UTC · 26 s · complete · 6 jobs of 2 s\ntarget   /dev/sda\n",
            "{\n  \"format\": 1,\n  \"fathom\": \"0.1.0\",\n  \"id\": \"4f2a00\",\n",
            "{\n  \"format\": 1,\n  \"verdict\": null,\n  \"record\": {\n",
            "run,name,started,target,job,job_number,direction\n",
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
            "3;4;5\n",
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
