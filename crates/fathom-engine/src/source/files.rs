//! Which file the next I/O goes to (`file_service_type`).

use super::seed::Random;

/// Chooses among the files that still have room in this pass.
#[derive(Clone, Debug)]
pub struct FileChooser {
    service: Service,
    current: usize,
    /// I/Os that the current file still gets before another one is chosen.
    left: u64,
    open: Vec<bool>,
}

/// The order in which files are served, `every` I/Os each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// One after the other.
    RoundRobin {
        /// I/Os before the next file's turn.
        every: u64,
    },
    /// Any.
    Random {
        /// I/Os before the next draw.
        every: u64,
    },
}

impl Service {
    /// One file to its end, then the next: a turn that lasts as long as the
    /// file has room.
    pub const SEQUENTIAL: Service = Service::RoundRobin { every: u64::MAX };

    fn every(self) -> u64 {
        match self {
            Service::RoundRobin { every } | Service::Random { every } => every.max(1),
        }
    }
}

impl FileChooser {
    /// A chooser over `files` files.
    pub fn new(service: Service, files: usize) -> Self {
        // A file that is alone needs no turns.
        let service = if files == 1 { Service::SEQUENTIAL } else { service };
        // The turn after the last file's is the first file's.
        FileChooser { service, current: files.saturating_sub(1), left: 0, open: vec![true; files] }
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
        let start = match self.service {
            Service::RoundRobin { .. } => self.current + 1,
            Service::Random { .. } => random.below(self.open.len() as u64) as usize,
        };
        self.current = self.next_open(start)?;
        self.left = self.service.every();
        Some(())
    }

    fn next_open(&self, start: usize) -> Option<usize> {
        let count = self.open.len();
        (0..count).map(|step| (start + step) % count).find(|&file| self.open[file])
    }

    /// This file has no room left in this pass; its turn is over.
    pub fn close(&mut self, file: usize) {
        self.open[file] = false;
        self.left = 0;
    }

    /// A new pass, which begins with a new turn.
    pub fn reopen(&mut self) {
        self.open.fill(true);
        self.left = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(service: Service, count: usize, closed_after: usize) -> Vec<Option<usize>> {
        let (mut chooser, mut random) = (FileChooser::new(service, 3), Random::new(1));
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
        let (mut chooser, mut random) = (FileChooser::new(Service::SEQUENTIAL, 2), Random::new(1));
        assert_eq!([chooser.pick(&mut random), chooser.pick(&mut random)], [Some(0), Some(0)]);
        chooser.close(0);
        assert_eq!(chooser.pick(&mut random), Some(1));
        chooser.close(1);
        assert_eq!(chooser.pick(&mut random), None, "the pass is over");
        chooser.reopen();
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
        let (mut chooser, mut random) = (FileChooser::new(service, 2), Random::new(1));
        assert_eq!([chooser.pick(&mut random), chooser.pick(&mut random)], [Some(0), Some(0)]);
        chooser.reopen();
        assert_eq!([chooser.pick(&mut random), chooser.pick(&mut random)], [Some(1), Some(1)]);
    }
}
