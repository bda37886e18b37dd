//! Sizes on the command line.

use crate::failure::{Exit, Failure};
use fathom_job::options;
use fathom_job::parse::{self, Adjust};
use fathom_job::units::Bytes;
use fathom_job::value::Size;
use fathom_session::Here;

/// A size as a job file spells it. `option` is the command with the option, such as `fathom quick --size`.
pub fn size_of(option: &str, text: &str, here: &Here) -> Result<Bytes, Failure> {
    let set = vec![("size".to_owned(), text.to_owned())];
    let adjust = Adjust { set, ..Adjust::default() };
    let jobs = parse::load_text("--size", "[size]\n", &adjust, here).ok();
    match jobs.and_then(|set| set.jobs.first().and_then(|job| job.get(&options::SIZE))) {
        Some(Size::Bytes(size)) => Ok(size),
        _ => {
            let name = option.split(' ').next_back().unwrap_or_default();
            let message = format!("{name} {text}: give a size such as 512m or 1g");
            let proposed = without_point(text);
            Err(Failure::new(Exit::Usage, message)
                .hint(format!("{option} {}", proposed.as_deref().unwrap_or("1g"))))
        }
    }
}

/// A size with a decimal point in whole MiB: `1536m` for `1.5g`.
fn without_point(text: &str) -> Option<String> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let mebibytes = match text[unit..].to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "m" => 1.0,
        "g" => 1024.0,
        "t" => 1_048_576.0,
        _ => return None,
    };
    let size = (text[..unit].parse::<f64>().ok()? * mebibytes).round();
    (1.0..1e12).contains(&size).then(|| format!("{size}m"))
}

#[cfg(test)]
mod tests {
    use super::without_point;

    #[test]
    fn a_size_with_a_point_is_proposed_without_one() {
        for (text, told) in [
            ("1.5g", Some("1536m")),
            ("0.5GiB", Some("512m")),
            ("2.25t", Some("2359296m")),
            ("1.5", None),
            ("x", None),
            ("0.1m", None),
        ] {
            assert_eq!(without_point(text).as_deref(), told, "{text}");
        }
    }
}
