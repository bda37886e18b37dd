//! The places that a worker has from the tables of its files, and the hook that gives them back.

use super::table::ZoneTable;
use super::target::ZoneTarget;
use super::zone::Terms;
use super::{SharedZones, locked};
use crate::desc::Desc;
use crate::hook::Hook;
use std::collections::VecDeque;

/// The zones of one file of a job.
pub struct FileZones {
    table: SharedZones,
    target: ZoneTarget,
    terms: Terms,
}

/// What a worker has placed and what of it is not complete. At the end of the worker it is given back.
pub struct Claims {
    files: Vec<FileZones>,
    /// Placed and not issued, the oldest first.
    made: VecDeque<Desc>,
    /// What each slot does.
    issued: Box<[Option<Desc>]>,
    in_flight: usize,
    is_writer: bool,
    /// Number of slots.
    depth: usize,
}

impl Claims {
    /// For a worker with so many slots.
    pub fn new(depth: u32, is_writer: bool) -> Claims {
        let depth = depth.max(1) as usize;
        Claims {
            files: Vec::new(),
            made: VecDeque::with_capacity(depth),
            issued: vec![None; depth].into(),
            in_flight: 0,
            is_writer,
            depth,
        }
    }

    /// Adds the zones of the next file.
    pub fn add_file(&mut self, table: SharedZones, target: ZoneTarget, terms: Terms) {
        if self.is_writer {
            locked(&table).enter(&terms);
        }
        self.files.push(FileZones { table, target, terms });
    }

    /// How many more I/Os have a slot.
    pub fn room(&self) -> usize {
        self.depth.saturating_sub(self.in_flight + self.made.len())
    }

    /// The job writes.
    pub fn is_writer(&self) -> bool {
        self.is_writer
    }

    /// Zones that were reset for writes since the last call.
    pub fn take_resets(&mut self) -> u64 {
        self.files.iter_mut().map(|file| std::mem::take(&mut file.terms.resets)).sum()
    }

    /// The terms of a file.
    pub fn terms(&self, file: u32) -> &Terms {
        &self.files[file as usize].terms
    }

    /// Asks the table of a file.
    pub fn ask<R>(&mut self, file: u32, ask: impl FnOnce(&mut ZoneTable, &mut Terms, &ZoneTarget) -> R) -> R {
        let FileZones { table, target, terms } = &mut self.files[file as usize];
        ask(&mut locked(table), terms, target)
    }

    /// An I/O was placed.
    pub fn claim(&mut self, desc: Desc) {
        self.made.push_back(desc);
    }
}

impl Hook for Claims {
    fn issue(&mut self, slot: u32, desc: &Desc, _data: &mut [u8]) {
        if desc.op().direction().is_none() {
            return;
        }
        if let Some(at) = self.made.iter().position(|made| made == desc) {
            self.made.remove(at);
        }
        self.issued[slot as usize] = Some(*desc);
        self.in_flight += 1;
    }

    fn complete(&mut self, slot: u32, desc: &Desc, result: i32, _data: &mut [u8]) {
        if self.issued[slot as usize].take().is_none() {
            return;
        }
        self.in_flight -= 1;
        let desc = *desc;
        let result = if desc.is_transfer() || result < 0 { result } else { 0 };
        self.ask(desc.file(), |table, terms, target| table.complete(&desc, result, terms, target));
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        while let Some(desc) = self.made.pop_back() {
            self.ask(desc.file(), |table, _, target| table.take_back(&desc, target));
        }
        for slot in 0..self.issued.len() {
            if let Some(desc) = self.issued[slot].take() {
                self.ask(desc.file(), |table, _, _| table.lose(&desc));
            }
        }
        if self.is_writer {
            self.files.iter().for_each(|file| locked(&file.table).leave(file.terms.job));
        }
    }
}
