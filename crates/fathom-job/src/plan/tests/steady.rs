//! What is asked of steady state, and what of it cannot be.

use super::{error_of, one, planned, try_plan};
use crate::steady::{SteadyFigure, SteadyLimit, SteadyState, SteadyTerms, SteadyTest};

fn asked(options: &str) -> Option<SteadyState> {
    SteadyState::of(&one(&format!("filename=/dev/fioa {options}")).jobs[0].job)
}

fn found(options: &str) -> Vec<String> {
    let findings = one(&format!("filename=/dev/fioa bs=4k {options}")).findings;
    findings.into_iter().map(|f| f.code).filter(|code| code.starts_with("steady")).collect()
}

fn terms(figure: SteadyFigure, test: SteadyTest, limit: SteadyLimit) -> SteadyTerms {
    SteadyTerms { figure, test, limit }
}

#[test]
fn the_rule_has_figure_test_and_limit() {
    use SteadyFigure::{Bw, Iops, Lat};
    use SteadyLimit::{Absolute, Percent};
    use SteadyTest::{Deviation, Slope};
    for (text, rule) in [
        ("iops:2%", terms(Iops, Deviation, Percent(2.0))),
        ("iops_slope:0.3%", terms(Iops, Slope, Percent(0.3))),
        ("iops:12.5", terms(Iops, Deviation, Absolute(12.5))),
        ("bw:10m", terms(Bw, Deviation, Absolute(10.0 * 1024.0 * 1024.0))),
        ("bw_slope:1%", terms(Bw, Slope, Percent(1.0))),
        ("lat:20", terms(Lat, Deviation, Absolute(20e3))),
        ("lat_slope:1.5us", terms(Lat, Slope, Absolute(1.5e3))),
        ("lat:2ms", terms(Lat, Deviation, Absolute(2e6))),
    ] {
        let steady =
            asked(&format!("rw=read ss={text} ss_dur=60 ss_ramp=1500ms ss_interval=2s")).expect(text);
        assert_eq!(steady, SteadyState { terms: rule, window_s: 60, interval_s: 2, ramp_s: 2 }, "{text}");
        let again = asked(&format!("rw=read ss={rule} ss_dur=60 ss_ramp=2 ss_interval=2"));
        assert_eq!(again, Some(steady), "{rule} reads back");
    }
    // fio's default, and parts of a second that do not count.
    let steady = asked("rw=read ss_dur=2500ms").unwrap();
    assert_eq!((steady.terms.to_string().as_str(), steady.window_s), ("iops_slope:0.01%", 2));
    assert_eq!(asked("rw=read ss=iops:2%"), None);
}

#[test]
fn a_rule_that_cannot_be_met_is_an_error_at_its_option() {
    for (options, code, word) in [
        ("ss=iops:2% ss_dur=1", "steady-window", "single value"),
        ("ss=iops:2% ss_dur=500ms", "steady-window", "single value"),
        ("ss=iops:2% ss_dur=9 ss_interval=5", "steady-window", "two values of 5"),
        ("ss=iops:2% ss_dur=9 ss_interval=1500ms", "steady-interval", "whole seconds"),
        ("ss=iops:2% ss_dur=9 ss_interval=0", "steady-interval", "whole seconds"),
    ] {
        let error = error_of(&format!("filename=/dev/fioa rw=read {options}"));
        assert_eq!(error.code, code, "{options}");
        assert!(error.message.contains(word), "{options}: {}", error.message);
        assert!(error.span.is_some(), "{options}");
    }
}

#[test]
fn what_has_no_effect_is_told() {
    assert_eq!(found("rw=read ss=iops:2% ss_dur=30 runtime=60 time_based"), [""; 0]);
    assert_eq!(found("rw=read ss=iops:2%"), ["steady-without-window"]);
    assert_eq!(found("rw=read ss_ramp=5 ss_interval=2"), ["steady-without-window"; 2]);
    assert_eq!(found("rw=read ss=iops:2% ss_dur=30 runtime=20"), ["steady-never"]);
    assert_eq!(found("rw=read ss=iops:2% ss_dur=30 ss_ramp=31 runtime=60"), ["steady-never"]);
    assert_eq!(found("rw=read ss=iops:2% ss_dur=30 ss_ramp=30 runtime=60"), [""; 0]);
}

#[test]
fn jobs_that_are_judged_together_must_ask_for_the_same() {
    let global = "[global]\nfilename=/dev/fioa\nrw=read\nss_dur=9\n";
    let alone = format!("{global}[a]\nss=iops:2%\n[b]\nss=iops:3%\n");
    assert_eq!(planned(&alone).reported_together().count(), 2);
    let groups = format!("{global}group_reporting\n[a]\nss=iops:2%\nnumjobs=2\n[b]\nnew_group\nss=iops:3%\n");
    let sizes: Vec<usize> = planned(&groups).reported_together().map(<[_]>::len).collect();
    assert_eq!(sizes, [2, 1]);
    for differs in ["[a]\nss=iops:2%\n[b]\nss=iops:3%\n", "[a]\nss=iops:2%\n[b]\nss=iops:2%\nss_dur=0\n"] {
        let errors = try_plan(&format!("{global}group_reporting\n{differs}")).unwrap_err();
        assert_eq!(errors[0].code, "steady-differs", "{errors:?}");
        assert!(errors[0].message.contains("a and b"), "{errors:?}");
    }
}

#[test]
fn the_plan_says_when_it_ends() {
    let text = planned(
        "[a]\nfilename=/dev/fioa\nrw=read\nss=iops_slope:0.3%\nss_dur=60\nss_ramp=30\nss_interval=2\n\
         time_based\nruntime=1h\n",
    )
    .explain();
    let words: Vec<&str> = text.split_whitespace().collect();
    let message = "steady ends when the slope of the IOPS is below 0.3 % of the mean a value, over 30 values of 2 s; the \
                first window begins after 30 s";
    assert!(words.join(" ").contains(message), "{text}");
}
