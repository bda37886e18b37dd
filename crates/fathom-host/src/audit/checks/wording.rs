//! Sizes in a readable form.

/// `512 B`, `128 KiB`, `1 MiB`; above that rounded: `2048.0 GiB`.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 30 => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_whole_units() {
        let sizes = [512, 3584, 4096, 24 << 10, 1 << 20, 3 << 30].map(size);
        assert_eq!(sizes, ["512 B", "3584 B", "4 KiB", "24 KiB", "1 MiB", "3.0 GiB"]);
    }
}
