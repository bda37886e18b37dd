//! Options that change single I/Os: their priority, whether they are polled for, and by which call they are submitted.

use crate::support::kernel_events::KernelEvents;
use crate::support::{Heard, WatchedFiles, planned, run, run_on};
use fathom_job::direction::Direction::{Read, Write};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// A loop device over a file of 64 MiB.
struct Loop {
    device: String,
    _dir: tempfile::TempDir,
}

impl Loop {
    fn new() -> Loop {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk");
        std::fs::write(&path, vec![7; 64 << 20]).unwrap();
        let output = Command::new("losetup").args(["-f", "--show"]).arg(&path).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let device = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        // Adjacent I/Os would be one event.
        std::fs::write(format!("/sys/block/{}/queue/nomerges", &device[5..]), "2").unwrap();
        Loop { device, _dir: dir }
    }

    /// The number by which the kernel's events name it.
    fn number(&self) -> u64 {
        let number = std::fs::read_to_string(format!("/sys/block/{}/dev", &self.device[5..])).unwrap();
        let (major, minor) = number.trim().split_once(':').unwrap();
        major.parse::<u64>().unwrap() << 20 | minor.parse::<u64>().unwrap()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["-d", &self.device]).status();
    }
}

/// Runs 2,000 random reads on the device; returns how many I/Os had this priority.
fn with_priority(disk: &Loop, ioprio: u32, options: &str) -> (usize, Heard) {
    let filter = format!("dev == {} && ioprio == {ioprio}", disk.number());
    let events = KernelEvents::of("block/block_rq_issue", &filter);
    let heard = run(&format!(
        "[j]\nfilename={}\ndirect=1\nsize=64m\nnumber_ios=2000\nnorandommap\niodepth=4\n{options}\n",
        disk.device
    ));
    assert_eq!(heard.outcome(0).failure, None, "{options}");
    (events.count(), heard)
}

#[test]
fn a_share_of_the_ios_has_the_priority_that_was_asked_for() {
    let disk = Loop::new();
    for engine in ["io_uring", "libaio", "libaio\nlibaio_vectored=1"] {
        let job = format!("ioengine={engine}\nrw=randread\n");
        let (all, _) = with_priority(&disk, 1 << 13 | 3, &format!("{job}cmdprio_percentage=100\ncmdprio=3"));
        assert_eq!(all, 2000, "{engine}");
        // Six standard deviations of 2,000 draws of 25 % are 116.
        let (some, _) = with_priority(
            &disk,
            2 << 13 | 5 << 3 | 1,
            &format!("{job}cmdprio_percentage=25\ncmdprio_class=2\ncmdprio=1\ncmdprio_hint=5"),
        );
        assert!(some.abs_diff(500) <= 116, "{engine}: {some}");
        let (none, _) = with_priority(&disk, 1 << 13, &job);
        assert_eq!(none, 0, "{engine}");
    }
}

#[test]
fn shares_may_depend_on_the_direction_and_the_length() {
    let disk = Loop::new();
    for engine in ["io_uring", "libaio"] {
        let job = format!("ioengine={engine}\nrw=randrw\nbssplit=4k/50:8k/50\n");
        let (raised, heard) = with_priority(&disk, 1 << 13, &format!("{job}cmdprio_percentage=0,100"));
        assert_eq!(raised as u64, heard.moved(0, Write).0, "{engine}: every write and no read");
        let (raised, heard) =
            with_priority(&disk, 3 << 13 | 2, &format!("{job}cmdprio_bssplit=8k/100/3/2:4k/0"));
        let (reads, writes) = (heard.moved(0, Read), heard.moved(0, Write));
        let long = (reads.1 + writes.1) / 4096 - (reads.0 + writes.0);
        assert_eq!(raised as u64, long, "{engine}: those of 8k");
    }
}

#[test]
fn a_share_of_the_ios_of_pvsync2_is_polled_for() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
    // RWF_HIPRI is 1.
    let polled = |options: &str| {
        let events = KernelEvents::of("syscalls/sys_enter_preadv2", "flags == 1");
        let path = file.path().display();
        let heard = run(&format!("[j]\nioengine=pvsync2\nfilename={path}\nrw=read\nbs=512\n{options}\n"));
        assert_eq!((heard.outcome(0).failure.clone(), heard.moved(0, Read).0), (None, 2048));
        events.count()
    };
    assert_eq!(
        (polled("hipri_percentage=50"), polled("hipri"), polled("hipri\nhipri_percentage=0")),
        (0, 2048, 0)
    );
    let some = polled("hipri\nhipri_percentage=25");
    assert!(some.abs_diff(512) <= 118, "six standard deviations: {some}");
}

#[test]
fn vectored_control_blocks_move_the_same_data() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for vectored in [0, 1] {
        let heard = run(&format!(
            "[j]\nioengine=libaio\nlibaio_vectored={vectored}\nfilename={}\nrw=randrw\nbs=4k\nsize=4m\niodepth=8\n\
             verify=crc32c\n",
            file.path().display()
        ));
        let outcome = heard.outcome(0);
        assert_eq!(outcome.failure, None);
        let calls = if vectored == 1 { "preadv and pwritev" } else { "pread and pwrite" };
        assert!(
            outcome.notes.iter().any(|(name, value)| name == "libaio.submits" && value == calls),
            "{outcome:?}"
        );
    }
}

#[test]
fn all_ios_of_a_job_have_its_priority_and_its_hint() {
    let disk = Loop::new();
    for (engine, options, ioprio) in [
        // Best effort, if no class is given.
        ("psync", "priohint=5", 2 << 13 | 5 << 3),
        ("psync", "prioclass=1\nprio=2", 1 << 13 | 2),
        ("io_uring", "prio=6\npriohint=3", 2 << 13 | 3 << 3 | 6),
        ("libaio", "prioclass=1\nprio=2\npriohint=1", 1 << 13 | 1 << 3 | 2),
    ] {
        let job = format!("ioengine={engine}\nrw=randread\n{options}\nnumber_ios=100\n");
        assert_eq!(with_priority(&disk, ioprio, &job).0, 100, "{engine} {options}");
    }
}

/// The completions of cached reads are in the ring when they are submitted. fio takes them from there only where a job asks for it
/// and does not make it wait, and so does a job that is to do what fio does.
#[test]
fn completions_of_libaio_come_from_the_ring_where_it_can_be_read() {
    let file = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
    let events = KernelEvents::of("syscalls/sys_enter_io_getevents", "nr > 0");
    let by_call = |options: &str| {
        let thread = Arc::new(AtomicI32::new(0));
        let opens = thread.clone();
        let targets = WatchedFiles(move || {
            opens.store(rustix::thread::gettid().as_raw_pid(), Ordering::Relaxed);
        });
        let text = format!(
            "[j]\nioengine=libaio\nfilename={}\nrw=read\nbs=4k\niodepth=8\n{options}\n",
            file.path().display()
        );
        let mut heard = Heard::default();
        run_on(Arc::new(targets), planned(&text), &Arc::default(), &mut heard);
        assert_eq!((&heard.outcome(0).failure, heard.moved(0, Read).0), (&None, 256), "{options}");
        let is_named =
            |value: &str| heard.outcome(0).notes.contains(&("libaio.reaping".to_owned(), value.to_owned()));
        let calls = events.count_of(thread.load(Ordering::Relaxed)) > 0;
        assert!(is_named(if calls { "io_getevents(2)" } else { "from the mapped ring" }), "{options}");
        calls
    };
    for options in
        ["", "userspace_reap=0", "userspace_reap=1", "userspace_reap=1\niodepth_batch_complete_min=4"]
    {
        assert!(!by_call(options), "{options}");
    }
    let as_fio = "compat=fio\niodepth_batch_complete_min=0\n";
    assert!(by_call(as_fio) && !by_call(&format!("{as_fio}userspace_reap=1")));
    assert!(by_call("compat=fio\nuserspace_reap=1"), "it waits for one at least");
}
