//! The lines of fio's text. A mail, a web page or a document may have taken their indentation away or broken them at any word, and
//! other programs may have written between them, so a line is known by its first word, and what belongs to no line is counted.

use std::borrow::Cow;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// `a: (g=0): rw=read, bs=…`, before the run.
    Header,
    /// `fio-3.33`.
    Version,
    /// `a: (groupid=0, jobs=1): err= 0: pid=…`, behind the run.
    Job,
    /// `read: IOPS=…`, `write: io=…`.
    Flow,
    /// `clat (usec): min=…`, and `lat (usec) : 2=0.01%`.
    Latency,
    /// `clat percentiles (usec):`.
    PercentileTitle,
    /// `| 99.00th=[ 434], …`.
    Percentiles,
    /// `bw (KiB/s): min=…`.
    Bandwidth,
    /// `iops : min=…`.
    Iops,
    /// `cpu : usr=…`.
    Cpu,
    /// `IO depths : 1=…`.
    Depths,
    /// `submit : 0=…`.
    Submits,
    /// `complete : 0=…`.
    Completes,
    /// `issued rwts: total=…`.
    Issued,
    /// `errors : total=…`.
    Errors,
    /// `Run status group 0 (all jobs):`.
    Group,
    /// `vda: ios=…`.
    Disk,
    /// A line of fio of which nothing is read.
    Other,
}

/// A line, put together again.
#[derive(Clone, Debug)]
pub(super) struct Line<'t> {
    pub kind: LineKind,
    pub text: Cow<'t, str>,
}

impl Line<'_> {
    /// What is before the first colon.
    pub fn label(&self) -> &str {
        label(&self.text).map_or("", |(label, _)| label)
    }

    /// What is after the first colon.
    pub fn rest(&self) -> &str {
        label(&self.text).map_or("", |(_, rest)| rest)
    }

    /// What is in brackets before the first colon: the unit.
    pub fn unit(&self) -> Option<&str> {
        let (_, unit) = self.label().split_once('(')?;
        unit.strip_suffix(')').map(str::trim)
    }
}

/// The lines of a text, and the physical lines that are none of fio.
pub(super) fn lines(text: &str) -> (Vec<Line<'_>>, Vec<&str>) {
    let (mut all, mut others): (Vec<Line<'_>>, Vec<&str>) = (Vec::new(), Vec::new());
    // A status line on a terminal ends with a carriage return.
    let physical = text.split(['\n', '\r']).map(unquoted).filter(|line| !line.is_empty());
    let last = if text.ends_with(['\n', '\r']) { None } else { text.split(['\n', '\r']).next_back() };
    let mut physical: Vec<&str> = physical.collect();
    if last.is_some_and(|last| !last.trim().is_empty())
        && let Some(end) = physical.last_mut()
    {
        *end = without_cut(end);
    }
    physical.retain(|line| !line.is_empty());
    for line in physical {
        match kind(line) {
            Some(kind) => all.push(Line { kind, text: Cow::Borrowed(line) }),
            None => match all.last_mut().filter(|last| goes_on(&last.text, line)) {
                Some(last) => last.text = Cow::Owned(format!("{} {line}", last.text)),
                None => others.push(line),
            },
        }
    }
    (all, others)
}

/// A line without its indentation, and without the marks of a mail that quotes it.
pub(super) fn unquoted(line: &str) -> &str {
    let mut line = line.trim();
    while let Some(rest) =
        line.strip_prefix('>').filter(|rest| rest.is_empty() || rest.starts_with([' ', '>']))
    {
        line = rest.trim_start();
    }
    line
}

/// The last line of a text that does not end with a line's end: its last word may be cut. These characters end a value, so nothing
/// of it can be missing behind them.
fn without_cut(line: &str) -> &str {
    if line.ends_with(['%', ')', ']']) {
        return line;
    }
    let word = line.rfind([' ', ',', '=', '/', '(', '[', '\t']).map_or(0, |at| at + 1);
    &line[..word]
}

/// Is a line the rest of the one before it? Then that one ends in the middle of a list or a value, or this one begins with a
/// value of such a list.
fn goes_on(before: &str, line: &str) -> bool {
    let is_open = before.ends_with([',', '=', '/', '[', '(', ':']) && !line.contains(": ");
    let first = line.split(['=', ' ']).next().unwrap_or_default();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '>' | '_' | '.' | '-' | '%');
    let is_value = line[first.len()..].starts_with('=') && !first.is_empty() && first.chars().all(is_word);
    is_open || is_value
}

/// The first colon divides a line. A name of a job may have one, so jobs are known before this is asked.
fn label(line: &str) -> Option<(&str, &str)> {
    line.split_once(':').map(|(label, rest)| (label.trim(), rest.trim()))
}

/// What this line is, if it begins one.
pub(super) fn kind(line: &str) -> Option<LineKind> {
    // A name may hold the one or the other, and what follows the name stands last.
    match (line.rfind(": (groupid="), line.rfind(": (g=")) {
        (Some(job), header) if header.is_none_or(|header| job > header) => return Some(LineKind::Job),
        (_, Some(header)) if line[header..].contains("rw=") => return Some(LineKind::Header),
        _ => {}
    }
    if is_version(line) {
        return Some(LineKind::Version);
    }
    if line.starts_with('|')
        || line.split_once("th=[").is_some_and(|(percent, _)| percent.parse::<f64>().is_ok())
    {
        return Some(LineKind::Percentiles);
    }
    if line == "..." || line.starts_with("Starting ") {
        return Some(LineKind::Other);
    }
    let (label, rest) = label(line)?;
    let word = label.split([' ', '(']).next().unwrap_or_default();
    Some(match (label, word) {
        ("read" | "write" | "trim" | "mixed", _) => LineKind::Flow,
        (_, "slat" | "clat" | "lat" | "sync" | "high" | "low") if label.contains("percentiles") => {
            LineKind::PercentileTitle
        }
        (_, "slat" | "clat" | "lat") if label.contains('(') => LineKind::Latency,
        (_, "bw") if label.contains('(') => LineKind::Bandwidth,
        ("iops", _) => LineKind::Iops,
        ("cpu", _) => LineKind::Cpu,
        ("IO depths", _) => LineKind::Depths,
        ("submit", _) => LineKind::Submits,
        ("complete", _) => LineKind::Completes,
        (_, "issued") => LineKind::Issued,
        ("errors", _) => LineKind::Errors,
        (_, "Run") if label.starts_with("Run status group") => LineKind::Group,
        _ if rest.starts_with("ios=") => LineKind::Disk,
        ("READ" | "WRITE" | "TRIM" | "MIXED" | "Description" | "latency" | "steadystate" | "Jobs", _) => {
            LineKind::Other
        }
        (_, "Disk") if label.starts_with("Disk stats") => LineKind::Other,
        (_, "sync") if label.contains('(') => LineKind::Other,
        (_, "fsync/fdatasync/sync_file_range") => LineKind::Other,
        _ => return None,
    })
}

/// `fio-2.0.8`, `fio-3.33-dirty`, and nothing else in the line.
fn is_version(line: &str) -> bool {
    line.strip_prefix("fio-").is_some_and(|number| {
        number.starts_with(|c: char| c.is_ascii_digit()) && !number.contains(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (Vec<String>, usize) {
        let (all, others) = lines(text);
        (all.iter().map(|line| format!("{:?} {}", line.kind, line.text)).collect(), others.len())
    }

    #[test]
    fn lines_are_put_together_however_they_were_broken() {
        let cases = [
            (
                "IO depths : 1=0.0%, 32=115.3%,\n>=64=0.0%\n",
                &["Depths IO depths : 1=0.0%, 32=115.3%, >=64=0.0%"][..],
            ),
            (
                "/dev/x: (g=0): rw=rw, bs=512-512, ioengine=libaio,\niodepth=32\n",
                &["Header /dev/x: (g=0): rw=rw, bs=512-512, ioengine=libaio, iodepth=32"],
            ),
            ("cpu : usr=7.20%,\n   sys=45.61%\n", &["Cpu cpu : usr=7.20%, sys=45.61%"]),
            ("cpu : usr=\n7.20%\n", &["Cpu cpu : usr= 7.20%"]),
            ("clat (usec): min=1\navg=2\n", &["Latency clat (usec): min=1 avg=2"]),
            ("30.00th=[  161], 40.00th=[ 179]\n", &["Percentiles 30.00th=[  161], 40.00th=[ 179]"]),
            // Cut in the middle of a number, and behind one.
            ("cpu : usr=7.20%, sys=45.6", &["Cpu cpu : usr=7.20%, sys="]),
            ("cpu : usr=7.20%", &["Cpu cpu : usr=7.20%"]),
            ("fio-3.3", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(told(text), (expected.iter().map(ToString::to_string).collect(), 0), "{text}");
        }
        let between = "cpu : usr=7.20%\nkernel: a line of another program\nIO depths : 1=100.0%\n";
        assert_eq!(told(between).1, 1);
    }
}
