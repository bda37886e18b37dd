use super::*;
use crate::suite::SuiteTarget;
use fathom_results::answer::Deviation;
use fathom_results::procedure::Preparation;

fn terms(paths: &[&str]) -> SuiteTerms {
    let target = |path: &&str| SuiteTarget {
        path: (*path).to_owned(),
        can_purge: !path.starts_with("/tmp"),
        is_simulated: path.starts_with("sim:"),
        is_directory: path.ends_with('/'),
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
    assert_eq!(told(&all), "[g rw=read on 1] [g rw=read on 2] [g rw=read on 1+2]");
    let list = ("filename".to_owned(), "/dev/a\\:b:sim:disk".to_owned());
    assert_eq!((all.cells[2].target.as_deref(), &all.cells[2].options), (None, &vec![list]));
    let named = "job='''\n[j]\nfilename=${target2}\n'''";
    let all = expand(&suite("devices='2'", named), &terms(&["/dev/a", "/dev/b"])).unwrap();
    assert!(all.cells[0].text.contains("filename=/dev/b\n") && all.cells[0].options.is_empty());
}

#[test]
fn what_cannot_be_done_is_told() {
    let group = format!("before=['purge','format:512','drop-caches']\nvary=['rw=read']\n{JOB}");
    let file = expand(&suite("", &group), &terms(&["/tmp/f"])).unwrap();
    assert_eq!(told(&file), "DropCaches [g rw=read]");
    assert!(file.deviations[0] == Deviation::FileNotEmptied, "{:?}", file.deviations);
    let simulated = SuiteTerms { time_divisor: 60, ..terms(&["sim:disk"]) };
    let all = expand(&suite("", &group), &simulated).unwrap();
    assert_eq!(told(&all), "purge(sim:disk) [g rw=read]");
    assert!(all.cells[0].text.contains("runtime=1000ms"), "{}", all.cells[0].text);
    assert_eq!(all.deviations.len(), 3, "{:?}", all.deviations);
    let kept = SuiteTerms { keeps_content: true, ..terms(&["/dev/a"]) };
    assert!(expand(&suite("", &group), &kept).unwrap().deviations[0] == Deviation::NotEmptied);
}

#[test]
fn a_suite_for_another_number_of_targets_is_refused() {
    let group = format!("vary=['rw=read']\n{JOB}");
    let said = expand(&suite("devices='2..8'", &group), &terms(&["/dev/a"])).unwrap_err();
    assert_eq!(said, "this suite takes 2 to 8 targets, not 1 target");
}

#[test]
fn variables_of_the_command_line_come_first() {
    let variables = vec![("time".to_owned(), "5s".to_owned())];
    let changed = SuiteTerms { variables, ..terms(&["/dev/a"]) };
    let group = "job='''\n[j]\nruntime=${time}\nbs=${bs}\n'''";
    let all = expand(&suite("variables={time='9s',bs='8k'}", group), &changed).unwrap();
    assert_eq!(all.cells[0].text, "[global]\n\n[j]\nruntime=5s\nbs=8k\n");
    let shorter = SuiteTerms { time_divisor: 10, ..changed };
    let all = expand(&suite("variables={time='9s',bs='8k'}", group), &shorter).unwrap();
    assert_eq!(all.cells[0].text, "[global]\n\n[j]\nruntime=500ms\nbs=8k\n");
}

#[test]
fn a_fill_has_the_size_that_varies_and_goes_on_in_parallel() {
    let group = format!("before=['fill','fill-random:2']\nvary=['size=100%,80%','rw=randwrite']\n{JOB}");
    let all = expand(&suite("", &group), &terms(&["/dev/a"])).unwrap();
    let of = |size: &str| {
        format!(
            "[fill 1 size={size}] [fill 1 at random size={size}] [fill 1 at random with repeats size={size}] [g size={size} rw=randwrite]"
        )
    };
    assert_eq!(told(&all), format!("{} {}", of("100%"), of("80%")));
    let random = all.cells.iter().find(|cell| cell.name == "fill 1 at random size=80%").unwrap();
    for option in ["rw=randwrite", "bs=4k", "ioengine=io_uring", "iodepth=32", "size=80%"] {
        assert!(random.text.lines().any(|line| line == option), "{option}: {}", random.text);
    }
    // The pass that reaches every block, and the one that leaves the drive as random writes do.
    let has_map = |pass: &str| {
        let cell =
            all.cells.iter().find(|cell| cell.name == format!("fill 1 at random{pass} size=80%")).unwrap();
        !cell.text.contains("norandommap")
    };
    assert!(has_map("") && !has_map(" with repeats"));
}

#[test]
fn each_target_has_its_own_job_where_the_group_says_so() {
    let group = "per-target=true\nover='growing'\njob='''\n[j]\nrw=read\niodepth=(2*${disks})\n'''";
    let all = expand(&suite("devices='1..'", group), &terms(&["/dev/a", "/dev/b"])).unwrap();
    let both = &all.cells[2];
    assert_eq!((both.name.as_str(), both.target.as_deref(), both.options.len()), ("g on 1+2", None, 0));
    let wanted = "[j-1]\nfilename=/dev/a\nrw=read\niodepth=(2*2)\n[j-2]\nfilename=/dev/b\n";
    assert!(both.text.contains(wanted), "{}", both.text);
}

#[test]
fn a_directory_is_an_option_of_each_job_and_is_not_filled() {
    let group = format!("before=['fill']\nvary=['rw=read']\n{JOB}");
    let all = expand(&suite("", &group), &terms(&["/tmp/"])).unwrap();
    assert_eq!(told(&all), "[g rw=read]");
    assert_eq!(all.cells[0].options, [("directory".to_owned(), "/tmp/".to_owned())]);
    assert!(all.deviations[0] == Deviation::DirectoryNotFilled, "{:?}", all.deviations);
}

#[test]
fn groups_that_are_not_asked_for_or_not_possible_are_told() {
    let more = "name='h'\nwhat='w'\nover='subsets'\nvary=['rw=write']";
    let file = suite("devices='1..'", &format!("{JOB}\n[[group]]\n{more}\n{JOB}"));
    let many = ["/dev/a", "/dev/b", "/dev/c", "/dev/d", "/dev/e", "/dev/f", "/dev/g"];
    let all = expand(&file, &terms(&many)).unwrap();
    assert!(
        matches!(all.deviations[0], Deviation::TooManySubsets { targets: 7, .. }),
        "{:?}",
        all.deviations
    );
    assert_eq!(told(&all), "[g]");
    let only = |name: &str| SuiteTerms { only: vec![name.to_owned()], ..terms(&["/dev/a"]) };
    let all = expand(&file, &only("h")).unwrap();
    assert_eq!(all.deviations, [Deviation::GroupsLeftOut { groups: vec!["g".to_owned()] }]);
    assert_eq!(expand(&file, &only("x")).unwrap_err(), "it has no group \"x\"; its groups are g, h");
    let none = SuiteTerms { only: vec!["h".to_owned()], ..terms(&many) };
    assert_eq!(expand(&file, &none).unwrap_err(), "nothing is left to measure");
}

#[test]
fn what_varies_may_be_a_variable() {
    let group = format!("vary=['rw=${{patterns}}']\n{JOB}");
    let mut file = suite("variables={patterns='read,write'}", &group);
    assert_eq!(told(&expand(&file, &terms(&["/dev/a"])).unwrap()), "[g rw=read] [g rw=write]");
    file.fill(&[("patterns".to_owned(), "randread".to_owned())]).unwrap();
    assert_eq!(told(&expand(&file, &terms(&["/dev/a"])).unwrap()), "[g rw=randread]");
}

#[test]
fn what_has_two_meanings_is_refused() {
    let refused =
        |head: &str, group: &str, terms: SuiteTerms| expand(&suite(head, group), &terms).unwrap_err();
    let group = |vary: &str| format!("vary={vary}\n{JOB}");
    let set = SuiteTerms { set: vec![("bs".to_owned(), "8k".to_owned())], ..terms(&["/dev/a"]) };
    for (said, why) in [
        (refused("", &group("['rw=read','bs=4k,8k']"), set), "bs varies, so it cannot be set for every job"),
        (
            refused("", &group("['rw=read','bs=4k','bs=8k']"), terms(&["/dev/a"])),
            "group \"g\": bs varies twice",
        ),
        (
            refused("", &group("['rw=read,read']"), terms(&["/dev/a"])),
            "group \"g\": rw has the value read twice",
        ),
        (
            refused("devices='2'", &group("['rw=read']"), terms(&["/dev/a", "/dev/a"])),
            "the target /dev/a is given twice",
        ),
    ] {
        assert_eq!(said, why);
    }
}
