//! What fio's formats say of `steadystate`, compared with fio 3.33 with the same values.

use crate::synthetic::Recipe;
use fathom_job::steady::SteadyFigure;
use fathom_report::terminal::{Style, details};
use fathom_report::{fio_json::fio_json, normal::normal};
use fathom_results::{NotSettled, RunResult, SettledFigures, SteadyWindow, StopRecord};
use serde_json::json;

/// A run of `fio --ioengine=null --rate_iops=1000 --ss=iops_slope:1.5% --ss_dur=3`, by its values.
fn run(window: SteadyWindow, attained_after_s: Option<u64>) -> RunResult {
    let mut recipe =
        Recipe::new("[a]\nioengine=null\nrw=read\nbs=4k\nsize=1g\nss=iops_slope:1.5%\nss_dur=3\n");
    (recipe.seconds, recipe.rate) = ((0, 3), 1000);
    let mut run = recipe.run();
    let rule = "iops_slope:1.5%".to_owned();
    run.record.stops =
        vec![StopRecord { jobs: vec![0], rule, attained_after_s, steady: Some(window), settled: None }];
    run
}

fn window() -> SteadyWindow {
    SteadyWindow {
        figure: SteadyFigure::Iops,
        is_slope: true,
        limit: 1.5,
        is_percent: true,
        window_s: 3,
        interval_s: 1,
        criterion: Some(-0.05),
        measured: Some(-0.5),
        iops: vec![1001, 1001, 1000],
        bw_bytes: vec![4_100_566, 4_100_100, 4_096_000],
        lat_ns: vec![345, 340, 342],
    }
}

#[test]
fn steady_state_is_told_as_fio_tells_it() {
    let run = run(window(), Some(3));
    let of_fio = json!({
        "ss": "iops_slope:1.500000%", "duration": 3, "attained": 1, "criterion": "-0.050000%",
        "max_deviation": 0.0, "slope": -0.5,
        "data": {
            "bw_mean": 4_098_888, "iops_mean": 1000,
            "iops": [1001, 1001, 1000], "bw": [4_100_566, 4_100_100, 4_096_000]
        }
    });
    let ours = &fio_json(&run, false)["jobs"][0]["steadystate"];
    assert_eq!(ours.to_string(), of_fio.to_string(), "with the same order");
    // fio 3.33: bw=4002KiB/s (4002kB/s), which is rounded down, and in KiB/s twice.
    let line = "  steadystate  : attained=yes, bw=4003KiB/s (4099kB/s), iops=1000, iops slope=-0.050%\n";
    let text = normal(&run);
    assert!(text.contains(line), "{text}");
}

#[test]
fn a_latency_has_its_values_and_a_window_that_was_not_full_has_no_verdict() {
    let of_latency =
        SteadyWindow { figure: SteadyFigure::Lat, is_slope: false, is_percent: false, ..window() };
    let run_of_latency = run(SteadyWindow { limit: 5e3, measured: Some(2.7), ..of_latency }, Some(3));
    let told = &fio_json(&run_of_latency, false)["jobs"][0]["steadystate"];
    assert_eq!(told["data"]["lat_ns"], json!([345, 340, 342]));
    assert_eq!((&told["data"]["lat_mean"], &told["max_deviation"]), (&json!(342), &json!(2.7)));
    assert!(normal(&run_of_latency).contains(", iops=1000, lat=342nsec, lat mean dev="));

    let short = run(SteadyWindow { criterion: None, measured: None, iops: vec![7], ..window() }, None);
    let told = &fio_json(&short, false)["jobs"][0]["steadystate"];
    assert_eq!((&told["attained"], &told["criterion"]), (&json!(0), &json!("0.000000%")));
    assert!(normal(&short).contains("attained=no, "));

    let none = SteadyWindow { criterion: None, measured: None, iops: vec![], bw_bytes: vec![], ..window() };
    let (window_s, none) = (none.window_s as usize, run(none, None));
    let data = &fio_json(&none, false)["jobs"][0]["steadystate"]["data"];
    assert_eq!((&data["iops"], &data["iops_mean"]), (&json!(vec![0; window_s]), &json!(0)));
}

/// A rate is only called settled together with the time for which that is said and with what so short a time cannot show;
/// else what is known is the mean of some seconds.
#[test]
fn what_has_settled_says_for_how_long_and_what_it_cannot_show() {
    let told = |attained_after_s: Option<u64>, against: Vec<NotSettled>| {
        let mut run = run(window(), Some(3));
        let (iops, iops_low, iops_high) = (Some(998.0), Some(988.0), Some(1_008.0));
        let settled = SettledFigures {
            kept_from_s: 12,
            seen_s: 435,
            ahead_s: 600,
            iops,
            iops_low,
            iops_high,
            against,
            ..Default::default()
        };
        run.record.stops[0] = StopRecord {
            jobs: vec![0],
            rule: "confident=2.0 %".to_owned(),
            attained_after_s,
            steady: None,
            settled: Some(settled),
        };
        let text = details(&run, Style::PLAIN).to_string();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let yes = told(Some(435), Vec::new());
    let said = "settled yes, after 435 s: 998 IOPS ± 1.0 % from second 12 on and for the next 10 minutes, unless something begins \
                that 435 s cannot show: a full cache, heat, a slow wave";
    assert!(yes.contains(said), "{yes}");
    let no = told(None, vec![NotSettled::TooShort]);
    assert!(
        no.contains(
            "settled no; only the mean of seconds 12 to 435 is known: 998 IOPS ± 1.0 %: there are fewer"
        ),
        "{no}"
    );
}
