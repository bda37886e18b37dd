//! The end of a region in which no whole block fits: it is never touched.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::units::Bytes;

pub(super) const RULE: LintRule = LintRule { code: "region-rest", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let files = input.first.files.iter();
    let rest_of = |file: &crate::plan::PlannedFile| {
        file.needs.0.saturating_sub(file.offset.0.saturating_add(file.size.0))
    };
    let (file, rest) = files.map(|file| (file, rest_of(file))).find(|(_, rest)| *rest > 0)?;
    let block = input.first.block_min();
    let where_ = if file.path.is_empty() { "the region".to_owned() } else { file.path.clone() };
    let message = format!(
        "job {}: the last {rest} bytes of {where_} from byte {} on are not touched: no block of {} bytes fits there",
        input.first.name,
        file.offset.0.saturating_add(file.size.0),
        block.0
    );
    let whole = Bytes(file.size.0);
    Some(
        note(input, &RULE, &options::SIZE, message)
            .hint(format!("size={} is {whole}, in whole blocks", whole.0)),
    )
}
