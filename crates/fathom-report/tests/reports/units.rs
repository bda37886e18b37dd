//! One rate in the unit of each report (contract V-30: the guide divides KB/s by 1024 and calls the result MB/s).

use crate::synthetic::Recipe;
use fathom_report::normal::normal;
use fathom_report::terminal::{Style, details};
use fathom_report::terse::{TerseVersion, terse};
use fathom_results::RunResult;

/// The bandwidth of the guide's sample: fio of that time meant 1,024 bytes by a KB.
const SAMPLE_KIB_PER_SECOND: u64 = 239_540;

fn sample() -> RunResult {
    let mut recipe = Recipe::new("[/dev/fioa]\nioengine=null\nrw=write\nbs=4k\nsize=1g\n");
    recipe.seconds = (0, 10);
    recipe.rate = 1_000;
    recipe.shape = |_, window| {
        let write = &mut window.directions[0].1;
        (write.ios, write.bytes) = (SAMPLE_KIB_PER_SECOND / 4, SAMPLE_KIB_PER_SECOND << 10);
    };
    recipe.run()
}

#[test]
fn each_report_has_the_samples_bandwidth_in_the_unit_that_it_names() {
    let run = sample();
    let shown = details(&run, Style::PLAIN);
    assert!(shown.contains("233.9 MiB/s (245.3 MB/s)"), "{shown}");
    assert!(!shown.contains("233.9 MB/s"), "{shown}");

    let write = &fathom_report::fio_json::fio_json(&run, false)["jobs"][0]["write"];
    assert_eq!(
        (&write["bw"], &write["bw_bytes"]),
        (&239_540.into(), &245_288_960_u64.into()),
        "KiB and bytes"
    );

    let text = normal(&run);
    assert!(text.contains("BW=234MiB/s (245MB/s)"), "{text}");

    let line = terse(&run, TerseVersion::V3);
    let fields: Vec<&str> = line.split(';').collect();
    // Read, then write: the bandwidth of writes is field 48, in KiB/s.
    assert_eq!(fields[47], "239540", "{line}");
}

/// Back from what is printed: both figures are the same number of bytes.
#[test]
fn both_figures_of_a_rate_are_one_rate() {
    let shown = details(&sample(), Style::PLAIN);
    let line = shown.lines().find(|line| line.contains("MiB/s (")).expect("a rate");
    let figures: Vec<f64> =
        line.split(|c: char| !c.is_ascii_digit() && c != '.').filter_map(|w| w.parse().ok()).collect();
    let (mib, mb) = (figures[0], figures[1]);
    assert!((mib * 1_048_576.0 / (mb * 1e6) - 1.0).abs() < 1e-3, "{line}");
    assert!((mib * 1024.0 / SAMPLE_KIB_PER_SECOND as f64 - 1.0).abs() < 1e-3, "{line}");
    assert!((mb * 1000.0 / SAMPLE_KIB_PER_SECOND as f64 - 1.024).abs() < 1e-3, "{line}");
}
