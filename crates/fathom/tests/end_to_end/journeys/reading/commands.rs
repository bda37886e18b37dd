//! The commands that read, by what they read.

use super::saved::Kind;

/// Lines that read a run. `IT` is what is read, `SAVED` the directory with all that is whole.
const RUN: &[&str] = &[
    "report IT",
    "report IT --details",
    "report IT --json",
    "report IT --rejudge",
    "report IT --rejudge --json",
    "report IT --redact",
    "report IT --redact --json",
    "report IT --output-format html",
    "report IT --output-format csv",
    "report IT --output-format csv --series",
    "report IT --output-format json",
    "report IT --output-format json+",
    "report IT --output-format normal,terse",
    "report IT --redact --output-format html -o out/page.html",
    "report IT --datasheet read_iops=1000 --fail-on low",
    "report IT --as iostat",
    "report IT --as sar --each",
    "report IT --as mpstat --redact",
    "report IT --title mine -o out/titled.html",
    "report --runs-dir . latest",
    "compare SAVED/one IT",
    "compare IT SAVED/sim --json",
    "compare IT SAVED/twice --html",
    "compare IT SAVED/suite --redact --details",
    "compare IT IT",
    "baseline save mine IT --replace --baselines-dir out/baselines",
    "baseline check known IT --baselines-dir SAVED/kept",
    "baseline check more IT --baselines-dir SAVED/kept --json",
    "bundle IT -o out/it.fathom.tar.gz",
    "runs --runs-dir .",
    "runs --runs-dir . --json",
    "runs --runs-dir . --rebuild --state damaged,complete",
    "import IT",
    "import IT --json",
    "suite tables IT SAVED/suite",
    "report IT/rounds",
    "topology --root IT",
    "devices --root IT",
    "tune plan --root IT",
];

/// Further lines that read a procedure.
const PROCEDURE: &[&str] = &[
    "compare IT SAVED/swept",
    "compare SAVED/pts IT",
    "suite tables IT IT",
    "suite tables SAVED/suite IT --json",
    "suite tables SAVED/suite IT -o out/tables.html",
    "report IT/rounds/0001-repeat",
    "bundle IT/rounds/0001-repeat -o out/round.fathom.tar.gz",
    "compare IT/rounds/0001-repeat SAVED/one",
    "runs --runs-dir IT/rounds",
];

const BASELINE: &[&str] = &[
    "baseline check known SAVED/one --baselines-dir IT",
    "baseline check known SAVED/sim --baselines-dir IT --json",
    "baseline check more SAVED/twice --baselines-dir IT --html --redact",
    "baseline list --baselines-dir IT",
    "baseline list --baselines-dir IT --json",
    "report IT/known",
    "runs --runs-dir IT",
    "compare IT/known IT/more",
];

const BUNDLE: &[&str] = &[
    "report IT/one.fathom.tar.gz",
    "report IT/one.fathom.tar.gz --json",
    "report IT/twice.fathom.tar.gz --output-format html",
    "report IT/twice.fathom.tar.gz --redact",
    "compare IT/one.fathom.tar.gz IT/twice.fathom.tar.gz",
    "baseline save mine IT/one.fathom.tar.gz --replace --baselines-dir out/baselines",
    "baseline check known IT/one.fathom.tar.gz --baselines-dir SAVED/kept",
    "runs --runs-dir IT",
];

const FIO: &[&str] = &[
    "import IT",
    "import IT --json",
    "import IT --output-format html",
    "import IT --output-format csv",
    "import IT --from 1s --kind bw",
    "import IT/*.log",
    "report IT",
    "runs --runs-dir IT",
];

const MACHINE: &[&str] = &[
    "topology --root IT",
    "topology --root IT --json",
    "topology --root IT --format svg",
    "devices --all --root IT",
    "devices --root IT --json",
    "doctor --root IT",
    "doctor --root IT --json",
    "doctor --root IT --goal latency",
    "tune plan --root IT",
];

/// All lines for a kind.
pub fn lines(kind: Kind) -> Vec<&'static str> {
    match kind {
        Kind::Run => RUN.to_vec(),
        Kind::Procedure | Kind::Half | Kind::Suite => [RUN, PROCEDURE].concat(),
        Kind::Baseline => BASELINE.to_vec(),
        Kind::Bundle => BUNDLE.to_vec(),
        Kind::Fio => FIO.to_vec(),
        Kind::Machine => MACHINE.to_vec(),
    }
}
