//! The examples that each command's help begins with. A test parses all of them.

/// A command line, and what it does.
#[derive(Debug)]
pub struct Example {
    /// The line, as it is typed.
    pub line: &'static str,
    /// What it does, in a few words.
    pub does: &'static str,
}

const fn example(line: &'static str, does: &'static str) -> Example {
    Example { line, does }
}

/// The examples of a command, such as `tune plan`.
pub fn of(path: &str) -> &'static [Example] {
    EXAMPLES.iter().find(|(command, _)| *command == path).map_or(&[], |(_, examples)| *examples)
}

/// The commands with their examples.
pub const EXAMPLES: &[(&str, &[Example])] = &[
    (
        "quick",
        &[
            example("fathom quick", "the disk under this directory, in a minute"),
            example("fathom quick /data", "the disk under another directory"),
            example("fathom quick /dev/nvme0n1", "a device, read-only"),
            example("fathom quick /data --seconds 30s", "measure longer"),
        ],
    ),
    (
        "run",
        &[
            example("fathom run job.fio", "run, save, report"),
            example("fathom run --plan job.fio", "say what would run, and run nothing"),
            example("fathom run job.fio --set runtime=10s", "with another value"),
            example("fathom run job.fio --target /dev/sdb", "with another target"),
            example("fathom run job.fio --repeat 5", "five times: how much does it vary?"),
            example("fathom run job.fio --name before --tag old", "with a name and a tag"),
        ],
    ),
    (
        "power-cut",
        &[
            example("fathom power-cut write /dev/sdb --log /mnt/usb/log", "write until the power is cut"),
            example("fathom power-cut check /dev/sdb --log /mnt/usb/log", "judge what is there afterwards"),
        ],
    ),
    (
        "power-cut write",
        &[
            example("fathom power-cut write /dev/sdb --log /mnt/usb/log", "the log on another disk"),
            example("fathom power-cut write /dev/sdb --log - | ssh h 'cat > log'", "on another host"),
            example("fathom power-cut write /dev/sdb --log LOG --flush fua", "FUA instead of flushes"),
        ],
    ),
    (
        "power-cut check",
        &[
            example("fathom power-cut check /dev/sdb --log /mnt/usb/log", "judge it, and save the result"),
            example("fathom power-cut check copy.img --log log --any-target", "a copy of the disk"),
        ],
    ),
    (
        "fio",
        &[
            example("fathom fio job.fio", "a job file"),
            example("fathom fio --name=r --rw=randread --size=1g", "a job on the command line"),
            example("fathom fio job.fio --output-format=json", "fio's JSON"),
            example("fathom fio --cmdhelp=iodepth", "what an option means"),
        ],
    ),
    (
        "baseline",
        &[
            example("fathom baseline save new-sda", "keep the newest run under a name"),
            example("fathom baseline check new-sda", "compare the newest run with it"),
            example("fathom baseline list", "what is kept"),
        ],
    ),
    (
        "baseline save",
        &[
            example("fathom baseline save new-sda 5mg6", "keep this run as new-sda"),
            example("fathom baseline save sheet --figures read_iops=90000", "a claim"),
        ],
    ),
    ("baseline check", &[example("fathom baseline check new-sda 7gxb", "exit code 6 if it is worse")]),
    ("baseline list", &[example("fathom baseline list --json", "for programs")]),
    (
        "compare",
        &[
            example("fathom compare 5mg6 7gxb", "two runs; the first is the baseline"),
            example("fathom compare --run old.fio new.fio", "measure both in turn, 5 times"),
            example("fathom compare 5mg6 7gxb --html --redact", "a page for somebody else"),
            example("fathom compare 5mg6 7gxb --fail-if-worse 5", "exit code 6 where 5 % worse"),
            example("fathom compare --values a:x=1,2 --values b:x=2,3", "figures of your own"),
        ],
    ),
    (
        "devices",
        &[
            example("fathom devices", "what could be measured, and what it would risk"),
            example("fathom devices --json", "for programs"),
        ],
    ),
    (
        "doctor",
        &[
            example("fathom doctor", "this machine and all its disks"),
            example("fathom doctor /dev/nvme0n1 --goal latency", "one device, for one goal"),
            example("fathom doctor --explain cpu.cstates", "what a check means"),
        ],
    ),
    (
        "doctor capture",
        &[example("fathom doctor capture -o host.tree", "record this machine, without names")],
    ),
    (
        "tune",
        &[
            example("fathom tune plan --goal latency", "what would be changed"),
            example("fathom tune revert", "put everything back"),
            example("fathom run --tune=latency job.fio", "tune for one run"),
        ],
    ),
    (
        "tune plan",
        &[
            example("fathom tune plan --goal latency", "show the plan"),
            example("fathom tune plan -o plan.json", "write it to a file"),
        ],
    ),
    (
        "tune apply",
        &[
            example("fathom tune apply plan.json", "show it"),
            example("fathom tune apply plan.json --yes", "change the settings"),
        ],
    ),
    ("tune verify", &[example("fathom tune verify", "is it still in force?")]),
    (
        "tune revert",
        &[
            example("fathom tune revert", "put everything back"),
            example("fathom tune revert --all", "of all sessions"),
        ],
    ),
    ("tune status", &[example("fathom tune status", "what is not put back yet")]),
    (
        "tune knobs",
        &[example("fathom tune knobs", "list all"), example("fathom tune knobs blk.nomerges", "explain one")],
    ),
    ("tune selftest", &[example("fathom tune selftest", "as root")]),
    (
        "tune try",
        &[
            example("fathom tune try blk.nomerges=2 -- job.fio", "say what would be done"),
            example("fathom tune try blk.nomerges=2 --yes -- job.fio", "measure it"),
        ],
    ),
    (
        "pts",
        &[
            example("fathom pts iops --target /dev/nvme0n1 --plan", "what, and for how long?"),
            example("fathom pts lat --target /dev/sdb --destroy S4EWNX0R1234", "empties the drive"),
            example("fathom pts all --target sim:datacentre/1024", "all tests, in about a minute"),
            example("fathom pts all --as tkperf --target /dev/sdb --plan", "TKperf's cells and order"),
            example("fathom report latest -o report.html", "its report"),
        ],
    ),
    ("filesystem", &[example("fathom filesystem create /dev/sdb --at /mnt/test --plan", "what is done?")]),
    (
        "filesystem create",
        &[
            example("fathom filesystem create /dev/sdb --at /mnt/test --plan", "what is done?"),
            example("fathom filesystem create /dev/sdb --at /mnt --destroy S4EWNX0R1234", "ALL DATA IS LOST"),
        ],
    ),
    (
        "suite",
        &[
            example("fathom suite list", "which are there?"),
            example("fathom suite run vsl --target /dev/nvme0n1 --plan", "what, and for how long?"),
            example("fathom suite run flash --target sim:datacentre/64", "on a simulated drive"),
        ],
    ),
    (
        "try",
        &[
            example("fathom try ioengine=libaio,psync -- job.fio", "engines against each other"),
            example("fathom try cpus_allowed=4-7 -- job.fio", "one node, the other"),
            example("fathom try direct=0 --target /dev/nvme0n1 -- reads.fio", "cached against direct"),
            example("fathom try blk.nomerges=0,2 --yes -- job.fio", "a knob, put back each time"),
        ],
    ),
    (
        "sweep",
        &[
            example("fathom sweep job.fio --vary iodepth=1,2,4..256", "every depth"),
            example("fathom sweep job.fio --vary iodepth=1..256 --find knee", "the depth that is enough"),
            example("fathom sweep job.fio --vary iodepth=1..256 --find p99=1ms", "most under a limit"),
            example("fathom sweep job.fio --vary ioengine=psync,libaio", "two engines"),
        ],
    ),
    ("suite list", &[example("fathom suite list", "names, sources, what they take")]),
    ("suite show", &[example("fathom suite show vroc", "its text")]),
    (
        "suite new",
        &[
            example("fathom suite new -o mine.toml", "a small suite, to change it"),
            example("fathom suite new -o mine.toml --from vroc", "a copy of another"),
        ],
    ),
    ("suite check", &[example("fathom suite check mine.toml --target /dev/sdb", "can all cells run there?")]),
    (
        "suite run",
        &[
            example("fathom suite run vsl --target /dev/nvme0n1 --plan", "what, how long?"),
            example("fathom suite run vsl --target /dev/sdb --destroy S4EWNX0R1234", "empties the drive"),
            example("fathom suite run mine.toml --target sim:consumer/64", "a suite of your own"),
            example("fathom report latest -o report.html", "tables and charts"),
        ],
    ),
    (
        "suite tables",
        &[
            example("fathom suite run vroc --target /dev/md/r5 --name RAID5", "one run for each array"),
            example("fathom suite tables RAID0 RAID5 RAID1 RAID10", "workload by RAID level"),
            example("fathom suite tables RAID0 RAID5 -o levels.html", "as a page"),
        ],
    ),
    (
        "precondition",
        &[
            example("fathom precondition --plan /dev/nvme0n1", "what would be written?"),
            example("fathom precondition /dev/nvme0n1 --write S4EWNX0R123456", "write an empty drive twice"),
            example(
                "fathom precondition /dev/sdb --random 4k --for 4h --plan",
                "then at random, for 4 hours",
            ),
            example("fathom precondition sim:datacentre/1024", "a simulated drive"),
        ],
    ),
    (
        "verify",
        &[
            example("fathom verify --plan /dev/sdb", "what would be written?"),
            example("fathom verify /dev/sdb --destroy S4EWNX0R123456", "all of it; ALL DATA IS LOST"),
            example("fathom verify /dev/sdb --read-only", "weeks later: is it still there?"),
            example("fathom verify /dev/sdb --destroy S4EWNX0R --for 24h", "again and again for a day"),
        ],
    ),
    (
        "purge",
        &[
            example("fathom purge --plan /dev/nvme0n1", "how could it be emptied?"),
            example("fathom purge /dev/nvme0n1 --destroy S4EWNX0R123456", "empty it; ALL DATA IS LOST"),
        ],
    ),
    (
        "array",
        &[
            example("fathom array create --level 1 /dev/sdb /dev/sdc --plan", "what would be lost?"),
            example("fathom array remove /dev/md127 --plan", "what would be erased?"),
        ],
    ),
    (
        "array create",
        &[
            example("fathom array create --level 0 /dev/sdb /dev/sdc --plan", "the plan"),
            example("fathom array create --level 1 /dev/sdb /dev/sdc --destroy S1 --destroy S2", "make it"),
        ],
    ),
    (
        "array remove",
        &[example("fathom array remove /dev/md127 --plan", "what would be erased, and the consent")],
    ),
    (
        "report",
        &[
            example("fathom report", "the newest run"),
            example("fathom report 81x6nd", "the run whose id begins so"),
            example("fathom report run.fathom.tar.gz", "a bundle, after verifying it"),
            example("fathom report --details", "all figures, and the evidence"),
            example("fathom report --as iostat --each", "the disks, each second"),
            example("fathom report --output-format csv --series", "the jobs, each second"),
            example("fathom report --redact -o page.html", "a page to send to somebody else"),
        ],
    ),
    (
        "import",
        &[
            example("fathom import x_bw.*.log x_lat.*.log", "the logs of a run of fio"),
            example("fathom import logs --output-format html -o p.html", "a page with charts"),
            example("fathom import x_bw.1.log y_bw.1.log --from 10s", "without the start"),
            example("fathom import result.json", "fio's JSON, terse output or text"),
        ],
    ),
    (
        "convert",
        &[
            example("fathom convert job.fio --to windows", "for fio on Windows"),
            example("fathom convert job.fio --to solaris -o sol.fio", "for Solaris, into a file"),
            example("fathom convert win.fio --from windows --target /dev/sdb", "and back"),
            example("fathom convert iops.sh fio.lun --from orion", "ORION's script as a job"),
            example("fathom convert page.txt --from pasted", "fio's commands from a PDF"),
            example("fathom convert job.fio --to orion", "for ORION"),
        ],
    ),
    (
        "resume",
        &[
            example("fathom resume", "the newest that is not finished"),
            example("fathom resume 81x6nd", "the one whose id begins so"),
        ],
    ),
    (
        "runs",
        &[
            example("fathom runs", "the saved runs, the newest first"),
            example("fathom runs --all --device nvme0n1 --since 7d", "a device, the last week"),
            example("fathom runs --tag new-firmware", "those with a tag"),
            example("fathom runs --json", "for programs"),
        ],
    ),
    (
        "bundle",
        &[
            example("fathom bundle latest", "the newest run as one file"),
            example("fathom bundle 81x6nd -o run.fathom.tar.gz", "another, in this file"),
            example("fathom bundle --capture machine.txt", "with a capture of the machine"),
        ],
    ),
    ("options", &[example("fathom options", "list all"), example("fathom options iodepth", "explain one")]),
    ("schema", &[example("fathom schema", "list all"), example("fathom schema document", "that of a run")]),
    (
        "topology",
        &[
            example("fathom topology", "all disks"),
            example("fathom topology /dev/md0 --need nvme0n1=3500", "is each link fast enough?"),
        ],
    ),
    (
        "calc",
        &[
            example("fathom calc pcie gen4x4", "what a PCIe link carries"),
            example("fathom calc affinity 0-3,8", "CPU masks and lists"),
            example("fathom calc fill 16TB", "the largest file"),
        ],
    ),
    (
        "calc stride",
        &[example("fathom calc stride --level 5 --devices 4 --chunk 64", "ext4 and XFS on RAID 5")],
    ),
    (
        "calc raid",
        &[example("fathom calc raid --level 5 --devices 4 --read-iops 700000 --write-iops 150000", "")],
    ),
    (
        "calc pcie",
        &[
            example("fathom calc pcie gen4x4", "a link by its generation and lanes"),
            example("fathom calc pcie gen3x8 --rate 7000", "could it carry 7000 MB/s?"),
        ],
    ),
    ("calc affinity", &[example("fathom calc affinity 0-3,8 --irq 24", "the mask for an interrupt")]),
    ("calc fill", &[example("fathom calc fill 16TB", "the largest file")]),
    ("calc op", &[example("fathom calc op 812GB 640GB", "of a drive of 640 GB")]),
    ("calc additivity", &[example("fathom calc additivity 500 500 --together 900", "why is it not 1000?")]),
    ("calc dma-delay", &[example("fathom calc dma-delay 10", "step 10")]),
    ("calc slips", &[example("fathom calc slips", "all rows")]),
    (
        "completions",
        &[
            example("fathom completions bash > ~/.local/share/bash-completion/completions/fathom", ""),
            example("fathom completions zsh > ~/.zfunc/_fathom", ""),
            example("fathom completions fish > ~/.config/fish/completions/fathom.fish", ""),
        ],
    ),
    (
        "man",
        &[
            example("fathom man quick | man -l -", "read the page of a command"),
            example("fathom man units | man -l -", "read a topic"),
            example("fathom man --list", "all pages, and the name of the file of each"),
        ],
    ),
    (
        "help",
        &[
            example("fathom help", "all commands and topics"),
            example("fathom help tune plan", "a command"),
            example("fathom help consent", "a topic"),
        ],
    ),
];
