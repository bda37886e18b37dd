//! The classes into which fio sorts depths and batches.

/// fio's depth classes: 1, 2, 4, 8, 16, 32, ≥64.
pub fn depth_classes(exact: &[u64]) -> [u64; 7] {
    let mut classes = [0; 7];
    for (depth, n) in exact.iter().enumerate().skip(1) {
        classes[(depth.ilog2() as usize).min(6)] += n;
    }
    classes
}

/// fio's batch classes: 0, 1–4, 5–8, 9–16, 17–32, 33–64, >64.
#[inline]
pub fn batch_class(n: usize) -> usize {
    match n {
        0 => 0,
        1..=4 => 1,
        _ => ((n - 1).ilog2() as usize).min(6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_fio() {
        let cases = [
            (0, 0),
            (1, 1),
            (4, 1),
            (5, 2),
            (8, 2),
            (9, 3),
            (16, 3),
            (17, 4),
            (32, 4),
            (33, 5),
            (64, 5),
            (65, 6),
            (4096, 6),
        ];
        for (n, class) in cases {
            assert_eq!(batch_class(n), class, "{n}");
        }
        let mut exact = vec![0; 130];
        for depth in [1, 2, 3, 4, 31, 32, 63, 64, 129] {
            exact[depth] += 1;
        }
        assert_eq!(depth_classes(&exact), [1, 2, 1, 0, 1, 2, 2]);
    }
}
