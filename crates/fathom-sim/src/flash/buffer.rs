//! The write buffer: a write is complete when it is here.
//!
//! Data leaves the buffer a word line at a time, in the order of arrival. The lines form a ring, so that a
//! line begins when the one that had its place is programmed. That takes constant time for each unit, and
//! nothing is sorted.

#[derive(Debug)]
pub(super) struct WriteBuffer {
    /// When the word line that has each place is programmed.
    freed_ns: Vec<u64>,
    line_units: u32,
    place: usize,
    /// Units in the line that is being filled.
    filled: u32,
    /// When the newest unit in it arrived.
    arrived_ns: u64,
    /// When all programs of the host's data end.
    programmed_ns: u64,
    /// Units that no program and no flush has yet made safe.
    unsafe_units: u32,
}

impl WriteBuffer {
    pub fn new(lines: u64, line_units: u32) -> Self {
        let freed_ns = vec![0; lines as usize];
        Self { freed_ns, line_units, place: 0, filled: 0, arrived_ns: 0, programmed_ns: 0, unsafe_units: 0 }
    }

    /// A unit that could arrive at `ready_ns` arrives, because of those before it, at the time that is
    /// returned.
    pub fn arrive(&mut self, ready_ns: u64) -> u64 {
        let arrived = ready_ns.max(self.freed_ns[self.place]);
        self.arrived_ns = self.arrived_ns.max(arrived);
        self.unsafe_units += 1;
        arrived
    }

    /// After the unit has a slot: the next one may be the first of a line.
    pub fn placed(&mut self) {
        self.filled += 1;
        if self.filled == self.line_units {
            self.filled = 0;
            self.freed_ns[self.place] = self.programmed_ns;
            self.place = (self.place + 1) % self.freed_ns.len();
        }
    }

    /// A word line of the host is programmed until `done_ns`.
    pub fn programmed(&mut self, done_ns: u64) {
        self.programmed_ns = self.programmed_ns.max(done_ns);
        self.unsafe_units = 0;
    }

    /// When a program of what has arrived may begin.
    pub fn arrived_ns(&self) -> u64 {
        self.arrived_ns
    }

    /// When all programs so far end.
    pub fn programmed_ns(&self) -> u64 {
        self.programmed_ns
    }

    /// Units that only the buffer holds.
    pub fn unsafe_units(&self) -> u32 {
        self.unsafe_units
    }
}
