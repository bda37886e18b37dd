//! What is odd about what a program printed, and what of it could not be read, as data.

/// Something to know about a result of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgramFinding {
    /// Rows that could not be read, or of which a value could not.
    LeftOut {
        /// How many times.
        times: u64,
        /// The first line.
        line: u64,
        /// What is wrong with it.
        fault: RowFault,
    },
    /// The file ends within a row or a document.
    Cut {
        /// Its last line.
        line: u64,
    },
    /// The first of several reports is the mean since boot, unless the program was asked to leave that out.
    FirstReportLeftOut {
        /// Its line.
        line: u64,
    },
    /// The only report may be the mean since boot.
    MayBeSinceBoot {
        /// Its line.
        line: u64,
    },
    /// There are only averages that the program made.
    AveragesOnly,
    /// Numbers with a decimal comma.
    DecimalComma {
        /// The first line with one.
        line: u64,
    },
    /// The machine was restarted within the file.
    Restarted {
        /// The line that says so.
        line: u64,
    },
    /// Tables or columns that hold nothing which fathom has a metric for.
    NotRead {
        /// Their headings, the first few.
        names: Vec<String>,
        /// How many there are.
        count: u64,
    },
    /// Bandwidth has another unit than its heading says, by rate and size of an I/O.
    Unit {
        /// The first line.
        line: u64,
        /// How many rows.
        rows: u64,
        /// Bytes of the unit that the heading says.
        says: f64,
        /// Bytes of the unit that it is.
        is: f64,
    },
    /// Rate, size of an I/O and bandwidth contradict one another; the bandwidth is left out.
    Contradiction {
        /// The first line.
        line: u64,
        /// How many rows.
        rows: u64,
        /// I/Os per second.
        iops: f64,
        /// Bytes of an I/O.
        block_bytes: f64,
        /// Bytes per second, as it is in the file.
        bytes_per_second: f64,
    },
    /// There are more rows than are read.
    TooManyRows {
        /// The line of the first that is not read.
        line: u64,
        /// How many are read.
        most: usize,
    },
    /// Something failed in the run.
    Failed {
        /// The first line that says so.
        line: u64,
        /// How many lines.
        times: u64,
    },
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowFault {
    /// A value that is not a number.
    NoNumber {
        /// Its column.
        column: String,
        /// The value as it is in the file, cut.
        text: String,
    },
    /// A value that is not a number or infinite, or that no disk and no processor reaches.
    Impossible {
        /// Its column.
        column: String,
        /// The value as it is in the file, cut.
        text: String,
    },
    /// A value below zero.
    Negative {
        /// Its column.
        column: String,
        /// The value as it is in the file, cut.
        text: String,
    },
    /// Another number of fields than its heading has.
    Fields {
        /// Fields of the row.
        has: usize,
        /// Fields of the heading.
        expected: usize,
    },
    /// Longer than any line that these programs write.
    TooLong {
        /// Its bytes.
        bytes: usize,
    },
    /// A part of a JSON document that is none.
    NotJson {
        /// In the words of the JSON parser.
        why: String,
    },
}

/// Headings that are not read of which so many are named.
const NAMED: usize = 8;

/// Findings as they are collected: of one kind, the first is kept and the others are counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    all: Vec<ProgramFinding>,
    names: Vec<String>,
    not_read: u64,
}

impl Findings {
    /// Adds one.
    pub fn add(&mut self, new: ProgramFinding) {
        use ProgramFinding as Of;
        for known in &mut self.all {
            match (known, &new) {
                (Of::LeftOut { times, fault, .. }, Of::LeftOut { fault: other, .. })
                    if std::mem::discriminant(fault) == std::mem::discriminant(other) =>
                {
                    *times += 1;
                    return;
                }
                (Of::Unit { rows, says, is, .. }, Of::Unit { says: new_says, is: new_is, .. })
                    if (*says, *is) == (*new_says, *new_is) =>
                {
                    *rows += 1;
                    return;
                }
                (Of::Contradiction { rows, .. }, Of::Contradiction { .. }) => {
                    *rows += 1;
                    return;
                }
                (Of::Failed { times, .. }, Of::Failed { .. }) => {
                    *times += 1;
                    return;
                }
                (Of::DecimalComma { .. }, Of::DecimalComma { .. })
                | (Of::TooManyRows { .. }, Of::TooManyRows { .. })
                | (Of::Restarted { .. }, Of::Restarted { .. })
                | (Of::Cut { .. }, Of::Cut { .. }) => return,
                _ => {}
            }
        }
        self.all.push(new);
    }

    /// Adds a row that was left out, or a value of it.
    pub fn left_out(&mut self, line: u64, fault: RowFault) {
        self.add(ProgramFinding::LeftOut { times: 1, line, fault });
    }

    /// Adds a heading that is not read; one that is known is not counted again.
    pub fn not_read(&mut self, name: &str) {
        let name = cut(name);
        if !self.names.contains(&name) {
            self.not_read += 1;
            if self.names.len() < NAMED {
                self.names.push(name);
            }
        }
    }

    /// All of them, in the order in which they were found.
    pub fn into_all(mut self) -> Vec<ProgramFinding> {
        if !self.names.is_empty() {
            self.all.push(ProgramFinding::NotRead { names: self.names, count: self.not_read });
        }
        self.all
    }
}

/// Characters of a value that are kept to show it.
const SHOWN: usize = 40;

/// The beginning of a text.
pub(super) fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
