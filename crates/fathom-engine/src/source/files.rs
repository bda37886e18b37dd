//! Which file the next I/O goes to (`file_service_type`), and which files a job
//! that keeps fewer open than it has (`openfiles`) works on at a time.

use super::bitmap::Bits;
use super::permutation::Permutation;
use super::seed::Random;
use super::skew::files::SkewedFiles;

/// Chooses among the files that are open and still have room in this pass.
///
/// Where not all files are kept open, a pass begins with the first `kept_open` of
/// them. When a file has no room left, the next one replaces it.
#[derive(Clone, Debug)]
pub struct FileChooser {
    service: Service,
    current: usize,
    /// I/Os that the current file still gets before another one is chosen.
    left: u64,
    count: usize,
    /// The files that cannot be chosen; files that are open are free in it.
    closed: Bits,
    kept_open: usize,
    /// Files that this pass has opened.
    begun: usize,
    /// The order in which the pass opens files, if it is random.
    order: Option<Permutation>,
}

#[derive(Clone, Debug)]
pub enum Service {
    /// One after the other.
    RoundRobin { every: u64 },
    Random {
        /// I/Os before the next draw.
        every: u64,
    },
    /// A draw for each I/O, of some files more often than of others.
    Skewed(Box<SkewedFiles>),
}

impl Service {
    /// One file to its end, then the next: a turn that lasts as long as the
    /// file has room.
    pub const SEQUENTIAL: Service = Service::RoundRobin { every: u64::MAX };

    fn every(&self) -> u64 {
        match self {
            Service::RoundRobin { every } | Service::Random { every } => (*every).max(1),
            Service::Skewed(_) => 1,
        }
    }
}

/// How many files are drawn until one is open.
const DRAWS_MAX: u32 = 64;

impl FileChooser {
    pub fn new(service: Service, files: usize, kept_open: usize, random: &mut Random) -> Self {
        // A job with one file needs no turns.
        let service = if files == 1 { Service::SEQUENTIAL } else { service };
        let closed = Bits::new(files as u64, || false).unwrap_or_else(|| unreachable!("a bit for each file"));
        // The turn after that of the last file is the first file's.
        let current = files.saturating_sub(1);
        let kept_open = kept_open.clamp(1, files.max(1));
        let mut chooser =
            FileChooser { service, current, left: 0, count: files, closed, kept_open, begun: 0, order: None };
        chooser.reopen(random);
        chooser
    }

    /// The file of the next I/O; `None` when the pass is over.
    #[inline]
    pub fn pick(&mut self, random: &mut Random) -> Option<usize> {
        if self.left == 0 {
            self.choose(random)?;
        }
        self.left -= 1;
        Some(self.current)
    }

    /// Begins the turn of another file.
    fn choose(&mut self, random: &mut Random) -> Option<()> {
        let start = match &self.service {
            Service::RoundRobin { .. } => (self.current + 1) as u64,
            Service::Random { .. } => self.draw_open(random),
            Service::Skewed(files) => files.draw(random)? as u64,
        };
        self.current = self.closed.next_free(start)? as usize;
        self.left = self.service.every();
        Some(())
    }

    /// A file that is open, each as often as the others. Where few of many files are open, the search ends with the next one.
    fn draw_open(&self, random: &mut Random) -> u64 {
        let mut file = random.below(self.count as u64);
        for _ in 0..DRAWS_MAX {
            if self.closed.is_free(file) {
                break;
            }
            file = random.below(self.count as u64);
        }
        file
    }

    pub fn has_open(&self, file: usize) -> bool {
        self.closed.is_free(file as u64)
    }

    /// This file has no room left in this pass; its turn is over.
    pub fn close(&mut self, file: usize) {
        self.closed.take(file as u64);
        if let Service::Skewed(files) = &mut self.service {
            files.close(file);
        }
        self.left = 0;
        self.open_next();
    }

    fn open_next(&mut self) {
        if self.begun < self.count {
            let at = self.begun as u64;
            let file = self.order.as_ref().map_or(at, |order| order.at(at));
            self.closed.free(file);
            if let Service::Skewed(files) = &mut self.service {
                files.open(file as usize);
            }
            self.begun += 1;
        }
    }

    /// A new pass, which begins with a new turn.
    pub fn reopen(&mut self, random: &mut Random) {
        self.left = 0;
        if self.kept_open >= self.count {
            self.closed.free_all();
            self.begun = self.count;
            if let Service::Skewed(files) = &mut self.service {
                (0..self.count).for_each(|file| files.open(file));
            }
            return;
        }
        let is_random = !matches!(self.service, Service::RoundRobin { .. });
        self.order = is_random.then(|| Permutation::new(self.count as u64, random.bits()));
        self.closed.take_all();
        if let Service::Skewed(files) = &mut self.service {
            (0..self.count).for_each(|file| files.close(file));
        }
        self.begun = 0;
        (0..self.kept_open).for_each(|_| self.open_next());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(service: Service, count: usize, closed_after: usize) -> Vec<Option<usize>> {
        let mut random = Random::new(1);
        let mut chooser = FileChooser::new(service, 3, 3, &mut random);
        let mut pick = |at| {
            if at == closed_after {
                chooser.close(1);
            }
            chooser.pick(&mut random)
        };
        (0..count).map(&mut pick).collect()
    }

    #[test]
    fn round_robin_takes_turns_and_skips_what_is_full() {
        let expected = [0, 1, 2, 0, 2, 0, 2].map(Some);
        assert_eq!(picks(Service::RoundRobin { every: 1 }, 7, 4), expected);
        let expected = [0, 0, 1, 1, 2, 2, 0].map(Some);
        assert_eq!(picks(Service::RoundRobin { every: 2 }, 7, 7), expected);
    }

    #[test]
    fn sequential_stays_until_a_file_is_full() {
        let mut random = Random::new(1);
        let mut chooser = FileChooser::new(Service::SEQUENTIAL, 2, 2, &mut random);
        assert_eq!([chooser.pick(&mut random), chooser.pick(&mut random)], [Some(0), Some(0)]);
        chooser.close(0);
        assert_eq!(chooser.pick(&mut random), Some(1));
        chooser.close(1);
        assert_eq!(chooser.pick(&mut random), None, "the pass is over");
        chooser.reopen(&mut random);
        assert_eq!(chooser.pick(&mut random), Some(0));
    }

    #[test]
    fn random_uses_every_open_file_and_no_other() {
        let all = picks(Service::Random { every: 1 }, 3000, 0);
        let of = |file| all.iter().filter(|p| **p == Some(file)).count();
        assert_eq!(of(1), 0);
        assert!(of(0) > 500 && of(2) > 500, "{} and {}", of(0), of(2));
    }

    #[test]
    fn of_few_open_files_each_is_drawn_as_often() {
        let mut random = Random::new(1);
        let mut chooser = FileChooser::new(Service::Random { every: 1 }, 200, 10, &mut random);
        let mut counts = [0_u32; 200];
        (0..10_000).for_each(|_| counts[chooser.pick(&mut random).unwrap()] += 1);
        let drawn: Vec<u32> = counts.into_iter().filter(|count| *count > 0).collect();
        assert_eq!(drawn.len(), 10);
        // 1,000 each; five standard deviations are 150.
        assert!(drawn.iter().all(|count| count.abs_diff(1000) < 150), "{drawn:?}");
    }

    #[test]
    fn a_file_drawn_by_chance_is_kept_for_its_turn() {
        let all = picks(Service::Random { every: 4 }, 4000, 4000);
        assert!(all.chunks(4).all(|turn| turn.iter().all(|file| *file == turn[0])), "turns of four");
        let turns: Vec<_> = all.chunks(4).map(|turn| turn[0]).collect();
        let again = turns.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!((233..434).contains(&again), "{again} of 1000 draws give the same file, about a third");
    }

    #[test]
    fn a_new_pass_begins_with_a_new_turn() {
        let service = Service::RoundRobin { every: 3 };
        let mut random = Random::new(1);
        let mut chooser = FileChooser::new(service, 2, 2, &mut random);
        assert_eq!([chooser.pick(&mut random), chooser.pick(&mut random)], [Some(0), Some(0)]);
        chooser.reopen(&mut random);
        assert_eq!([chooser.pick(&mut random), chooser.pick(&mut random)], [Some(1), Some(1)]);
    }
    /// One pass over files of `room` I/Os each; what was chosen.
    fn pass(service: Service, files: usize, kept_open: usize, room: usize) -> Vec<usize> {
        let mut random = Random::new(1);
        let mut chooser = FileChooser::new(service, files, kept_open, &mut random);
        let (mut left, mut all) = (vec![room; files], Vec::new());
        while let Some(file) = chooser.pick(&mut random) {
            if left[file] == 0 {
                chooser.close(file);
                continue;
            }
            left[file] -= 1;
            all.push(file);
            let open = (0..files).filter(|&file| chooser.has_open(file)).count();
            assert!(open <= kept_open, "{open} open of {kept_open}");
        }
        assert_eq!(left, vec![0; files], "each to its end");
        all
    }

    #[test]
    fn a_file_that_is_done_makes_room_for_the_next() {
        let in_turn = Service::RoundRobin { every: 1 };
        assert_eq!(pass(in_turn.clone(), 4, 2, 2), [0, 1, 0, 1, 2, 3, 2, 3]);
        assert_eq!(pass(in_turn, 3, 1, 2), [0, 0, 1, 1, 2, 2]);
        assert_eq!(pass(Service::SEQUENTIAL, 3, 2, 2), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn files_of_a_random_order_are_opened_in_a_random_order() {
        let all = pass(Service::Random { every: 1 }, 1000, 10, 1);
        let ascending = all.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!((400..600).contains(&ascending), "{ascending} of 999");
    }

    #[test]
    fn of_files_with_unequal_shares_each_is_used_to_its_end() {
        let zipf = fathom_job::distribution::Distribution::Zipf { theta: 1.2, center: Some(0.0) };
        let skewed = || Service::Skewed(Box::new(SkewedFiles::new(&zipf, 10, 1, false)));
        assert_eq!(pass(skewed(), 10, 3, 5).len(), 50);
        let all = pass(skewed(), 10, 10, 5);
        assert!(all[..5].iter().filter(|file| **file == 0).count() >= 3, "the hottest first: {all:?}");
    }
}
