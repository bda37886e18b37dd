//! Which values a setting takes, where the kernel tells it in a file beside it.

use super::codec::Codec;
use super::place::RelativePlace;
use super::setting::Setting;
use fathom_device::root::Root;

/// The values in words, such as `1023 at most`; `None` where no file tells them.
pub fn takes(root: &Root, setting: &Setting) -> Option<String> {
    let RelativePlace::File(file) = &setting.at else { return None };
    let beside = |file: &str, codec: Codec| {
        let place = setting.place_of(root, &RelativePlace::File(file.into())).ok()?;
        codec.typed(&place.read(root).ok()?)
    };
    match file.to_str()? {
        "queue/nr_requests" => {
            let tags = beside("mq/0/nr_tags", Codec::Number)?;
            let scheduler = beside("queue/scheduler", Codec::Selected)?;
            // With a scheduler the limit is a constant of the kernel, which no file tells.
            let said = format!("{tags} at most without a scheduler, the number of the driver's tags");
            (scheduler == "none").then_some(said)
        }
        "queue/max_sectors_kb" => Some(format!(
            "{} at most (queue/max_hw_sectors_kb)",
            beside("queue/max_hw_sectors_kb", Codec::Number)?
        )),
        "queue/scheduler" => {
            let offered = setting.read(root).ok()?.raw;
            let words: Vec<&str> =
                offered.split_whitespace().map(|word| word.trim_matches(['[', ']'])).collect();
            Some(words.join(", "))
        }
        _ => None,
    }
}
