//! All that a rule may look at: the run, where it happened, its cells, and what the kernel counted
//! during it.

use crate::cell::Cell;
use crate::surrounds::Surrounds;
use crate::witness::Witness;
use fathom_job::direction::Direction;
use fathom_results::RunResult;

/// A run that is to be judged.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// What was measured.
    pub run: &'a RunResult,
    /// Where it was measured.
    pub seen: &'a Surrounds,
    /// The jobs, clones added up.
    pub cells: Vec<Cell<'a>>,
    /// The kernel's counts against ours, disk by disk, where they can be
    /// compared.
    pub witnesses: Vec<Witness>,
    /// Why the counts of some disks cannot be compared.
    pub no_witness: Option<String>,
}

impl<'a> Case<'a> {
    /// Prepares a run for judgement.
    pub fn new(run: &'a RunResult, seen: &'a Surrounds) -> Self {
        let cells = Cell::all(run);
        let (witnesses, no_witness) = Witness::call(run, seen, &cells);
        Case { run, seen, cells, witnesses, no_witness }
    }

    /// The same with one cell alone: what the kernel counted stays that of the
    /// whole run.
    pub fn with_only(&self, cell: &Cell<'a>) -> Self {
        Case {
            cells: vec![cell.clone()],
            witnesses: self.witnesses.clone(),
            no_witness: self.no_witness.clone(),
            ..*self
        }
    }

    /// The cells that reach a disk.
    pub fn on_disk(&self) -> impl Iterator<Item = &Cell<'a>> {
        self.cells.iter().filter(|cell| cell.is_on_disk())
    }

    /// Is every I/O on a disk a trim, which moves no data?
    pub fn only_trims(&self) -> bool {
        let moves = |cell: &Cell<'_>| cell.flows().any(|(direction, _)| direction != Direction::Trim);
        self.on_disk().any(|cell| cell.ios() > 0) && !self.on_disk().any(moves)
    }

    /// Does any cell reach a disk?
    pub fn reaches_disk(&self) -> bool {
        self.on_disk().next().is_some()
    }

    /// Do all cells on a disk go past the page cache?
    pub fn is_direct(&self) -> bool {
        self.reaches_disk() && self.on_disk().all(|cell| cell.planned().direct)
    }

    /// The value of a fact about the host.
    pub fn fact(&self, name: &str) -> Option<&'a str> {
        self.run.record.fact(name)
    }

    /// The value of a fact about the first target that has it: `model`.
    pub fn target_fact(&self, name: &str) -> Option<&'a str> {
        let is_it = |full: &str| full.starts_with("target.") && full.rsplit('.').next() == Some(name);
        let known = self.run.record.host.iter().find(|fact| is_it(&fact.name) && fact.value.is_some());
        known.and_then(|fact| fact.value.as_deref())
    }

    /// What probing a cell's first target found: `nowait`, `completes_inline`. The answer depends
    /// on how the target is opened (direct or buffered).
    pub fn probed(&self, cell: &Cell<'_>, what: &str) -> Option<&'a str> {
        let path = &cell.planned().files.first()?.path;
        let mode = if cell.planned().direct { "direct" } else { "buffered" };
        self.fact(&format!("target.{path}.probe.{mode}.{what}"))
    }

    /// Is I/O of this cell complete when the call that submits it returns? It is if a probe through
    /// a ring saw it; or if the target is memory and the engine is not a ring (a ring hands such I/O
    /// over to kernel threads); or if the I/Os go one at a time and the worker never slept.
    pub fn completes_inline(&self, cell: &Cell<'_>) -> bool {
        let hands_over = cell.planned().engine_def().is_some_and(|engine| engine.hands_over_what_blocks);
        let is_probed = self.probed(cell, "completes_inline") == Some("true");
        is_probed || (!hands_over && self.is_memory()) || cell.never_sleeps_alone()
    }

    /// Kernel names of the disks under the targets, the top one first.
    pub fn disks(&self) -> impl Iterator<Item = &'a str> {
        let counted = self.run.record.disks.iter().map(|disk| disk.disk.as_str());
        self.seen.disk_name.as_deref().into_iter().chain(counted)
    }

    /// Is the target made of memory: tmpfs, zram, brd?
    pub fn is_memory(&self) -> bool {
        let fs = self.seen.fs_type.as_deref().filter(|_| self.on_disk().any(Cell::is_on_file));
        let ram_disk = |name: &str| name.starts_with("zram") || name.starts_with("ram");
        matches!(fs, Some("tmpfs" | "ramfs" | "devtmpfs")) || self.disks().any(ram_disk)
    }

    /// The hypervisor below this machine: its name, or what it calls the machine; `None` where
    /// there is no sign of one.
    pub fn hypervisor(&self) -> Option<&'a str> {
        let flagged = || self.fact("hypervisor_flag").filter(|flag| *flag == "true");
        let name = || self.fact("system_product").or(Some("a hypervisor"));
        self.seen.hypervisor.as_deref().or_else(|| flagged().and_then(|_| name()))
    }
}
