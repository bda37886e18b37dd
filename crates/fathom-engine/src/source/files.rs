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
