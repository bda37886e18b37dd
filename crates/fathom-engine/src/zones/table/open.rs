//! Which zones are open, and which more may be.

use super::{Terms, Zone, ZoneTable};

/// How many zones of a device may be partly written; 0 is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct ZoneLimits {
    /// Zones that are written in turn.
    pub open: u32,
    /// Those, and all others that are partly written.
    pub active: u32,
}

impl ZoneTable {
    /// Of the partly written zones that no job has opened, the first ones of the region stay open, as many as the job may have.
    /// (fio empties the others.)
    pub(super) fn make_room(&mut self, terms: &Terms) {
        if terms.open_max == 0 {
            return;
        }
        let in_use = |zone: &Zone| zone.opened_by.is_some() || zone.is_busy;
        let of_jobs = self.open.iter().filter(|open| in_use(&self.zones[**open])).count();
        let mut room = (terms.open_max as usize).saturating_sub(of_jobs);
        let (zones, closed) = (&mut self.zones, &mut self.closed);
        self.open.retain(|index| {
            let zone = &mut zones[*index];
            let is_in_use = in_use(zone);
            let stays = is_in_use || (room > 0 && terms.range.contains(index));
            if !stays {
                zone.is_open = false;
                *closed += 1;
            } else if !is_in_use {
                room -= 1;
            }
            stays
        });
    }

    /// A job that writes has ended.
    pub fn leave(&mut self, job: u32) {
        self.writers -= 1;
        for index in &self.open {
            let opened_by = &mut self.zones[*index].opened_by;
            *opened_by = opened_by.filter(|opener| *opener != job);
        }
    }

    pub(super) fn open(&mut self, index: usize, job: Option<u32>) {
        if !self.zones[index].is_open {
            self.closed -= usize::from(self.zones[index].is_closed());
            self.open.push(index);
            (self.zones[index].is_open, self.zones[index].opened_by) = (true, job);
        }
    }

    pub(super) fn close(&mut self, index: usize) {
        if self.zones[index].is_open {
            self.open.retain(|open| *open != index);
            (self.zones[index].is_open, self.zones[index].opened_by) = (false, None);
        }
    }

    pub(super) fn may_open(&self, index: usize, terms: &Terms) -> bool {
        if self.zones[index].is_open {
            return true;
        }
        let has_room = terms.open_max == 0 || self.open.len() < terms.open_max as usize;
        let most = self.limits.active as usize;
        let is_one_more = most > 0 && terms.open_max > 0 && !self.zones[index].is_closed();
        if is_one_more && self.open.len() + self.closed >= most {
            return false;
        }
        let own = || self.open.iter().filter(|open| self.zones[**open].opened_by == Some(terms.job)).count();
        has_room && (terms.own_open_max == 0 || own() < terms.own_open_max as usize)
    }
}
