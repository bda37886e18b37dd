use super::*;
use crate::suite::SuiteTarget;

fn terms(paths: &[&str]) -> SuiteTerms {
    let target = |path: &&str| SuiteTarget {
        path: (*path).to_owned(),
        can_purge: !path.starts_with("/tmp"),
        is_simulated: path.starts_with("sim:"),
    };
    SuiteTerms { targets: paths.iter().map(target).collect(), ..SuiteTerms::default() }
}

fn suite(head: &str, group: &str) -> SuiteSpec {
    let text = format!("title='t'\nsource='s'\n{head}\n[[group]]\nname='g'\nwhat='w'\n{group}\n");
    SuiteSpec::parse(&text, &|path| Err(path.to_owned())).unwrap()
}

/// Each step in a few letters.
fn told(all: &Expanded) -> String {
    let step = |step: &SuiteStep| match step {
        SuiteStep::Prepare(Preparation::Purge { target }) => format!("purge({target})"),
        SuiteStep::Prepare(Preparation::Format { target, block_bytes }) => {
            format!("format({target},{block_bytes})")
        }
        SuiteStep::Prepare(other) => format!("{other:?}"),
        SuiteStep::Wait(ms) => format!("wait({ms})"),
        SuiteStep::Idle(seconds) => format!("idle({seconds})"),
        SuiteStep::Built => "built".to_owned(),
        SuiteStep::Measure(at) => format!("[{}]", all.cells[*at].name),
    };
    all.steps.iter().map(step).collect::<Vec<_>>().join(" ")
}

const JOB: &str = "job='''\n[j]\nrw=${rw}\nruntime=60\n'''";

#[test]
fn preparations_come_once_or_before_each_cell() {
    let group = format!(
        "first=['built','fill:2']\nbefore=['purge','wait:10s']\nvary=['rw=read,write']\nrepeat=2\n{JOB}"
    );
    let all = expand(&suite("", &group), &terms(&["/dev/a"])).unwrap();
    let cell = |rw: &str| format!("purge(/dev/a) wait(10000) [g rw={rw}]");
    let (read, write) = (cell("read"), cell("write"));
    assert_eq!(told(&all), format!("built [fill 1] [fill 1] {read} {write} {read} {write}"));
    assert_eq!(all.cells.len(), 3);
    assert!(all.deviations.is_empty());
}

#[test]
fn what_varies_is_put_in_or_set() {
    let group = format!("vary=['rw=read','iodepth=1,2']\n{JOB}");
    let all = expand(&suite("global='direct=1'", &group), &terms(&["/dev/a"])).unwrap();
    let cell = &all.cells[1];
    assert_eq!(cell.text, "[global]\ndirect=1\n[j]\nrw=read\nruntime=60\n");
    assert_eq!(cell.options, [("iodepth".to_owned(), "2".to_owned())]);
    assert_eq!((cell.target.as_deref(), cell.value("iodepth")), (Some("/dev/a"), Some("2")));
}

#[test]
fn several_targets_are_a_list_or_are_named() {
    let group = format!("over='growing'\nvary=['rw=read']\n{JOB}");
    let all = expand(&suite("devices='1..'", &group), &terms(&["/dev/a:b", "sim:disk"])).unwrap();
    assert_eq!(told(&all), "[g rw=read on 1] [g rw=read on 1+2]");
    let list = ("filename".to_owned(), "/dev/a\\:b:sim:disk".to_owned());
    assert_eq!((all.cells[1].target.as_deref(), &all.cells[1].options), (None, &vec![list]));
    let named = "job='''\n[j]\nfilename=${target2}\n'''";
    let all = expand(&suite("devices='2'", named), &terms(&["/dev/a", "/dev/b"])).unwrap();
    assert!(all.cells[0].text.contains("filename=/dev/b\n") && all.cells[0].options.is_empty());
}

#[test]
fn what_cannot_be_done_is_told() {
    let group = format!("before=['purge','format:512','drop-caches']\nvary=['rw=read']\n{JOB}");
    let file = expand(&suite("", &group), &terms(&["/tmp/f"])).unwrap();
    assert_eq!(told(&file), "DropCaches [g rw=read]");
    assert!(file.deviations[0].starts_with("A file cannot be emptied"), "{:?}", file.deviations);
    let simulated = SuiteTerms { time_divisor: 60, ..terms(&["sim:disk"]) };
    let all = expand(&suite("", &group), &simulated).unwrap();
    assert_eq!(told(&all), "purge(sim:disk) [g rw=read]");
    assert!(all.cells[0].text.contains("runtime=1000ms"), "{}", all.cells[0].text);
    assert_eq!(all.deviations.len(), 3, "{:?}", all.deviations);
    let kept = SuiteTerms { keeps_content: true, ..terms(&["/dev/a"]) };
    assert!(expand(&suite("", &group), &kept).unwrap().deviations[0].contains("were not emptied"));
}

#[test]
fn a_suite_for_another_number_of_targets_is_refused() {
    let group = format!("vary=['rw=read']\n{JOB}");
    let said = expand(&suite("devices='2..8'", &group), &terms(&["/dev/a"])).unwrap_err();
    assert_eq!(said, "this suite takes 2 to 8 targets, and 1 target were given");
}

#[test]
fn variables_of_the_command_line_come_first() {
    let changed = SuiteTerms { variables: vec![("time".to_owned(), "5s".to_owned())], ..terms(&["/dev/a"]) };
    let group = "job='''\n[j]\nruntime=${time}\nbs=${bs}\n'''";
    let all = expand(&suite("variables={time='9s',bs='8k'}", group), &changed).unwrap();
    assert_eq!(all.cells[0].text, "[global]\n\n[j]\nruntime=5s\nbs=8k\n");
}
