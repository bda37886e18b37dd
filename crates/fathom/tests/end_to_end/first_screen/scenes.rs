//! Simulated results of `quick`: one for each kind of target and each way to end.

use fathom_figures::fixture::{DirectionLoad, RunBuilder, disk};
use fathom_job::units::Bytes;
use fathom_procedures::quick::{QuickTarget, job_text};
use fathom_results::{EndedBy, Incomplete, RunEnd, RunResult};

const MIB: u64 = 1 << 20;
const PATH: &str = "/data/fathom-scratch-1";

/// What the six measurements of a drive give.
struct Drive {
    /// MiB a second: read, written.
    flow: [u64; 2],
    /// Latency of one read, ns.
    alone_ns: u64,
    /// Random reads, writes, and I/Os of the mix, a second.
    random: [u64; 3],
    /// How much the rates of random I/O vary from one second to the next, percent.
    wave: u64,
}

const SATA: Drive = Drive { flow: [530, 490], alone_ns: 90_000, random: [80_000, 60_000, 70_000], wave: 3 };
const NVME: Drive =
    Drive { flow: [3_300, 2_900], alone_ns: 78_000, random: [310_000, 240_000, 280_000], wave: 2 };
const HARD_DISK: Drive = Drive { flow: [210, 190], alone_ns: 8_100_000, random: [180, 210, 190], wave: 4 };
const CAPPED: Drive =
    Drive { flow: [238, 238], alone_ns: 640_000, random: [16_000, 16_000, 16_000], wave: 0 };
const MEMORY: Drive =
    Drive { flow: [6_000, 4_000], alone_ns: 1_900, random: [520_000, 400_000, 450_000], wave: 1 };

impl Drive {
    fn measured(&self, cells: usize) -> RunBuilder {
        let target = QuickTarget {
            path: PATH.to_owned(),
            size: Bytes::gib(1),
            can_write: true,
            direct: true,
            engine: "io_uring".to_owned(),
            block_min: Bytes(512),
            seconds_per_cell: 10,
            is_scratch: true,
        };
        let mut scene = RunBuilder::text(&job_text(&target));
        for (job, _) in (0..cells).zip(0..6) {
            for second in 0..10u64 {
                scene = scene.seconds(job, 1, &self.second(job, second));
            }
        }
        scene
    }

    fn second(&self, job: usize, second: u64) -> Vec<DirectionLoad> {
        // A triangle around the mean: 0, 1, 2, 1, 0, -1, …
        let step = [0i64, 1, 2, 1, 0, -1, -2, -1][second as usize % 8];
        let at = |rate: u64| (rate as i64 + rate as i64 * self.wave as i64 * step / 200).max(1) as u64;
        let queued = |rate: u64, depth: u64| depth * 995_000_000 / rate;
        match job {
            0 => vec![DirectionLoad::reads(self.flow[0], MIB, queued(self.flow[0], 8))],
            1 => vec![DirectionLoad::reads(995_000_000 / self.alone_ns, 4096, self.alone_ns)],
            2 => vec![DirectionLoad::reads(at(self.random[0]), 4096, queued(at(self.random[0]), 32))],
            3 => vec![DirectionLoad::writes(self.flow[1], MIB, queued(self.flow[1], 8))],
            4 => vec![DirectionLoad::writes(at(self.random[1]), 4096, queued(at(self.random[1]), 32))],
            _ => {
                let all = at(self.random[2]);
                let latency = queued(all, 32);
                vec![
                    DirectionLoad::reads(all * 7 / 10, 4096, latency),
                    DirectionLoad::writes(all * 3 / 10, 4096, latency),
                ]
            }
        }
    }
}

/// A disk below the scratch file.
fn on(scene: RunBuilder, name: &str, facts: &[(&str, &str)]) -> RunBuilder {
    let scene =
        scene.fact(&format!("target.{PATH}.disk"), name).fact(&format!("target.{PATH}.fs_type"), "ext4");
    facts.iter().fold(scene, |scene, (fact, value)| scene.fact(&format!("target.{PATH}.{fact}"), value))
}

fn finished(scene: RunBuilder) -> RunResult {
    let mut run = scene.fact("cpu_threads", "8").fact("memory_bytes", "17179869184").run();
    run.record.name = "quick".to_owned();
    run.record.id = "1grxj35qmr2ec".to_owned();
    run.record.procedure = Some("quick".to_owned());
    run.record.started_unix_ns = 1_790_000_000_000_000_000;
    run.record.command = ["/usr/bin/fathom", "quick", "/data"].map(str::to_owned).to_vec();
    if let Some(finish) = &mut run.record.finish {
        finish.elapsed_ns = 66_000_000_000;
    }
    run.dir = "fathom-runs/20260921-133320Z-quick-1grxj35qmr2ec".into();
    fathom_procedures::judge(&mut run);
    run
}

/// Jobs of a user on three targets, one of them memory, with names that no table has room for; a part of the reads of
/// one failed.
fn several() -> RunResult {
    let text = "[global]\nbs=4k\nrw=randread\nioengine=io_uring\ndirect=1\niodepth=8\nsize=64m\n\
                [reads-of-the-raw-device-at-depth-eight]\nfilename=/dev/sda\n\
                [esc\x1b[31mape]\nstonewall\nfilename=/data/t10.dat\nrate_iops=1000\n\
                [memory]\nfilename=/shm/m.dat\n";
    let flow = |ios| DirectionLoad::reads(ios, 4096, 7_900_000_000 / ios);
    let scene = RunBuilder::text(text)
        .seconds(0, 2, &[DirectionLoad { errors: 30_000, ..flow(10_000) }])
        .seconds(1, 2, &[DirectionLoad { response_ns: 9_000_000, ..flow(1_000) }])
        .seconds(2, 2, &[flow(400_000)]);
    let facts = [
        ("/dev/sda.disk", "sda"),
        ("/dev/sda.disks", "sda"),
        ("/dev/sda.kind", "scsi"),
        ("/data/t10.dat.disk", "nvme0n1"),
        ("/data/t10.dat.disks", "nvme0n1"),
        ("/data/t10.dat.fs_type", "ext4"),
        ("/shm/m.dat.fs_type", "tmpfs"),
    ];
    let scene = facts.into_iter().fold(scene, |scene, (n, v)| scene.fact(&format!("target.{n}"), v));
    let mut run = finished(scene);
    run.record.name = "a\x1b[31mb".to_owned();
    run.record.procedure = None;
    let job_file = "/tmp/a directory with blanks/and a job file that has a long name.fio";
    run.record.command = ["/usr/bin/fathom", "run", job_file].map(str::to_owned).to_vec();
    fathom_procedures::judge(&mut run);
    run
}

/// A run of a user, on the SATA drive of [`all`].
fn of_user(name: &str, scene: RunBuilder) -> RunResult {
    let facts = [("disk", "sda"), ("model", "SAMSUNG MZ7L3480HCHQ-00A07"), ("size_bytes", "480103981056")];
    let facts = facts.into_iter().chain([("kind", "scsi"), ("rotational", "false"), ("fs_type", "ext4")]);
    let scene =
        facts.fold(scene, |scene, (fact, value)| scene.fact(&format!("target./data/f.{fact}"), value));
    let mut run = finished(scene);
    run.record.name = name.to_owned();
    run.record.procedure = None;
    run.record.command = ["/usr/bin/fathom", "run", "db.fio"].map(str::to_owned).to_vec();
    fathom_procedures::judge(&mut run);
    run
}

/// Jobs that do different things share a row: reads of pages, and a log that is synced after each write.
fn group() -> RunResult {
    let text = "[global]\nfilename=/data/f\nsize=1g\ndirect=1\ngroup_reporting\n\
                [pages]\nrw=randread\nbs=8k\nioengine=io_uring\niodepth=16\nnumjobs=2\n\
                [wal]\nrw=write\nbs=4k\nioengine=psync\nfdatasync=1\n";
    let reads = [DirectionLoad::reads(20_000, 8192, 790_000)];
    let scene = RunBuilder::text(text).seconds(0, 12, &reads).seconds(1, 12, &reads);
    let scene = scene.seconds(2, 12, &[DirectionLoad::writes(900, 4096, 400_000)]);
    let mut run = of_user("db", scene);
    let totals = &mut run.jobs[2].totals.sync;
    totals.moments.record_n(700_000, 10_800);
    totals.histogram.get_or_insert_default().record_n(700_000, 10_800);
    run
}

/// More clones than a screen has lines for, and behind them a job that both reads and writes.
fn clones() -> RunResult {
    let text = "[global]\nfilename=/data/f\nsize=1g\ndirect=1\nbs=4k\nioengine=io_uring\niodepth=8\n\
                [readers]\nrw=randread\nnumjobs=8\n[mixed]\nrw=randrw\n[writer]\nrw=randwrite\n";
    let reads = DirectionLoad::reads(2_000, 4096, 3_900_000);
    let writes = DirectionLoad::writes(1_500, 4096, 3_900_000);
    let scene = (0..8).fold(RunBuilder::text(text), |scene, job| scene.seconds(job, 12, &[reads]));
    of_user("clones", scene.seconds(8, 12, &[reads, writes]).seconds(9, 12, &[writes]))
}

/// The scene beside a data sheet of all six claims, some of them missed; and beside the four that most sheets have.
pub fn beside_a_sheet(name: &str) -> [(String, RunResult); 2] {
    let sheets = [
        (
            "six",
            "read_iops=98000,write_iops=60k,read_mbps=560,write_mbps=530,read_latency_us=80,write_latency_us=70",
        ),
        ("four", "read_iops=80000,write_iops=60000,read_mbps=550,write_mbps=510"),
    ];
    sheets.map(|(sheet, claims)| {
        let (_, mut run) = all().into_iter().find(|(known, _)| *known == name).expect("a scene");
        let claims = fathom_judge::Claims::parse(claims).expect("claims");
        run.record.datasheet = Some(fathom_judge::datasheet(&run, &claims));
        (format!("{name}_{sheet}"), run)
    })
}

const REAL: (&str, &str) = ("is_virtual_disk", "false");

/// Every scene with its name.
pub fn all() -> Vec<(&'static str, RunResult)> {
    let sata = |cells| {
        on(
            SATA.measured(cells),
            "sda",
            &[
                REAL,
                ("model", "SAMSUNG MZ7L3480HCHQ-00A07"),
                ("size_bytes", "480103981056"),
                ("kind", "scsi"),
                ("rotational", "false"),
            ],
        )
    };
    let nvme = on(
        NVME.measured(6),
        "nvme0n1",
        &[REAL, ("model", "INTEL SSDPE2KX010T8"), ("size_bytes", "1000204886016"), ("kind", "nvme")],
    );
    let hard_disk = on(
        HARD_DISK.measured(6),
        "sdb",
        &[
            REAL,
            ("model", "ST4000NM0035-1V4"),
            ("size_bytes", "4000787030016"),
            ("kind", "scsi"),
            ("rotational", "true"),
        ],
    );
    let capped = on(
        CAPPED.measured(6),
        "nvme1n1",
        &[("model", "Amazon Elastic Block Store"), ("size_bytes", "107374182400"), ("kind", "nvme")],
    )
    .fact("hypervisor_flag", "true");
    let tmpfs = MEMORY.measured(6).fact(&format!("target.{PATH}.fs_type"), "tmpfs");
    let looped = on(
        SATA.measured(6),
        "loop7",
        &[
            ("is_virtual_disk", "true"),
            ("backing_file", "/var/images/test.img"),
            ("loop_direct_io", "true"),
            ("kind", "loop"),
            ("size_bytes", "2147483648"),
        ],
    );
    let foreign = sata(6).disk(disk("sda", 40_000_000_000, 90_000_000_000));
    let mut interrupted = finished(sata(3));
    interrupted.incomplete = Some(Incomplete::Ended { by: RunEnd::Interrupted, message: None });
    if let Some(finish) = &mut interrupted.record.finish {
        finish.ended = RunEnd::Interrupted;
    }
    if let Some(outcome) = &mut interrupted.jobs[2].outcome {
        outcome.ended_by = EndedBy::Interrupt;
    }
    fathom_procedures::judge(&mut interrupted);
    let failed =
        sata(0).failed("cannot write to /data/fathom-scratch-1: No space left on device (os error 28)");
    vec![
        ("sata", finished(sata(6))),
        ("nvme", finished(nvme)),
        ("hard_disk", finished(hard_disk)),
        ("capped", finished(capped)),
        ("tmpfs", finished(tmpfs)),
        ("loop", finished(looped)),
        ("foreign", finished(foreign)),
        ("interrupted", interrupted),
        ("failed", finished(failed)),
        ("several", several()),
        ("group", group()),
        ("clones", clones()),
    ]
}
