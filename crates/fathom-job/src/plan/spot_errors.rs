//! The errors of a region, with the numbers that cause them.

use super::notes::{self, Checked};
use super::spot::Spot;
use super::target::TargetKind;
use crate::diagnostic::Diagnostic;
use crate::option::Key;
use crate::options;
use crate::value::Size;

/// No drive has smaller blocks, so a smaller one is no advice.
const BLOCK_LEAST: u64 = 512;

impl Spot<'_> {
    pub(super) fn holds_a_block(&self, offset: u64, size: u64, asked: u64) -> Checked<()> {
        let block = self.planned.block_max();
        if size >= block.0 {
            return Ok(());
        }
        let option = super::blocks::option_in_force(&self.planned.job);
        let message = format!(
            "job {}: {option} of {} bytes does not fit in the {asked} bytes of {} from offset \
             {offset}{}",
            self.planned.name,
            block.0,
            self.name(),
            self.share_of_the_whole()
        );
        Err(self.error(&options::SIZE, "target-small", &message).hint(match asked {
            asked if asked < BLOCK_LEAST => "a larger size, or an offset further from the end".to_owned(),
            _ => format!("a larger size, or {option} of at most {asked} bytes"),
        }))
    }

    /// What the size is a percentage of, where it is one.
    fn share_of_the_whole(&self) -> String {
        match (self.planned.job.get(&options::SIZE), self.length) {
            (Some(Size::Percent(percent)), Some(length)) if percent < 100 => {
                format!(" ({percent} % of {length} bytes)")
            }
            _ => String::new(),
        }
    }

    pub(super) fn name(&self) -> &str {
        if self.target.path.is_empty() { "the null target" } else { &self.target.path }
    }

    pub(super) fn error<T>(&self, key: &Key<T>, code: &str, message: &str) -> Diagnostic {
        notes::error(&self.planned.job, key, code, message)
    }

    pub(super) fn size_needed(&self) -> Diagnostic {
        if self.target.facts.kind == TargetKind::Block && self.length == Some(0) {
            let message = format!("job {} cannot use {}: it has size 0", self.planned.name, self.name());
            let hint = "the drive has no medium, or nothing is attached to the device yet";
            return self.error(&options::FILENAME, "target-empty", &message).hint(hint);
        }
        let why = match self.target.facts.kind {
            TargetKind::Missing => "it does not exist yet",
            TargetKind::None => "the engine has no target whose size could be used",
            TargetKind::Char => "it has no end",
            _ if self.length == Some(0) => "it is empty",
            _ => "its size could not be read",
        };
        let message = format!("job {} needs size= for {}: {why}", self.planned.name, self.name());
        self.error(&options::SIZE, "size-needed", &message).hint("size=1g, for example")
    }

    /// A percentage of a file that does not exist yet.
    pub(super) fn of_nothing(&self, key: &Key<Size>, percent: u8) -> Diagnostic {
        let name = key.def.name;
        let message = format!(
            "job {}: {name}={percent}% is a share of a file that does not exist yet, so it is 0 bytes, as in fio",
            self.planned.name
        );
        notes::warning(&self.planned.job, key, "percent-of-nothing", message)
            .hint(format!("give {name} in bytes"))
    }

    pub(super) fn beyond_end(&self, offset: u64, length: u64) -> Diagnostic {
        let message = format!(
            "clone {} of job {} would begin at byte {offset}, but {} has {length} bytes",
            self.planned.subjob,
            self.planned.name,
            self.name()
        );
        let option = if self.planned.subjob > 0 { &options::OFFSET_INCREMENT } else { &options::OFFSET };
        self.error(option, "target-small", &message).hint(format!("a smaller {}", option.def.name))
    }

    pub(super) fn clipped(&self, offset: u64, share: u64, room: u64) -> Diagnostic {
        let message = format!(
            "{} ends before the size asked: {share} bytes from offset {offset} are cut to {room}",
            self.name()
        );
        notes::warning(&self.planned.job, &options::SIZE, "size-clipped", message)
            .hint("size=100% for the whole device")
    }
}
