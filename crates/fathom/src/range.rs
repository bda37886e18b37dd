//! The range of a target that a procedure writes as a whole, as `--offset` and `--size` have it, and its blocks.

use crate::aim::Aim;
use crate::failure::{Exit, Failure};
use fathom_job::units::Bytes;
use fathom_text::shown;
use std::path::Path;

/// A range of a target.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    /// The device or file.
    pub target: &'a Path,
    /// First byte.
    pub offset: Bytes,
    /// Length.
    pub size: Bytes,
    /// Was the length given? Otherwise it is what the target has.
    pub is_size_given: bool,
}

impl Range<'_> {
    /// The block of an option, if the range can be made of it.
    ///
    /// # Errors
    /// It is longer than the range, or not made of whole sectors.
    pub fn block(&self, option: &str, block: Bytes, aim: &Aim) -> Result<Bytes, Failure> {
        let sector = aim.sector.unwrap_or(Bytes(1));
        let message = match block {
            _ if block > self.size => format!("--{option} {block}: the range has only {}", self.size),
            Bytes(0) => format!("--{option} 0: give a size such as 4k"),
            _ if !block.0.is_multiple_of(sector.0) => {
                format!("--{option} {block}: it must be a multiple of {sector}")
            }
            _ => return Ok(block),
        };
        Err(Failure::new(Exit::Usage, message))
    }

    /// The range must lie in the target, and be made of whole sectors.
    ///
    /// # Errors
    /// It does not, or the file system has no room for it.
    pub fn fits(&self, aim: &Aim) -> Result<(), Failure> {
        let Range { target, offset, size, is_size_given } = *self;
        let name = shown::path(target);
        let wrong = |message: String| Err(Failure::new(Exit::Usage, message));
        let is_new = aim.size.0 == 0;
        let end = offset.0.checked_add(size.0);
        match aim.sector {
            _ if is_new && !is_size_given => {
                wrong(format!("{name} does not exist, so --size must say how large it is to be"))
            }
            _ if size.0 == 0 && is_size_given => wrong("--size 0: give the length of the range".to_owned()),
            _ if size.0 == 0 => {
                wrong(format!("{name} has {}, so nothing is left after --offset {offset}", aim.size))
            }
            _ if !is_new && end.is_none_or(|end| end > aim.size.0) => {
                wrong(format!("{name} has {}, and the range ends beyond that", aim.size))
            }
            _ if aim.free.is_some_and(|free| end.unwrap_or(u64::MAX).saturating_sub(aim.size.0) > free.0) => {
                let free = aim.free.unwrap_or(Bytes(0));
                wrong(format!("{name} would become {size} large, and only {free} are free there"))
            }
            Some(sector) if !(offset.0 | size.0).is_multiple_of(sector.0) => {
                wrong(format!("--offset and --size must be multiples of {sector}, the block of {name}"))
            }
            _ => Ok(()),
        }
    }
}
