//! How often the intervals that fathom shows hold the truth, found by simulation.
//!
//! Each table simulates measurements whose truth is known, asks fathom's own estimate for its 95 %
//! interval, and counts. `cargo xtask bench --intervals` prints the tables of
//! docs/measurement.md; for each table, a test repeats some cells with fewer trials and compares
//! them with the page.

mod median;
#[cfg(test)]
mod page;
mod percentile;
mod rate;

/// Trials for each cell of the page: the standard error of a share of 95 % is then 0.2 %.
pub const TRIALS: u64 = 10_000;

/// A table of shares, as it is printed.
pub struct Table {
    /// The heading of the column of row names, then the heading of each further column.
    pub headings: Vec<String>,
    /// The name of each row and its cells.
    pub rows: Vec<(String, Vec<String>)>,
}

/// How often the intervals of one cell hold the truth.
#[derive(Clone, Copy, Debug)]
pub struct Coverage {
    /// Share of trials whose interval held the truth, percent.
    pub held_percent: f64,
    /// Mean width of the intervals divided by a reference; 1 if there is no reference.
    pub width: f64,
}

/// Prints all tables.
pub fn print(trials: u64) {
    for (title, table) in [
        ("Mean rate", rate::table(trials)),
        ("Mean rate, other forms of resemblance", rate::other_forms(trials)),
        ("Percentile of latency", percentile::table(trials)),
        ("Median ratio of pairs", median::table(trials)),
    ] {
        println!("\n{title}\n\n{}", table.markdown());
    }
}

impl Table {
    /// The table as the page has it.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = format!("|{}\n", "---|".repeat(self.headings.len()));
        let rows = self.rows.iter().map(|(name, cells)| {
            let cells: Vec<String> = std::iter::once(name.clone()).chain(cells.iter().cloned()).collect();
            line(&cells)
        });
        line(&self.headings) + &rule + &rows.collect::<String>()
    }
}

impl Coverage {
    /// Makes this number of trials; each returns whether its interval held the truth, and its width.
    pub fn of(trials: u64, mut trial: impl FnMut() -> (bool, f64)) -> Self {
        let (mut held, mut width) = (0_u64, 0.0);
        for _ in 0..trials {
            let (is_held, its_width) = trial();
            held += u64::from(is_held);
            width += its_width;
        }
        let trials = trials as f64;
        Self { held_percent: 100.0 * held as f64 / trials, width: width / trials }
    }

    /// The share as the page has it.
    pub fn text(&self) -> String {
        format!("{:.1}", self.held_percent)
    }
}
