//! Random job files.

use super::work::{Moved, Work, sum};
use crate::dice::Dice;

/// A job file, the files that it finds, and how closely the two tools must
/// agree on it.
pub struct Generated {
    pub text: String,
    pub files: Vec<(String, u64)>,
    is_two_way: bool,
    /// Reads and writes in sequence that move more than the files hold: bytes
    /// by which the end of the last pass may differ.
    last_pass: Option<u64>,
    /// Largest block where they differ in size.
    mixed_max: Option<u64>,
    passes: u64,
    may_fall_short: bool,
}

/// A job that is being made.
struct Draft {
    dice: Dice,
    lines: Vec<String>,
    rw: &'static str,
    is_random: bool,
    block_max: u64,
    is_mixed: bool,
    /// Goes on from the last I/O instead of drawing a place, or leaves holes.
    steps: Option<Step>,
    nrfiles: u64,
    numjobs: u64,
    passes: u64,
    loops: u64,
    has_io_size: bool,
    /// Length of each file that is there.
    length: Option<u64>,
    shape: Shape,
}

/// How a job moves on from its last I/O.
#[derive(PartialEq)]
enum Step {
    Hole,
    Sequential,
}

/// Sizes and offsets of one file.
#[derive(Clone, Copy, Default)]
struct Shape {
    size: Option<u64>,
    size_percent: Option<u64>,
    offset: u64,
    offset_percent: Option<u64>,
    increment: Option<&'static str>,
}

impl Generated {
    pub fn of(seed: u64) -> Generated {
        let mut draft = Draft::new(Dice::new(seed));
        draft.pattern();
        draft.blocks();
        draft.files();
        draft.shape();
        draft.limits();
        draft.engine();
        draft.finish()
    }

    /// Whether both did the same, or differ as docs/differences.md says.
    pub fn agree(&self, theirs: &Work, ours: &Work) -> bool {
        theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(theirs, ours)| self.is_same(theirs, ours))
    }

    fn is_same(&self, theirs: &[Moved; 2], ours: &[Moved; 2]) -> bool {
        let (all_theirs, all_ours) = (sum(theirs), sum(ours));
        if self.may_fall_short && all_theirs.bytes < all_ours.bytes {
            return true;
        }
        if let Some(last_pass) = self.last_pass {
            return all_theirs.bytes.abs_diff(all_ours.bytes) <= last_pass;
        }
        match self.mixed_max {
            // Other random numbers draw other sizes.
            Some(block) => {
                all_theirs.ios == all_ours.ios
                    || all_theirs.bytes.abs_diff(all_ours.bytes) <= block * self.passes
            }
            // Other random numbers choose other directions.
            None if self.is_two_way => all_theirs == all_ours,
            None => theirs == ours,
        }
    }
}

impl Draft {
    fn new(mut dice: Dice) -> Draft {
        let rw = dice.of(&["read", "write", "randread", "randwrite", "rw", "randrw"]);
        Draft {
            dice,
            lines: vec!["[j]".to_owned()],
            rw,
            is_random: rw.starts_with("rand"),
            block_max: 0,
            is_mixed: false,
            steps: None,
            nrfiles: 1,
            numjobs: 1,
            passes: 1,
            loops: 1,
            has_io_size: false,
            length: None,
            shape: Shape::default(),
        }
    }

    fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn pattern(&mut self) {
        let rw = self.rw;
        match self.dice.below(10) {
            0 if !self.is_random => {
                let hole = self.dice.of(&["4k", "12k", "1m"]);
                self.steps = Some(Step::Hole);
                self.say(format!("rw={rw}:{hole}"));
            }
            1 if self.is_random => {
                let run = self.dice.of(&[2, 5]);
                self.steps = Some(Step::Sequential);
                self.say(format!("rw={rw}:{run}"));
            }
            _ => self.say(format!("rw={rw}")),
        }
        if self.dice.chance(15) {
            let percent = self.dice.of(&[1, 50, 99]);
            self.say(format!("percentage_random={percent}"));
            if self.is_random {
                self.steps = Some(Step::Sequential);
            }
        }
        if self.is_random && self.dice.chance(20) {
            self.say("norandommap=1");
        }
        if self.is_random && self.dice.chance(20) {
            let value = self.dice.of(&["zipf:1.2", "pareto:0.3", "normal:10", "zoned:60/50:40/50"]);
            self.say(format!("random_distribution={value}"));
        }
    }

    fn blocks(&mut self) {
        let (line, largest, is_mixed) = self.dice.of(&[
            ("bsrange=1k-16k", 16 << 10, true),
            ("bssplit=4k/60:16k/40", 16 << 10, true),
            ("bs=3k", 3 << 10, false),
            ("bs=512", 512, false),
            ("bs=4k", 4 << 10, false),
            ("bs=8k", 8 << 10, false),
            ("bs=64k", 64 << 10, false),
        ]);
        (self.block_max, self.is_mixed) = (largest, is_mixed);
        self.say(line);
    }

    fn files(&mut self) {
        if self.dice.chance(40) {
            self.nrfiles = 2 + self.dice.below(5);
            self.say(format!("nrfiles={}", self.nrfiles));
            if self.dice.chance(70) {
                let order = self.dice.of(&["roundrobin", "random", "sequential"]);
                let every = self.dice.of(&["", ":2", ":4"]);
                self.say(format!("file_service_type={order}{every}"));
            }
        }
        if self.dice.chance(20) {
            self.numjobs = 2 + self.dice.below(2);
            self.say(format!("numjobs={}", self.numjobs));
        }
        if self.dice.chance(40) {
            self.length = Some((64 + self.dice.below(1000)) * 1024 + self.dice.of(&[0, 0, 512, 100]));
        }
    }

    /// Sizes and offsets that leave room for a block in every file; fathom
    /// refuses others, and fio then does nothing.
    fn shape(&mut self) {
        let shape = loop {
            let shape = self.any_shape();
            let fits = (0..self.numjobs).all(|clone| self.region(&shape, clone).is_some());
            if fits && !(self.is_mixed && self.is_moved(&shape)) {
                break shape;
            }
        };
        self.shape = shape;
        let Shape { size, size_percent, offset, offset_percent, increment } = shape;
        self.lines.extend(size.map(|size| format!("size={size}")));
        self.lines.extend(size_percent.map(|percent| format!("size={percent}%")));
        self.lines.extend(offset_percent.map(|percent| format!("offset={percent}%")));
        if offset_percent.is_none() && offset > 0 {
            self.say(format!("offset={offset}"));
        }
        self.lines.extend(increment.map(|step| format!("offset_increment={step}")));
    }

    fn any_shape(&mut self) -> Shape {
        let dice = &mut self.dice;
        let mut shape = Shape::default();
        if self.length.is_none() || dice.chance(70) {
            match self.length.is_some() && dice.chance(20) {
                true => shape.size_percent = Some(1 + dice.below(100)),
                false => shape.size = Some((1 + dice.below(2000)) * 1024 + dice.of(&[0, 0, 0, 512, 1])),
            }
        }
        if dice.chance(25) {
            match dice.chance(50) {
                true => shape.offset_percent = Some(5 * (1 + dice.below(11))),
                false => shape.offset = 4096 * (1 + dice.below(60)),
            }
        }
        if self.numjobs > 1 && dice.chance(40) {
            shape.increment = Some(dice.of(&["64k", "10%"]));
        }
        shape
    }

    /// Offset and length of the region in each file of a clone, and what the
    /// file has behind it; `None` where a block does not fit.
    fn region(&self, shape: &Shape, clone: u64) -> Option<(u64, u64, u64)> {
        let length = self.length.unwrap_or(0);
        let step = match shape.increment {
            Some("64k") => 64 << 10,
            Some(_) => length / 10,
            None => 0,
        };
        let start = shape.offset_percent.map_or(shape.offset, |percent| length * percent / 100);
        let is_rounded = shape.offset_percent.is_some() || shape.increment == Some("10%");
        let unit = if is_rounded { self.block_min() } else { 1 };
        let offset = (start + step * clone).next_multiple_of(unit);
        let room = length.saturating_sub(offset);
        let size = match (shape.size, shape.size_percent) {
            (Some(size), _) => size / self.nrfiles,
            (_, Some(percent)) => (length * percent / 100 / self.block_min() * self.block_min()).min(room),
            _ => room,
        };
        (size >= self.block_max).then(|| (offset, size, room.saturating_sub(size)))
    }

    fn block_min(&self) -> u64 {
        match (self.is_mixed, self.block_max) {
            (false, block) => block,
            _ if self.lines.iter().any(|line| line.starts_with("bsrange")) => 1 << 10,
            _ => 4 << 10,
        }
    }

    fn limits(&mut self) {
        let (_, region, _) = self.regions().next().expect("a clone");
        let one_pass = self.is_moved(&self.shape);
        if self.dice.chance(25) {
            let percent = 10 + self.dice.below(91);
            let pass = region / self.block_min() * self.block_min() * self.nrfiles;
            let bytes = (1 + self.dice.below(3000)) * 1024;
            // fio refuses a job that has less than one block in total.
            match self.dice.chance(50) && region * percent / 100 >= self.block_max {
                true => self.say(format!("io_size={percent}%")),
                false if one_pass && bytes > pass => {}
                false => {
                    self.passes = bytes.div_ceil(pass);
                    self.has_io_size = true;
                    self.say(format!("io_size={bytes}"));
                }
            }
        }
        if self.dice.chance(15) {
            let ios = 1 + self.dice.below(300);
            self.say(format!("number_ios={ios}"));
        }
        if self.dice.chance(15) && !one_pass {
            let loops = 2 + self.dice.below(2);
            self.loops = loops;
            self.say(format!("loops={loops}"));
        }
    }

    fn engine(&mut self) {
        let depth = 1 + self.dice.below(20);
        let engine = self.dice.of(&["psync", "libaio", "io_uring"]);
        self.say(format!("ioengine={engine}"));
        if engine != "psync" {
            self.say(format!("iodepth={depth}"));
        }
    }

    /// Whether fio moves the offset while the job runs. See "A percentage of a file
    /// that grows" in docs/differences.md; such jobs are made with one pass and
    /// one block size.
    fn is_moved(&self, shape: &Shape) -> bool {
        let is_share = shape.offset_percent.is_some() || shape.increment == Some("10%");
        let grows = |(offset, size, _)| self.length.unwrap_or(0) < offset + size;
        is_share && (0..self.numjobs).filter_map(|clone| self.region(shape, clone)).any(grows)
    }

    fn regions(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        (0..self.numjobs).map(|clone| self.region(&self.shape, clone).expect("a block fits"))
    }

    /// Whether fio may end a pass early. See "Passes that end early" in
    /// docs/differences.md.
    fn may_fall_short(&self) -> bool {
        match self.steps {
            Some(Step::Hole) => true,
            Some(Step::Sequential) => {
                let ends_badly = |(_, size, behind): (u64, u64, u64)| {
                    behind > 0 || !size.is_multiple_of(self.block_max) || self.is_mixed
                };
                self.regions().any(ends_badly)
            }
            None => false,
        }
    }

    /// In a sequential mix with `io_size`, a pass goes on until reads or writes
    /// are at the end, which depends on the random numbers. With `loops` the
    /// job goes beyond `io_size` by up to a pass, else by less than a block.
    fn last_pass(&self) -> Option<u64> {
        let is_open = self.rw == "rw" && self.has_io_size && self.passes > 1;
        let (_, region, _) = self.regions().next()?;
        let pass = if self.loops > 1 { 2 * region * self.nrfiles } else { self.block_max };
        is_open.then_some(pass)
    }

    fn finish(self) -> Generated {
        let (may_fall_short, last_pass) = (self.may_fall_short(), self.last_pass());
        let names =
            (0..self.numjobs).flat_map(|job| (0..self.nrfiles).map(move |file| format!("j.{job}.{file}")));
        Generated {
            files: self.length.map_or_else(Vec::new, |length| names.map(|name| (name, length)).collect()),
            text: self.lines.join("\n") + "\n",
            is_two_way: self.rw.ends_with("rw"),
            mixed_max: self.is_mixed.then_some(self.block_max),
            last_pass,
            passes: self.passes.max(self.loops),
            may_fall_short,
        }
    }
}
