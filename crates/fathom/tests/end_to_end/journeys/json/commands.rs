//! Which document each command prints.

/// A command line, and what it prints.
pub struct Line {
    /// The words of the command, such as `tune plan`.
    pub command: &'static str,
    /// The words behind it. `DEVICE` is a loop device, `CONSENT` the word that consents to writing it.
    pub words: &'static str,
    /// The schema of what it prints.
    pub schema: &'static str,
    /// The exit code.
    pub exit: i32,
}

const fn line(command: &'static str, words: &'static str, schema: &'static str) -> Line {
    Line { command, words, schema, exit: 0 }
}

/// `quick` measures real I/O, so these take seconds.
pub const QUICK: &[Line] = &[
    line("quick", "target --seconds 1 --no-calibrate -q", "document"),
    line("quick", "target --seconds 1 --no-calibrate -q --repeat 1", "procedure-document"),
];

/// All other lines. They are run in this order: later ones use what earlier ones leave.
pub const LINES: &[Line] = &[
    line("run", "--plan job.fio", "plan"),
    line("run", "-q --no-calibrate --output-dir one job.fio", "document"),
    line("run", "-q --no-calibrate --output-dir two job.fio", "document"),
    line("run", "-q --repeat 3 --output-dir whole job.fio", "procedure-document"),
    Line { exit: 7, ..line("report", "half", "procedure-document") },
    line("resume", "-q half", "procedure-document"),
    line("report", "one", "document"),
    line("report", "one --datasheet read_iops=1000", "document"),
    line("report", "half", "procedure-document"),
    line("compare", "one two", "comparison"),
    line("compare", "--values a:x=1,2,3 --values b:x=2,3,4", "comparison"),
    line("compare", "--run job.fio other.fio --rounds 2 -q", "comparison"),
    line("baseline save", "new one --baselines-dir kept", "baselines"),
    line("baseline save", "told --figures read_iops=100293 --baselines-dir kept", "baselines"),
    Line { exit: 5, ..line("baseline check", "told one --baselines-dir kept", "document") },
    line("baseline list", "--baselines-dir kept", "baselines"),
    line("baseline check", "new one --baselines-dir kept", "comparison"),
    line("runs", "--runs-dir .", "runs"),
    line("import", "x_bw.1.log x_lat.1.log", "import"),
    line("import", "r.json", "import"),
    line("options", "", "options"),
    line("options", "blocksize", "options"),
    line("calc stride", "--level 50 --devices 8 --groups 2 --chunk 64", "calc"),
    line(
        "calc raid",
        "--level 5 --devices 4 --read-iops 700000 --write-iops 146000 --measured 212889 --cpu 30",
        "calc",
    ),
    line("calc pcie", "gen4x4 --rate 3500", "calc"),
    line("calc affinity", "0-3,8 --irq 42", "calc"),
    line("calc fill", "16TB --file 15000G", "calc"),
    line("calc op", "812GB 640GB", "calc"),
    line("calc additivity", "100 110 --together 205", "calc"),
    line("calc dma-delay", "31", "calc"),
    line("calc slips", "", "calc"),
    line("devices", "", "devices"),
    line("devices", "DEVICE", "devices"),
    line("doctor", "DEVICE", "doctor"),
    line("doctor", "--goal latency --read lspci.txt", "doctor"),
    line("topology", "DEVICE", "topology"),
    line("tune knobs", "", "tune-knobs"),
    line("tune knobs", "blk.nomerges", "tune-knobs"),
    line("tune plan", "DEVICE --knob blk.nomerges=1 --only -o plan.json", "tune-plan"),
    line("tune apply", "plan.json --state-dir state", "tune-plan"),
    line("tune apply", "plan.json --yes --state-dir state", "tune-changes"),
    line("tune status", "--state-dir state", "tune-changes"),
    line("tune verify", "--state-dir state", "tune-changes"),
    line("tune revert", "--state-dir state", "tune-changes"),
    line("tune status", "--state-dir state", "tune-changes"),
    line("tune try", "blk.nomerges=1 --pairs 6 --yes --state-dir state -- device.fio", "procedure-document"),
    line("precondition", "sim:datacentre/4096 --passes 1", "procedure-document"),
    line("verify", "DEVICE --size 1m --destroy CONSENT", "procedure-document"),
    // So short rounds have no steady state.
    Line { exit: 5, ..line("pts", "tp --target sim:datacentre/4096 --scale 600", "procedure-document") },
    line("suite list", "", "suites"),
    line("suite check", "vroc --target sim:datacentre/4096", "suite-plan"),
    line("suite run", "flash --target sim:datacentre/4096 --scale 600", "procedure-document"),
    line("suite run", "flash --target sim:datacentre/4096 --scale 600 --name twice", "procedure-document"),
    line("suite tables", "flash twice", "suite-tables"),
    line("sweep", "sim.fio --vary iodepth=1,2 --set runtime=1", "procedure-document"),
    line("sweep", "sim.fio --vary iodepth=1,2,4 --set runtime=1 --find knee", "procedure-document"),
    line("sweep", "sim.fio --vary iodepth=1,2 --plan", "suite-plan"),
    line("sweep", "sim.fio --vary iodepth=1,2,4 --find knee --plan", "suite-plan"),
    line("try", "iodepth=4 --rounds 1 -- sim.fio", "comparison"),
    line("power-cut check", "cut.img --log cut.log", "power-cut"),
    line("purge", "DEVICE --plan", "purge"),
    Line { exit: 3, ..line("purge", "DEVICE", "purge") },
    line("purge", "DEVICE --method zero --destroy CONSENT --state-dir purged", "purge"),
];

/// The lines for a recorded machine, for each of those that are kept.
pub const RECORDED: &[Line] = &[
    line("devices", "--all --root TREE", "devices"),
    line("doctor", "--root TREE", "doctor"),
    line("topology", "--root TREE", "topology"),
    line("tune plan", "--root TREE", "tune-plan"),
];

/// Commands without a document, and why.
pub const WITHOUT: &[(&str, &str)] = &[
    ("fio", "has the forms of fio, with its --output-format=json"),
    ("convert", "prints a text of the form that was asked for"),
    ("array create", "answers with one device"),
    ("filesystem create", "answers with one directory"),
    ("array remove", "answers by its exit code"),
    ("bundle", "answers with one path; the bundle has manifest.json"),
    ("power-cut write", "writes a log, which the check reads"),
    ("doctor capture", "writes a recorded machine, which --root reads"),
    ("suite show", "prints the text of a suite"),
    ("suite new", "prints the text of a suite"),
    ("tune selftest", "is a test of this machine, which answers by its exit code"),
    ("tune guardian", "is the inner part of another command"),
    ("tune apart", "is the inner part of another command"),
    ("schema", "prints a schema, which is JSON"),
    ("completions", "prints a script for a shell"),
    ("man", "prints a manual page"),
    ("help", "prints text for people"),
];
