//! Reads of a file that holds no data in places: holes, and extents that were reserved and never written. The file
//! system answers them with zeros, and the disk has nothing to do (the same as contract V-23 for a device).

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::plan::TargetKind;

pub(super) const RULE: LintRule = LintRule { code: "unwritten-file", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let file = input.file(TargetKind::File).filter(|_| input.first.uses(Direction::Read))?;
    let empty = file.without_data.filter(|bytes| bytes.0 > 0 && !input.filled.holds(file))?;
    let length = file.length.unwrap_or(file.size);
    let message = format!(
        "job {} reads {}: {empty} of its {length} hold no data, and reads of those are answered with zeros, without \
         the disk",
        input.first.name, file.path
    );
    Some(
        note(input, &RULE, &options::RW, message).hint(
            "write the file once before: a job with rw=write and bs=1m of the whole size before this one",
        ),
    )
}
