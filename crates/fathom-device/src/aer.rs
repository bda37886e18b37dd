//! The counters of errors that a PCI function reports (AER).

/// The number of all errors in the text of a file such as `aer_dev_correctable`: its line `TOTAL_ERR_… N`.
pub fn total(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("TOTAL_ERR"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn the_total_is_the_last_line() {
        assert_eq!(total("RxErr 3\nBadTLP 1\nTOTAL_ERR_COR 4"), Some(4));
        assert_eq!(total("RxErr 3"), None);
        assert_eq!(total("TOTAL_ERR_COR many"), None);
    }
}
