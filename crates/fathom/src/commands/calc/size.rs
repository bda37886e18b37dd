//! Sizes as labels and job files write them.

/// `16TB`, `640GB`: powers of ten, as on a label. `14901G`, `14901GiB`: powers
/// of two, as in a job file. Without a unit: bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_lowercase();
    let step = |base: u64, prefix: &str| {
        let power = ["", "k", "m", "g", "t", "p"].iter().position(|p| *p == prefix)?;
        base.checked_pow(u32::try_from(power).ok()?)
    };
    let factor = match unit.strip_suffix("ib").or(unit.strip_suffix('b').is_none().then_some(unit.as_str())) {
        Some(prefix) => step(1024, prefix),
        None => step(1000, unit.trim_end_matches('b')),
    };
    let value: Option<f64> = digits.parse().ok().filter(|value: &f64| *value >= 0.0);
    let bytes = value.zip(factor).map(|(value, factor)| value * factor as f64);
    let bytes = bytes.filter(|bytes| *bytes < u64::MAX as f64);
    bytes
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "give a size such as 16TB, 640GB, 14901G or 14901GiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn labels_count_in_tens_and_job_files_in_twos() {
        let table = [
            ("16TB", 16_000_000_000_000),
            ("640GB", 640_000_000_000),
            ("1G", 1 << 30),
            ("1GiB", 1 << 30),
            ("1.5k", 1536),
            ("512", 512),
            ("512b", 512),
        ];
        for (text, bytes) in table {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "GB", "1XB", "-1G", "1e300TB", "1 G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
