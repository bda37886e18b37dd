//! How many targets a suite takes: `1`, `2..8`, `2..`.

use serde::Deserialize;

/// How many targets a suite takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct DeviceCount {
    /// The fewest.
    pub least: usize,
    /// The most.
    pub most: usize,
}

impl Default for DeviceCount {
    fn default() -> Self {
        DeviceCount { least: 1, most: 1 }
    }
}

/// More targets than this are a mistake.
const DEVICES_MAX: usize = 1_024;

impl TryFrom<String> for DeviceCount {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a number of targets; write \"1\", \"2..8\" or \"2..\"");
        let (least, most) = text.split_once("..").unwrap_or((&text, &text));
        let least = least.parse().map_err(|_| wrong())?;
        let most = if most.is_empty() { DEVICES_MAX } else { most.parse().map_err(|_| wrong())? };
        if least == 0 || most < least || most > DEVICES_MAX {
            Err(wrong())
        } else {
            Ok(DeviceCount { least, most })
        }
    }
}

impl DeviceCount {
    /// `1 target`, `2 to 8 targets`, `2 targets or more`.
    pub fn text(self) -> String {
        let many = |count: usize| fathom_text::words::counted(count, "target");
        match self {
            DeviceCount { least, most } if least == most => many(least),
            DeviceCount { least, most: DEVICES_MAX } => format!("{} or more", many(least)),
            DeviceCount { least, most } => format!("{least} to {}", many(most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_devices_are_told() {
        for (text, told) in [("1", "1 target"), ("2..8", "2 to 8 targets"), ("2..", "2 targets or more")] {
            assert_eq!(DeviceCount::try_from(text.to_owned()).unwrap().text(), told);
        }
    }
}
