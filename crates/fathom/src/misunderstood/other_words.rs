//! What people type who know other programs, and what it is called here.

/// Words for a command, and the commands that may be meant; the first that exists is.
type Meant = (&'static [&'static str], &'static [&'static str]);

const COMMANDS: &[Meant] = &[
    (&["bench", "benchmark", "test", "measure", "measurement", "speed", "perf", "start", "disk"], &["quick"]),
    (&["ls", "lst", "lsblk", "disks", "device", "drives"], &["devices"]),
    (&["audit", "check", "diagnose", "host", "lint"], &["doctor"]),
    (&["plan", "dry-run", "parse", "validate", "explain"], &["run --plan"]),
    (&["job", "jobs", "exec", "execute"], &["run"]),
    (&["optimize", "optimise", "tuning", "set"], &["tune"]),
    (&["erase", "wipe", "format", "sanitize", "secure-erase", "trim", "discard"], &["purge"]),
    (&["mkfs", "mount", "fs"], &["filesystem"]),
    (&["mdadm", "md", "raid"], &["array"]),
    (&["search", "knee", "saturate", "saturation", "vary", "grid", "matrix"], &["sweep"]),
    (&["suites", "vsl", "flash", "vroc", "orion", "ezfio", "scaling", "guide"], &["suite"]),
    (&["show", "print", "view", "result", "html", "open", "browse", "browser", "page"], &["report"]),
    (&["pack", "archive", "tar", "zip", "send", "export"], &["bundle"]),
    (&["translate", "port", "windows", "solaris"], &["convert"]),
    (&["continue", "restart", "retry"], &["resume"]),
    (&["history", "results", "log", "logs"], &["runs"]),
    (&["cmdhelp", "option", "params", "parameters"], &["options"]),
    (&["map", "tree", "path", "pci", "pcie", "numa"], &["topology"]),
    (&["calculate", "compute"], &["calc"]),
    (&["completion", "complete"], &["completions"]),
    (&["version"], &["--version"]),
    (&["usage", "topics", "info"], &["help"]),
];

/// The same below `fathom tune`.
const TUNE: &[Meant] = &[
    (&["show", "dry-run", "diff"], &["plan"]),
    (&["start", "on", "set", "run"], &["apply"]),
    (&["check", "test"], &["verify"]),
    (&["undo", "reset", "restore", "off", "stop"], &["revert"]),
    (&["list", "ls", "knob", "settings"], &["knobs"]),
    (&["compare", "ab", "measure"], &["try"]),
    (&["state", "sessions"], &["status"]),
];

/// The commands that a word may mean, below the command `above`.
pub fn command(above: Option<&str>, word: &str) -> Option<&'static [&'static str]> {
    let word = word.to_lowercase();
    table(above).iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, meant)| *meant)
}

/// A word of fewer letters is like too many others.
const LETTERS_MIN: usize = 5;

/// The words for commands below `above` that can be recognised although they are misspelt.
pub fn long_words<'w>(above: Option<&str>) -> impl Iterator<Item = &'w str> + use<'w> {
    let words = table(above).iter().flat_map(|(words, _)| words.iter().map(|word| -> &'w str { word }));
    words.filter(|word| word.len() >= LETTERS_MIN)
}

fn table(above: Option<&str>) -> &'static [Meant] {
    match above {
        None => COMMANDS,
        Some("tune") => TUNE,
        Some(_) => &[],
    }
}

/// Options of other programs or of another command, and what takes their place: before the value, joined with
/// it after `=`, or without it before `!`. Where nothing takes the place, the value is left alone; for `!`,
/// the option is left out, and had no value.
pub const OPTIONS: &[(&str, &str, &str)] = &[
    ("quick", "--runtime", "--seconds"),
    ("quick", "--time", "--seconds"),
    ("quick", "--duration", "--seconds"),
    ("quick", "--filename", ""),
    ("quick", "--file", ""),
    ("quick", "--target", ""),
    ("quick", "--device", ""),
    ("quick", "--dir", ""),
    ("quick", "--directory", ""),
    ("tune revert", "--yes", "!"),
    ("quick", "--html", "!"),
    ("quick", "--yes", "!"),
    ("quick", "-y", "!"),
    ("run", "--yes", "!"),
    ("run", "-y", "!"),
    ("run", "--file", "--target"),
    ("run", "--filename", "--target"),
    ("run", "--device", "--target"),
    ("run", "--dry-run", "--plan"),
    ("run", "--seconds", "--set runtime="),
    ("run", "--time", "--set runtime="),
    ("run", "--duration", "--set runtime="),
    ("run", "--rounds", "--repeat"),
    ("run", "--csv", "--output-format csv"),
    ("run", "--format", "--output-format"),
    ("report", "--format", "--output-format"),
    ("report", "--csv", "--output-format csv"),
    ("report", "--page", "--output-format html"),
    ("report", "--run", ""),
    ("report", "--dir", ""),
    ("report", "--id", ""),
    ("report", "--last", "!"),
    ("report", "--html", "--output-format html"),
    ("doctor", "--format", "--json!"),
    ("doctor", "--output-format", "--json!"),
    ("devices", "--format", "--json!"),
    ("devices", "--output-format", "--json!"),
    ("compare", "--format", "--json!"),
    ("compare", "--output-format", "--json!"),
    ("compare", "--repeat", "--rounds"),
    ("compare", "--threshold", "--fail-if-worse"),
    ("compare", "--fail-on", "--fail-if-worse"),
    ("compare", "--baseline", ""),
    ("runs", "--last", "--limit"),
    ("runs", "--format", "--json!"),
    ("runs", "--output-format", "--json!"),
    ("purge", "--output-format", "--json!"),
    ("topology", "--output-format", "--format"),
    ("options", "--output-format", "--json!"),
    ("topology", "--svg", "--format svg"),
    ("purge", "--dry-run", "--plan"),
    ("purge", "--write", "--plan!"),
    ("tune apply", "--dry-run", ""),
    ("", "-v", "--version"),
    ("", "-?", "--help"),
    ("", "--usage", "--help"),
];

/// Options whose meaning is another command line.
pub const LINES: &[(&str, &str, &str)] = &[
    ("quick", "--plan", "fathom help targets"),
    ("doctor", "--fix", "fathom tune plan"),
    ("doctor", "--tune", "fathom tune plan"),
];
