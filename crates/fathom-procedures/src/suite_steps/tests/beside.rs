//! Runs of one suite side by side.

mod told;

use super::*;
use crate::fixture::in_report;
use crate::{SavedSuite, SideBySide, side_by_side};

/// I-54, I-56: 4 KiB at random, 16 threads, depth 256: what is written of it, then IOPS and use of all CPUs for RAID 0, 5, 1 and 10.
const PRINTED: [(&str, [f64; 4], [f64; 4]); 3] = [
    ("rwmixwrite=100", [585_964.0, 212_889.0, 147_473.0, 292_694.0], [2.71, 6.43, 11.91, 12.06]),
    ("rwmixwrite=30", [1_076_204.0, 558_165.0, 347_395.0, 692_866.0], [2.97, 8.23, 12.04, 12.18]),
    ("rwmixwrite=0", [2_811_619.0, 2_809_537.0, 1_407_170.0, 2_813_474.0], [5.97, 7.35, 4.18, 8.12]),
];

/// The record and the steps of a suite that ran on an array with this name.
fn run(suite: &Suite, name: &str, steps: Vec<StepRecord>) -> (ProcedureRecord, Vec<StepRecord>) {
    let record = ProcedureRecord { name: name.to_owned(), parameters: suite.parameters(), ..record("suite") };
    (record, steps)
}

fn beside(runs: &[(ProcedureRecord, Vec<StepRecord>)]) -> Result<SideBySide, String> {
    side_by_side(&runs.iter().map(|(record, steps)| SavedSuite { record, steps }).collect::<Vec<_>>())
}

fn tables_of(runs: &[(ProcedureRecord, Vec<StepRecord>)]) -> Result<StandardReport, String> {
    beside(runs).map(|found| found.tables)
}

/// The guide's tables of IOPS and of CPU, from four runs on the same drives, one after the other.
#[test]
fn arrays_measured_one_after_the_other_make_the_guides_tables() {
    let suite = guide("vroc", &["/dev/md/r"]);
    let of_level = |at: usize| {
        let figures = |cell: &str| {
            PRINTED.iter().find(|(mix, ..)| cell.contains(&format!(" {mix} numjobs=16 iodepth=256")))
        };
        let mut steps = ran(&suite, |cell| Some(figures(cell).map_or(1_000.0, |(_, iops, _)| iops[at])));
        for step in &mut steps {
            if let StepDone::Round(round) = &mut step.did {
                round.figures[0].all_cpus_percent = figures(&round.cell).map(|(.., cpu)| cpu[at]);
            }
        }
        steps
    };
    let levels = ["RAID 0", "RAID 5", "RAID 1", "RAID 10"];
    let runs: Vec<_> = (0..4).map(|at| run(&suite, levels[at], of_level(at))).collect();
    let report = tables_of(&runs).unwrap();
    let test = part(&report.tests, "random");
    assert!(headline_of(test).starts_with("Most IOPS: RAID 0 2.81M IOPS"), "{}", headline_of(test));
    let titled = |end: &str| {
        let mut tables = test.parts.iter().filter_map(|part| match part {
            ReportPart::Table(table) => Some(table),
            _ => None,
        });
        tables.find(|table| table.title.ends_with(end)).unwrap()
    };
    let (iops, cpu) = (titled(": IOPS"), titled(": all CPUs %"));
    assert_eq!(
        iops.columns,
        ["workload", "RAID 0", "± %", "RAID 5", "± %", "RAID 1", "± %", "RAID 10", "± %"]
    );
    for (mix, rates, uses) in PRINTED {
        let name = TableCell::from(format!("{mix} numjobs=16 iodepth=256"));
        let row = |table: &ReportTable| {
            numbers(table.rows.iter().find(|cells| cells[0] == name).unwrap())
                .into_iter()
                .step_by(2)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (row(iops), row(cpu).into_iter().map(hundredth).collect()),
            (rates.to_vec(), uses.to_vec())
        );
    }
}

fn hundredth(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// What is not the same in all runs has its run, and runs of one name have their id.
#[test]
fn what_differs_is_told_with_its_run() {
    let text = guide("vroc", &["/dev/a"]);
    let cut = SuiteTerms { time_divisor: 100, ..terms(&["/dev/b"]) };
    let cut = Suite::new("vroc", text.text.clone(), Vec::new(), cut, false).unwrap();
    let rate = |_: &str| Some(1_000.0);
    let mut runs = [
        run(&text, "vroc", ran(&text, rate)),
        run(&cut, "vroc", ran(&cut, rate)),
        run(&cut, "vroc", Vec::new()),
    ];
    runs[2].0.id = "y".to_owned();
    let report = tables_of(&runs).unwrap();
    let ReportPart::Table(table) = &report.tests[0].parts[0] else { panic!("no table") };
    assert_eq!([&table.columns[1], &table.columns[3], &table.columns[5]], ["a", "b x", "b y"]);
    let told = in_report(&report.deviations).join(" ");
    assert!(told.contains("b x, b y: All times are divided by 100"), "{told}");
    assert!(told.contains("a, b x: It is not finished. "), "{told}");
    assert!(told.contains("b y: It is not finished: "), "{told}");
    assert!(headline_of(&report.tests[0]).contains("without a figure"), "{}", headline_of(&report.tests[0]));
}

#[test]
fn runs_of_different_suites_have_no_tables() {
    let rate = |_: &str| Some(1_000.0);
    let (vroc, vsl) = (guide("vroc", &["/dev/a"]), guide("vsl", &["/dev/b"]));
    let runs = [run(&vroc, "A", ran(&vroc, rate)), run(&vsl, "B", ran(&vsl, rate))];
    assert_eq!(
        tables_of(&runs).unwrap_err(),
        "the runs are not of one suite: A is of the suite vroc, and B of vsl"
    );
    let other = Suite::new(
        "vroc",
        vroc.text.replace("repeat = 3", "repeat = 4"),
        Vec::new(),
        terms(&["/dev/a"]),
        false,
    );
    let other = other.unwrap();
    let runs = [run(&vroc, "A", Vec::new()), run(&other, "B", Vec::new())];
    assert!(tables_of(&runs).unwrap_err().contains("two versions of the suite vroc"));
    // The same text with another job file.
    let of_file = |job: &str| {
        let text = "title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='w'\njob-file='j.fio'\n";
        Suite::new("mine", text, vec![("j.fio".to_owned(), job.to_owned())], terms(&["/dev/a"]), false)
            .unwrap()
    };
    let [reads, writes] = ["[j]\nrw=read\n", "[j]\nrw=write\n"].map(of_file);
    let runs = [run(&reads, "A", Vec::new()), run(&writes, "B", Vec::new())];
    assert!(tables_of(&runs).unwrap_err().contains("two versions of the suite mine"));
    let pts = (record("pts"), Vec::new());
    assert_eq!(tables_of(&[pts]).unwrap_err(), "x is not the run of a suite");
}

/// A suite of this text for these targets.
fn suite_of(text: &str, targets: &[&str], change: impl Fn(&mut SuiteTerms)) -> Suite {
    let mut terms = terms(targets);
    change(&mut terms);
    Suite::new("mine", text, Vec::new(), terms, false).unwrap()
}

const READS: &str = "title='t'\nsource='s'\n[variables]\nbs='4k'\n[[group]]\nname='g'\nwhat='reads'\nrepeat=3\n\
                     vary=['iodepth=1,2']\nvalues=['iops']\njob='''\n[j]\nrw=read\nbs=${bs}\nioengine=${engine}\n'''\n";

fn plain_rate(_: &str) -> Option<f64> {
    Some(1_000.0)
}

/// Two jobs of one name are two lines, as in the report and in a comparison.
#[test]
fn jobs_of_one_name_are_lines_of_their_own() {
    let suite = suite_with("", "values=['iops']", &["/dev/a"]);
    let of_rates = |rates: [f64; 2]| {
        let mut round = round_of("g", rates[0]);
        round.figures.push(round_of("g", rates[1]).figures.remove(0));
        and_round(Vec::new(), round)
    };
    let runs = [run(&suite, "A", of_rates([100.0, 200.0])), run(&suite, "B", of_rates([300.0, 400.0]))];
    let report = tables_of(&runs).unwrap();
    let found = table(&report.tests[0], 0);
    let rows: Vec<(&TableCell, Vec<f64>)> = found.rows.iter().map(|row| (&row[0], numbers(row))).collect();
    assert_eq!(
        rows,
        [(&TableCell::from("j"), vec![100.0, 300.0]), (&TableCell::from("j (2)"), vec![200.0, 400.0])]
    );
    let own = reported(&suite, &of_rates([100.0, 200.0]));
    assert_eq!(table(&own[0], 0).rows[1][0], TableCell::from("j (2)"));
}

/// A run `Q` on `xx` and `yy`, and another whose name is `Q xx`: no figure takes the place of another.
#[test]
fn columns_of_one_heading_keep_their_figures() {
    let text = READS.replace("[variables]", "each-target=true\ndevices='1..'\n[variables]");
    let (two, one) =
        (suite_of(&text, &["/dev/xx", "/dev/yy"], |_| ()), suite_of(&text, &["/dev/zz"], |_| ()));
    let rate = |value: f64| move |_: &str| Some(value);
    let mut runs = [run(&two, "Q", ran(&two, rate(50.0))), run(&one, "Q xx", ran(&one, rate(70.0)))];
    runs[1].0.id = "z".to_owned();
    let report = tables_of(&runs).unwrap();
    let found = table(&report.tests[0], 0);
    assert_eq!(found.columns, ["workload", "Q xx x", "± %", "Q yy", "± %", "Q xx z", "± %"]);
    assert_eq!(numbers(&found.rows[0]).into_iter().step_by(2).collect::<Vec<_>>(), [50.0, 50.0, 70.0]);
}
