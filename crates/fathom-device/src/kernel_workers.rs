//! Kernel threads of io_uring that work for this process.
//!
//! The kernel creates them as threads of the process, and no other thread's accounting contains
//! their CPU time: `iou-wrk-N` does I/O that a ring's owner, thread N, handed over (io-wq);
//! `iou-sqp-N` submits for it (SQPOLL). The names are those of the kernel's io_uring/io-wq.c and
//! io_uring/sqpoll.c. A thread is gone when its ring is, so its time must be read while it lives.

use std::collections::BTreeMap;

use crate::root::{Root, Unknown};

/// What a kernel thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkerKind {
    /// I/O that would have blocked its submitter.
    IoWq,
    /// Submits what it finds in a ring.
    Sqpoll,
}

/// All threads of one kind that work for one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workers {
    /// Name of the thread that they work for (15 bytes of it, as the kernel
    /// keeps it); empty if it was gone before it could be read.
    pub owner: String,
    /// What they are.
    pub kind: WorkerKind,
    /// How many were seen, ended ones included.
    pub threads: u32,
    /// CPU time of all of them, ns, as far as it was read.
    pub cpu_ns: u64,
}

/// The count of kernel workers over a run. Its memory grows with the number of
/// threads that live, not with time.
#[derive(Debug)]
pub struct Census {
    root: Root,
    live: BTreeMap<u32, Thread>,
    /// Sums by owner and kind; the CPU time only of threads that have ended.
    sums: BTreeMap<(u32, WorkerKind), Workers>,
}

#[derive(Debug)]
struct Thread {
    /// What it does and for whom; `None` for a thread of our own.
    work: Option<(WorkerKind, u32)>,
    cpu_ns: u64,
    /// Its name was read twice: a kernel thread takes its name only after it
    /// has begun.
    is_settled: bool,
}

const TASKS: &str = "/proc/self/task";

impl Census {
    /// Nothing was seen yet.
    pub fn new(root: Root) -> Self {
        Self { root, live: BTreeMap::new(), sums: BTreeMap::new() }
    }

    /// Looks for new threads, then reads the time of those that work for us.
    pub fn scan(&mut self) -> Result<(), Unknown> {
        let listed = self.root.list(TASKS)?;
        let now: Vec<u32> = listed.iter().filter_map(|name| name.parse().ok()).collect();
        let ended: Vec<u32> = self.live.keys().filter(|tid| !now.contains(tid)).copied().collect();
        ended.into_iter().for_each(|tid| self.end(tid));
        for tid in now {
            if !self.live.get(&tid).is_some_and(|thread| thread.is_settled) {
                self.meet(tid);
            }
        }
        self.refresh();
        Ok(())
    }

    /// Reads the time of the threads that are known to work for us.
    pub fn refresh(&mut self) {
        let root = &self.root;
        for (tid, thread) in self.live.iter_mut().filter(|(_, thread)| thread.work.is_some()) {
            // A thread that has ended keeps what was read last.
            if let Ok(text) = root.read_text(format!("{TASKS}/{tid}/schedstat")) {
                thread.cpu_ns = cpu_ns(&text).unwrap_or(thread.cpu_ns);
            }
        }
    }

    /// How many live and work for us.
    pub fn working(&self) -> usize {
        self.live.values().filter(|thread| thread.work.is_some()).count()
    }

    /// What was counted so far for the thread of this name, by kind.
    pub fn workers_of(&self, owner: &str) -> Vec<Workers> {
        let sums = self.sums.iter().filter(|(_, sum)| sum.owner == owner);
        let with_live = |(key, sum): (&(u32, WorkerKind), &Workers)| {
            let live = self.live.values().filter(|t| t.work.is_some_and(|(kind, tid)| (tid, kind) == *key));
            Workers { cpu_ns: sum.cpu_ns + live.map(|thread| thread.cpu_ns).sum::<u64>(), ..sum.clone() }
        };
        sums.map(with_live).collect()
    }

    fn meet(&mut self, tid: u32) {
        let Ok(name) = self.name_of(tid) else { return };
        let was_seen = self.live.contains_key(&tid);
        let work = work_of(&name).map(|(kind, owner)| (kind, self.true_owner(owner)));
        if let Some((kind, owner)) = work {
            let owner_name = self.name_of(owner).unwrap_or_default();
            let none = Workers { owner: owner_name, kind, threads: 0, cpu_ns: 0 };
            self.sums.entry((owner, kind)).or_insert(none).threads += 1;
        }
        let is_settled = was_seen || work.is_some();
        self.live.insert(tid, Thread { work, cpu_ns: 0, is_settled });
    }

    fn end(&mut self, tid: u32) {
        let work = self.live.remove(&tid).and_then(|thread| Some((thread.work?, thread.cpu_ns)));
        if let Some(((kind, owner), cpu_ns)) = work
            && let Some(sum) = self.sums.get_mut(&(owner, kind))
        {
            sum.cpu_ns += cpu_ns;
        }
    }

    /// A submission poller has workers of its own; they all work for the owner
    /// of its ring.
    fn true_owner(&self, owner: u32) -> u32 {
        let name = self.name_of(owner).unwrap_or_default();
        work_of(&name).map_or(owner, |(_, owner)| owner)
    }

    fn name_of(&self, tid: u32) -> Result<String, Unknown> {
        self.root.read_text(format!("{TASKS}/{tid}/comm"))
    }
}

/// Kind and owner, from a thread's name.
fn work_of(name: &str) -> Option<(WorkerKind, u32)> {
    let kinds = [("iou-wrk-", WorkerKind::IoWq), ("iou-sqp-", WorkerKind::Sqpoll)];
    kinds.into_iter().find_map(|(prefix, kind)| Some((kind, name.strip_prefix(prefix)?.parse().ok()?)))
}

/// Time on a CPU, ns: the first field of schedstat.
fn cpu_ns(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn thread(root: &Path, tid: u32, name: &str, cpu_ns: u64) {
        let dir = root.join(format!("proc/self/task/{tid}"));
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("comm"), format!("{name}\n")).unwrap();
        fs::write(dir.join("schedstat"), format!("{cpu_ns} 77 3\n")).unwrap();
    }

    #[test]
    fn workers_are_added_up_by_owner_also_after_their_end() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        thread(root, 10, "worker 0", 5_000);
        thread(root, 11, "iou-wrk-10", 100);
        thread(root, 12, "iou-wrk-10", 200);
        let mut census = Census::new(Root::recorded(root));
        census.scan().unwrap();
        assert_eq!(census.working(), 2);
        thread(root, 12, "iou-wrk-10", 900);
        census.refresh();
        fs::remove_dir_all(root.join("proc/self/task/12")).unwrap();
        thread(root, 13, "iou-wrk-10", 50);
        census.scan().unwrap();
        let sum = Workers { owner: "worker 0".to_owned(), kind: WorkerKind::IoWq, threads: 3, cpu_ns: 1_050 };
        assert_eq!((census.workers_of("worker 0"), census.working()), (vec![sum], 2));
    }

    #[test]
    fn a_pollers_workers_belong_to_the_owner_of_its_ring() {
        let dir = tempfile::tempdir().unwrap();
        thread(dir.path(), 10, "worker 7", 5_000);
        thread(dir.path(), 11, "iou-sqp-10", 100);
        thread(dir.path(), 12, "iou-wrk-11", 30);
        let mut census = Census::new(Root::recorded(dir.path()));
        census.scan().unwrap();
        let workers = census.workers_of("worker 7");
        assert!(workers.iter().all(|one| one.threads == 1), "{workers:?}");
        assert_eq!(workers.iter().map(|one| one.cpu_ns).collect::<Vec<_>>(), [30, 100]);
    }

    #[test]
    fn a_thread_that_takes_its_name_late_is_still_met() {
        let dir = tempfile::tempdir().unwrap();
        thread(dir.path(), 10, "worker 0", 0);
        thread(dir.path(), 11, "worker 0", 0);
        let mut census = Census::new(Root::recorded(dir.path()));
        census.scan().unwrap();
        assert_eq!(census.working(), 0);
        thread(dir.path(), 11, "iou-wrk-10", 40);
        census.scan().unwrap();
        assert_eq!(census.workers_of("worker 0")[0].cpu_ns, 40);
    }

    #[test]
    fn without_proc_it_is_unknown() {
        let dir = tempfile::tempdir().unwrap();
        let unknown = Census::new(Root::recorded(dir.path())).scan().unwrap_err();
        assert_eq!(unknown.path, Path::new(TASKS));
    }
}
