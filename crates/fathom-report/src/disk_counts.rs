//! What the kernel counted on the disks, against what fathom did, in words.

use crate::number::{grouped, significant};

/// How the kernel's count of a direction relates to fathom's, which is the count for all disks
/// together: which disk of several an I/O went to is not recorded.
pub fn compared(kernel: u64, ours: u64, disks: usize) -> String {
    match (kernel, ours) {
        (1.., 1..) if disks > 1 => format!("fathom's {} went to {disks} disks", grouped(ours)),
        (0, 0) => "none".to_owned(),
        (_, 0) => "none of them fathom's".to_owned(),
        (kernel, ours) if kernel == ours => "exactly fathom's".to_owned(),
        (kernel, ours) => {
            let each = kernel as f64 / ours as f64;
            format!("{} for each of fathom's {}", significant(each, 3), grouped(ours))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_ratios() {
        // T-34: batches of 16 became one I/O each.
        assert_eq!(compared(767_604, 12_280_820, 1), "0.0625 for each of fathom's 12,280,820");
        assert_eq!(compared(3_000, 3_700, 2), "fathom's 3,700 went to 2 disks");
        assert_eq!(compared(71, 0, 1), "none of them fathom's");
        assert_eq!(compared(8, 8, 1), "exactly fathom's");
    }
}
