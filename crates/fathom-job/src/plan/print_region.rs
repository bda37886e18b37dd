//! The table of exact ranges: clones, bytes, LBAs, length, file.

use super::{PlannedFile, PlannedJob, TargetKind};
use fathom_text::cell;

/// Most rows shown; of more, the first and the last.
const ROWS_MAX: usize = 24;

/// Clones that touch the same region of the same file.
struct Row<'a> {
    first: u32,
    last: u32,
    file: &'a PlannedFile,
}

/// The target, when all clones share one.
pub(super) fn one_target(clones: &[PlannedJob]) -> Option<String> {
    let mut files = clones.iter().flat_map(|clone| &clone.files);
    let first = files.next()?;
    files.all(|file| file.path == first.path).then(|| describe(first))
}

/// Header and rows, aligned; the file only where there are several.
pub(super) fn region_rows(clones: &[PlannedJob]) -> Vec<String> {
    let rows = alike(clones);
    let mut header = vec!["clone", "bytes", "LBA", "size"];
    let several = one_target(clones).is_none();
    header.extend(several.then_some("target"));
    let mut cells = vec![header.into_iter().map(str::to_owned).collect()];
    let hidden = rows.len().saturating_sub(ROWS_MAX);
    for (index, row) in rows.iter().enumerate() {
        if hidden == 0 || index < ROWS_MAX - 1 || index + 1 == rows.len() {
            cells.push(cells_of(row, several));
        }
    }
    let mut lines = aligned(&cells);
    if hidden > 0 {
        let last = lines.len() - 1;
        lines.insert(last, format!("… {hidden} more …"));
    }
    lines
}

/// Consecutive clones with equal regions become one row.
fn alike(clones: &[PlannedJob]) -> Vec<Row<'_>> {
    let groups = clones.chunk_by(|a, b| a.files == b.files);
    let rows = groups.flat_map(|group| {
        let (first, last) = (group[0].subjob, group[group.len() - 1].subjob);
        group[0].files.iter().map(move |file| Row { first, last, file })
    });
    rows.collect()
}

fn cells_of(row: &Row<'_>, with_target: bool) -> Vec<String> {
    let file = row.file;
    let last = (file.offset.0 + file.size.0).saturating_sub(1);
    let clones =
        if row.first == row.last { row.first.to_string() } else { format!("{}-{}", row.first, row.last) };
    let from = (file.offset.0, file.offset.0 / file.lba.0);
    let mut cells = match file.is_until_full() {
        true => vec![clones, format!("{}-", from.0), format!("{}-", from.1), "all free space".to_owned()],
        false => {
            let lbas = format!("{}-{}", from.1, last / file.lba.0);
            vec![clones, format!("{}-{last}", from.0), lbas, file.size.to_string()]
        }
    };
    cells.extend(with_target.then(|| describe(file)));
    cells
}

fn describe(file: &PlannedFile) -> String {
    let length = file.length.map(|length| format!(", {length}")).unwrap_or_default();
    match file.kind {
        TargetKind::None => "none".to_owned(),
        TargetKind::Simulated => format!("{} (simulated drive{length})", file.path),
        TargetKind::Block => format!("{} (device{length}, {}-byte LBAs)", file.path, file.lba.0),
        TargetKind::Missing | TargetKind::Closed => format!("{} (to be created)", file.path),
        TargetKind::Char => format!("{} (character device)", file.path),
        TargetKind::File | TargetKind::Directory => format!("{} (file{length})", file.path),
    }
}

/// Pads every column to its widest cell.
fn aligned(cells: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| cells.iter().map(|row| cell::width(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..cells[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded: String =
            row.iter().zip(&widths).map(|(text, width)| cell::left(text, *width) + "  ").collect();
        padded.trim_end().to_owned()
    };
    cells.iter().map(line).collect()
}
