//! Only a part of the target was filled, and so measured.

use crate::case::Case;
use crate::cell::Cell;
use crate::taint::{Found, TaintRule};
use fathom_results::quick::FILL;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "part-measured", weight: Weight::Medium, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let all = Cell::all(case.run);
    let file = all.iter().find(|cell| cell.name() == FILL)?.planned().files.first()?;
    let length = file.length.filter(|length| *length > file.size)?;
    let (path, part_bytes, whole_bytes) = (file.path.clone(), file.size.0, length.0);
    Some(Found::new(Evidence::PartMeasured { path, part_bytes, whole_bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    #[test]
    fn the_part_is_told_with_the_whole() {
        let found = |size: &str| {
            let text = format!("[fill]\nioengine=psync\nfilename=/dev/sda\nsize={size}\nbs=1m\nrw=write\n");
            let scene = RunBuilder::text(&text).seconds(0, 1, &[DirectionLoad::writes(512, 1 << 20, 90_000)]);
            check(&Case::new(&scene.run(), &crate::fixture::surrounds())).map(|found| found.evidence())
        };
        assert_eq!(found("512m").as_deref(), Some("the first 512 MiB of the 1 GiB of /dev/sda"));
        assert_eq!(found("1g"), None);
    }
}
