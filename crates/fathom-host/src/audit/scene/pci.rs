//! The PCI tree, read once for all checks, because that takes dozens of files
//! for each function of the machine.

use std::collections::BTreeSet;

use super::{Disk, Scene};
use crate::topology::bus::Bus;
use crate::topology::settle::{Datasheet, settle};
use crate::topology::slot::SlotLabels;
use fathom_device::root::Unknown;

/// The tree and the names of slots.
#[derive(Debug)]
pub struct Pci {
    /// Every function, with the load that the scene's disks can put on its link.
    pub bus: Bus,
    /// Why the firmware's names of slots are not known, if they are not.
    pub slots_unknown: Option<Unknown>,
}

impl Scene<'_> {
    /// The PCI tree of the machine.
    pub fn pci(&self) -> Result<&Pci, Unknown> {
        self.pci.get_or_init(|| self.read_pci()).as_ref().map_err(Clone::clone)
    }

    fn read_pci(&self) -> Result<Pci, Unknown> {
        let slots = SlotLabels::read(self.root);
        let mut bus = Bus::read(self.root, &slots)?;
        let ends: BTreeSet<_> = self.disks.iter().flat_map(Disk::ends).collect();
        settle(&mut bus, &ends, &Datasheet::new());
        Ok(Pci { bus, slots_unknown: slots.unknown })
    }
}
