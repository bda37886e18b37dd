//! All that a rule may look at: the run, where it happened, its cells, and what the kernel counted
//! during it.

use crate::cell::Cell;
use crate::in_disk::in_disk;
use crate::place::{TargetPlace, TargetPlaces};
use crate::surrounds::Surrounds;
use crate::witness::Witness;
use fathom_job::direction::Direction;
use fathom_results::self_check::NoWitness;
use fathom_results::{JobsPart, RunResult};
use std::rc::Rc;

/// A run that is to be judged.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// What was measured.
    pub run: &'a RunResult,
    /// Where it was measured.
    pub surrounds: &'a Surrounds,
    /// The jobs, clones added up.
    pub cells: Vec<Cell<'a>>,
    /// The kernel's counts against ours, disk by disk, where they can be
    /// compared.
    pub witnesses: Vec<Witness>,
    /// Why the counts of some disks cannot be compared.
    pub no_witness: Option<NoWitness>,
    /// What the targets lie on.
    pub places: Rc<TargetPlaces<'a>>,
}

impl<'a> Case<'a> {
    /// Prepares a run for judgement.
    pub fn new(run: &'a RunResult, surrounds: &'a Surrounds) -> Self {
        let cells = Cell::all(run);
        let (witnesses, no_witness) = Witness::call(run, surrounds, &cells);
        let places = Rc::new(TargetPlaces::of(run, surrounds, &cells));
        Case { run, surrounds, cells, witnesses, no_witness, places }
    }

    /// The same with one cell alone: what the kernel counted is that of all jobs on its disks.
    pub fn with_only(&self, cell: &Cell<'a>) -> Self {
        Case {
            cells: vec![cell.clone()],
            witnesses: self.witnesses.iter().filter(|witness| witness.is_of(cell)).cloned().collect(),
            no_witness: self.no_witness.clone(),
            places: Rc::clone(&self.places),
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

    /// What the targets of its cells lie on.
    pub fn places(&self) -> impl Iterator<Item = &TargetPlace<'a>> {
        self.cells.iter().flat_map(|cell| self.places.of_cell(cell))
    }

    /// The jobs of which this holds, where others measured something too. `None` where it holds for all.
    pub fn part(&self, holds: impl Fn(&Cell<'a>) -> bool) -> Option<JobsPart> {
        let busy = || self.cells.iter().filter(|cell| cell.ios() > 0);
        let names: Vec<String> =
            busy().filter(|cell| holds(cell)).map(|cell| cell.name().to_owned()).collect();
        let of = busy().count();
        (!names.is_empty() && names.len() < of).then_some(JobsPart { names, of: of as u64 })
    }

    /// Does any cell reach a disk?
    pub fn reaches_disk(&self) -> bool {
        self.on_disk().next().is_some()
    }

    /// Do all cells on a disk go past the page cache?
    pub fn is_direct(&self) -> bool {
        self.reaches_disk() && self.on_disk().all(|cell| cell.is_direct())
    }

    /// The value of a fact about the host.
    pub fn fact(&self, name: &str) -> Option<&'a str> {
        self.run.record.fact(name)
    }

    /// The value of a fact about the first target of its cells that has it: `model`.
    pub fn target_fact(&self, name: &str) -> Option<&'a str> {
        let own = self.places().find_map(|place| self.fact(&format!("target.{}.{name}", place.path)));
        let is_it = |full: &str| full.starts_with("target.") && full.rsplit('.').next() == Some(name);
        let mut known = self.run.record.host.iter().filter(|fact| is_it(&fact.name));
        own.or_else(|| known.find_map(|fact| fact.value.as_deref()).filter(|_| self.places.is_one))
    }

    /// What probing a cell's first target found: `nowait`, `completes_inline`. The answer depends
    /// on how the target is opened (direct or buffered).
    pub fn probed(&self, cell: &Cell<'_>, what: &str) -> Option<&'a str> {
        let path = &cell.planned().files.first()?.path;
        let mode = if cell.is_direct() { "direct" } else { "buffered" };
        self.fact(&format!("target.{path}.probe.{mode}.{what}"))
    }

    /// Is I/O of this cell complete when the call that submits it returns? It is if a probe through
    /// a ring saw it, and the disk did not have the I/O for longer than the worker ran (a write that extends a file waits for
    /// the disk in that call; a probe reads); or if the target is memory and the engine is not a ring (a ring hands such I/O
    /// over to kernel threads); or if the I/Os go one at a time and the worker never slept.
    pub fn completes_inline(&self, cell: &Cell<'_>) -> bool {
        let hands_over = cell.planned().engine_def().is_some_and(|engine| engine.hands_over_what_blocks);
        let is_probed = self.probed(cell, "completes_inline") == Some("true") && self.in_disk(cell).is_none();
        let is_inline = is_probed || (!hands_over && self.is_memory_of(cell)) || cell.never_sleeps_alone();
        // An operation on a name is work of the kernel, and copies nothing.
        is_inline && !cell.planned().is_of_names()
    }

    /// I/Os of this cell in the disk on average, where the disk had them for longer than the worker ran.
    pub fn in_disk(&self, cell: &Cell<'_>) -> Option<f64> {
        in_disk(self.run, &self.witnesses, cell)
    }

    /// Kernel names of the disks under the targets, the top one first.
    pub fn disks(&self) -> impl Iterator<Item = &'a str> {
        self.places().flat_map(|place| place.disks.iter().copied())
    }

    /// Is a target of this job made of memory: tmpfs, zram, brd?
    pub fn is_memory_of(&self, cell: &Cell<'_>) -> bool {
        self.places.of_cell(cell).iter().any(TargetPlace::is_memory)
    }

    /// The hypervisor below this machine: its name, or what it calls the machine; `None` where
    /// there is no sign of one.
    pub fn hypervisor(&self) -> Option<&'a str> {
        let flagged = || self.fact("hypervisor_flag").filter(|flag| *flag == "true");
        let name = || self.fact("system_product").or(Some("a hypervisor"));
        self.surrounds.hypervisor.as_deref().or_else(|| flagged().and_then(|_| name()))
    }
}
