//! Which file the next I/O goes to (`file_service_type`).

use super::seed::Random;

/// Chooses among the files that still have room in this pass.
#[derive(Clone, Debug)]
pub struct FileChooser {
    service: Service,
    current: usize,
    left: u32,
    open: Vec<bool>,
}

/// The order in which files are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// One after the other, `every` I/Os each.
    RoundRobin {
        /// I/Os before the next file's turn.
        every: u32,
    },
    /// One file to its end, then the next.
    Sequential,
    /// Any.
    Random,
}

impl FileChooser {
    /// A chooser over `files` files.
    pub fn new(service: Service, files: usize) -> Self {
        let left = match service {
            Service::RoundRobin { every } => every.max(1),
            _ => 1,
        };
        FileChooser { service, current: 0, left, open: vec![true; files] }
    }

    /// The file of the next I/O; `None` when the pass is over.
    #[inline]
    pub fn pick(&mut self, random: &mut Random) -> Option<usize> {
        if self.open.len() == 1 {
            return self.open[0].then_some(0);
        }
        match self.service {
            Service::Sequential => self.open.iter().position(|&o| o),
            Service::Random => {
                let start = random.below(self.open.len() as u64) as usize;
                self.next_open(start)
            }
            Service::RoundRobin { every } => {
                if self.left == 0 {
                    self.current = (self.current + 1) % self.open.len();
                    self.left = every.max(1);
                }
                self.current = self.next_open(self.current)?;
                self.left -= 1;
                Some(self.current)
            }
        }
    }

    fn next_open(&self, start: usize) -> Option<usize> {
        let count = self.open.len();
        (0..count).map(|step| (start + step) % count).find(|&file| self.open[file])
    }

    /// This file has no room left in this pass.
    pub fn close(&mut self, file: usize) {
        self.open[file] = false;
        self.left = 0;
    }

    /// A new pass.
    pub fn reopen(&mut self) {
        self.open.fill(true);
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
        let (mut chooser, mut random) = (FileChooser::new(Service::Sequential, 2), Random::new(1));
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
        let all = picks(Service::Random, 3000, 0);
        let of = |file| all.iter().filter(|p| **p == Some(file)).count();
        assert_eq!(of(1), 0);
        assert!(of(0) > 500 && of(2) > 500, "{} and {}", of(0), of(2));
    }
}
