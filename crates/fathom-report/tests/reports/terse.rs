//! Terse lines have fio's fields in fio's places.

use crate::synthetic::{Recipe, disk, fixture};
use fathom_report::terse::{TerseVersion, terse};
use fathom_results::RunResult;

fn fields(run: &RunResult, version: TerseVersion) -> Vec<String> {
    terse(run, version).lines().next().unwrap().split(';').map(str::to_owned).collect()
}

#[test]
fn field_counts_are_fios() {
    let run = Recipe::new(&fixture("sync-read.fio")).run();
    for (number, version) in
        [(2, TerseVersion::V2), (3, TerseVersion::V3), (4, TerseVersion::V4), (5, TerseVersion::V5)]
    {
        let theirs = fixture(&format!("sync-read.terse{number}"));
        assert_eq!(fields(&run, version).len(), theirs.trim_end().split(';').count(), "version {number}");
        assert_eq!(TerseVersion::of(number), Some(version));
    }
    assert_eq!(TerseVersion::of(6), None);
}

#[test]
fn known_values_stand_where_fio_puts_them() {
    let mut recipe = Recipe::new(&fixture("sync-read.fio"));
    recipe.edit = |record| record.disks.push(disk("sda", 24_000, 12_000));
    let run = recipe.run();
    let line = fields(&run, TerseVersion::V3);
    let read = &run.jobs[0].totals.directions.read;
    assert_eq!(line[..5], ["3", "fio-3.33-fathom-0.1.0", "reader", "0", "0"]);
    assert_eq!(line[5], (read.bytes >> 10).to_string());
    assert_eq!(line[6], (read.bytes / 12 / 1024).to_string());
    assert_eq!(line[7], (read.ios / 12).to_string());
    assert_eq!(line[8], "12000");
    assert_eq!(line[9..13], ["0", "0", "0.000000", "0.000000"]);
    assert_eq!(line[14], (read.completion.moments.max().unwrap() / 1000).to_string());
    let p99 = read.completion.histogram.as_ref().unwrap().quantile(0.99).unwrap() / 1000;
    assert_eq!(line[29], format!("99.000000%={p99}"));
    assert_eq!(line[34..37], ["0%=0", "0%=0", "0%=0"]);
    assert_eq!(line[38], (read.total.moments.max().unwrap() / 1000).to_string());
    assert_eq!(line[46], "0", "the write block begins");
    assert_eq!(line[87..92], ["6.000000%", "14.000000%", "5012", "0", "27"]);
    assert_eq!(line[92], "100.0%");
    assert_eq!(line[121..130], ["sda", "24000", "24000", "0", "3", "36000", "12000", "48000", "90.00%"]);
}

#[test]
fn a_semicolon_cannot_shift_a_record() {
    let run = Recipe::new("[x]\nioengine=null\nsize=1m\n").run();
    let plain = fields(&run, TerseVersion::V3).len();
    let mut run = run;
    run.jobs[0].planned.name = "a;b".into();
    let line = fields(&run, TerseVersion::V3);
    assert_eq!((line.len(), line[2].as_str()), (plain, "a,b"));
}

#[test]
fn description_and_errors_come_last() {
    let text = "[x]\nioengine=null\nsize=1m\ndescription=why\ncontinue_on_error=all\n";
    let run = Recipe::new(text).run();
    let line = fields(&run, TerseVersion::V3);
    assert_eq!(line[line.len() - 3..], ["0", "0", "why"]);
    assert!(terse(&run, TerseVersion::V2).ends_with("\n;why\n"));
}
