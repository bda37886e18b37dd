//! ORION's run types over a list of LUNs.

use super::*;

fn cell<'s>(suite: &'s Suite, name: &str) -> &'s SuiteCell {
    suite.steps.cells.iter().find(|cell| cell.name == name).unwrap()
}

fn has(cell: &SuiteCell, options: &[&str]) {
    let missing = options.iter().find(|option| cell.text.lines().all(|line| line != **option));
    assert_eq!(missing, None, "{}", cell.text);
}

/// M-23, M-24: oltp is random reads of 8 KiB, dss of 1 MiB; loads are counted for each LUN; `-simulate raid0` and `concat`.
#[test]
fn its_run_types_over_four_luns() {
    let suite = guide("orion", &["/dev/fioa", "/dev/fiob", "/dev/fioc", "/dev/fiod"]);
    let luns = ("filename".to_owned(), "/dev/fioa:/dev/fiob:/dev/fioc:/dev/fiod".to_owned());
    let oltp = cell(&suite, "oltp load=16");
    has(oltp, &["rw=randread", "bs=8k", "file_service_type=random", "iodepth=(16*4)", "runtime=10s"]);
    assert_eq!(oltp.options, [luns]);
    has(cell(&suite, "dss load=8"), &["rw=randread", "bs=1m", "iodepth=(8*4)", "runtime=10s"]);
    has(cell(&suite, "streams streams=2"), &["file_service_type=roundrobin", "numjobs=2", "iodepth=4"]);
    let variables = vec![("simulate".to_owned(), "sequential".to_owned())];
    let terms = SuiteTerms { variables, ..terms(&["/dev/fioa", "/dev/fiob"]) };
    let concat = Suite::new("orion", built_in("orion").unwrap().text, Vec::new(), terms, false).unwrap();
    has(cell(&concat, "streams streams=2"), &["file_service_type=sequential"]);
    // The matrix: a row, a column, and both at the same time.
    let of = |group: &str| {
        suite.steps.cells.iter().filter(|cell| cell.name.starts_with(&format!("{group} "))).count()
    };
    assert_eq!((of("small"), of("large"), of("mixed")), (5, 2, 10));
}

/// M-25: one process has 2,048 in flight, four have 8,192.
#[test]
fn the_scripts_of_the_slides_are_four_workers() {
    let suite = guide("orion", &["/dev/fioa", "/dev/fiob"]);
    for (group, block) in [("iops-script", "bs=8k"), ("mbps-script", "bs=1m")] {
        has(cell(&suite, group), &[block, "numjobs=4", "iodepth=2048", "runtime=60s", "rw=randread"]);
    }
}

/// The matrix has a map for each of its two jobs.
#[test]
fn the_matrix_is_drawn_for_each_job() {
    let suite = guide("orion", &["/dev/fioa"]);
    let mut steps = Vec::new();
    while let Step::Run(round) = suite.next(&History::new(&steps)) {
        let mut done = round_of(&round.cell, 1_000.0);
        if round.cell.starts_with("mixed") {
            let of = |job: &str| {
                let mut figures = done.figures[0].clone();
                figures.job = job.to_owned();
                figures
            };
            done.figures = vec![of("small"), of("large")];
        }
        steps = and_round(steps, done);
    }
    let tests = reported(&suite, &steps);
    let heat = part(&tests, "mixed").parts.iter().filter_map(|part| match part {
        ReportPart::Heat(columns) => Some(columns.title.clone()),
        _ => None,
    });
    let titles: Vec<String> = heat.collect();
    assert_eq!(titles.len(), 2);
    assert!(titles[0].ends_with("IOPS of large") && titles[1].ends_with("IOPS of small"), "{titles:?}");
}
