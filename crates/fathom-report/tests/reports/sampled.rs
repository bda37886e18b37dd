//! What was sampled beside a run: printed as sysstat's programs print it, and drawn on the page.

use fathom_figures::fixture::{DirectionLoad, RunBuilder};
use fathom_report::html::page;
use fathom_report::{SysstatForm, SysstatSpans, sysstat};
use fathom_results::RunResult;

const SECOND: u64 = 1_000_000_000;

/// Four measured seconds after one of ramp, on two CPUs, with an array of two disks. The second CPU goes offline in the
/// last second, and the second disk is removed.
fn run(hostile: &str) -> RunResult {
    let flow = DirectionLoad::reads(1_000, 4096, 100_000);
    let run = RunBuilder::of("rw=read bs=4k ioengine=psync direct=0 filename=/data/f");
    let mut run = run.ramp(0, 1, flow).seconds(0, 4, &[flow]);
    run = run.fact("kernel", "6.1.0-test").fact("hostname", "bench");
    for second in 0..5_u64 {
        let load = 5 + 12 * second;
        let cpu = [load, 1, load / 2, 90 - load - load / 2, 4, 1, 2, 1, 1, 0];
        let idle = [0, 0, 1, 99];
        let reads = 1_000 * (second + 1);
        let disk = [reads, 10, 8 * reads, 2 * reads, 20, 2, 320, 60, 900, 2_060, 5, 0, 40, 5, 2, 4];
        let memory = [
            16_000_000,
            9_000_000 - second,
            12_000_000,
            100_000,
            3_000_000,
            0,
            2_000_000,
            1_500_000,
            1_000,
            900,
            64,
        ];
        let paging = [40_000, 200, 1_500, 2, 9_000, 100, 20, 90, 10, 3, 4, 17, 16];
        let heat = [310_150 + 4_000 * second, 343_150];
        let clock = [2_600_000 - 100_000 * second, 2_600_000, 3_000_000];
        let (interrupts, throttle) = ([10 + second, 700], [second / 3, 0]);
        let mut rows: Vec<(&str, &str, &[u64])> = vec![
            ("cpu", "0", &cpu),
            ("disk", "md0", &disk),
            ("memory", "all", &memory),
            ("paging", "all", &paging),
            ("page-cache", "all", &[250]),
            ("temperature", hostile, &heat),
            ("clock", "0", &clock),
            ("interrupt", "41 nvme0q1", &interrupts),
            ("throttle", "1", &throttle),
            ("link-errors", "0000:01:00.0", &[2, 0, 0]),
        ];
        if second < 4 {
            rows.extend([("cpu", "1", idle.as_slice()), ("disk", "sda", &disk)]);
        }
        run = run.sampled(second * SECOND, (second + 1) * SECOND, &rows);
    }
    run.run()
}

fn all(spans: SysstatSpans) -> String {
    use SysstatForm::{Cachestat, Free, Interrupts, Iostat, Mpstat, Sar, Sensors};
    let run = run("nvme0");
    let one = |form: SysstatForm| format!("### {form:?}\n{}", sysstat(&run, form, spans).unwrap());
    [Iostat, Mpstat, Sar, Cachestat, Free, Interrupts, Sensors].map(one).concat()
}

/// The columns, their order and their widths are those of the programs; the test of the same name in the crate `fathom`
/// compares them with the programs themselves.
#[test]
fn the_measured_window_in_the_form_of_each_program() {
    insta::assert_snapshot!(all(SysstatSpans::Whole));
}

#[test]
fn each_sample_has_its_time_and_what_was_gone_is_left_out() {
    let text = all(SysstatSpans::Each);
    insta::assert_snapshot!(text);
    assert!(!text.contains("NaN") && !text.contains("inf"));
}

#[test]
fn a_run_without_samples_is_in_no_form() {
    let flow = DirectionLoad::reads(1_000, 4096, 100_000);
    let run = RunBuilder::of("rw=read bs=4k ioengine=psync filename=/data/f").all(2, flow).run();
    assert_eq!(sysstat(&run, SysstatForm::Iostat, SysstatSpans::Whole), None);
    assert!(!page(&run).contains("The machine meanwhile"));
}

#[test]
fn the_page_draws_what_changed() {
    let html = page(&run("<b>nvme0"));
    for title in [
        "Use of the CPUs",
        "Requests of each disk",
        "Waiting on each disk",
        "Page cache",
        "Temperature",
        "Clock of the CPUs",
    ] {
        let drawn = html.contains(&format!("<text class=\"title\" x=\"4\" y=\"13\">{title}</text>"));
        // The wait is 2 ms all the time, and hits are 750 pages a second.
        assert_eq!(drawn, !["Waiting on each disk", "Page cache"].contains(&title), "{title}");
    }
    let count = |attribute: &str| html.matches(attribute).count();
    assert_eq!(count(" data-r=\"1\""), count(" data-t="), "every chart over time knows where its ramp ends");
    assert!(html.contains("75.0 % of the pages read were found in it"));
    assert!(html.contains("data-n=\"stolen\"") && html.contains("ramp: not counted"));
    assert!(html.contains("Reading the machine each second took 0.020 % of one core"));
    assert!(html.contains("&lt;b&gt;nvme0") && !html.contains("<b>nvme0"));
}

/// A machine where reading takes too long is read less often, and the page says so.
#[test]
fn samples_that_came_less_often_are_told() {
    let flow = DirectionLoad::reads(1_000, 4096, 100_000);
    let run = RunBuilder::of("rw=read bs=4k ioengine=psync filename=/data/f").all(8, flow);
    let row: [(&str, &str, &[u64]); 1] = [("cpu", "0", &[100, 0, 0, 300])];
    let run = run.sampled(0, 4 * SECOND, &row).sampled(4 * SECOND, 8 * SECOND, &row).run();
    assert!(page(&run).contains("The machine was read up to 4 s apart, so that it took no more than 0.005"));
}

/// Rows are called by addresses of PCI, and by names of sensors that may have one in them.
#[test]
fn no_redacted_form_of_what_was_sampled_has_an_address() {
    let open = fathom_report::redacted(&run("drive at 0000:c1:00.0"), &[]).unwrap();
    let forms = [SysstatForm::Interrupts, SysstatForm::Sensors, SysstatForm::Iostat];
    let forms = forms.map(|form| sysstat(&open.run, form, SysstatSpans::Each).unwrap());
    for text in forms.iter().chain(&[page(&open.run)]) {
        assert!(!text.contains("0000:"), "{text}");
    }
    assert!(
        forms[0].contains("41 nvme0q1") && forms[1].contains("drive at pci-1") && forms[2].contains("md0")
    );
}
