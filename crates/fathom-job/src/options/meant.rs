//! Names that people write for an option that has another one.

/// Words that are no option of fio, and the option that is meant.
const MEANT: &[(&str, &str)] = &[
    ("read_bw_log", "write_bw_log"),
    ("read_iops_log", "write_iops_log"),
    ("read_lat_log", "write_lat_log"),
    ("write_clat_log", "write_lat_log"),
    ("write_slat_log", "write_lat_log"),
    ("bw_log", "write_bw_log"),
    ("iops_log", "write_iops_log"),
    ("lat_log", "write_lat_log"),
    ("log_avg_ms", "log_avg_msec"),
    ("duration", "runtime"),
    ("time_limit", "runtime"),
    ("warmup", "ramp_time"),
    ("queue_depth", "iodepth"),
    ("queuedepth", "iodepth"),
    ("qdepth", "iodepth"),
    ("qd", "iodepth"),
    ("threads", "numjobs"),
    ("jobs", "numjobs"),
    ("pattern", "rw"),
    ("device", "filename"),
    ("file", "filename"),
    ("dir", "directory"),
    ("engine", "ioengine"),
    ("o_direct", "direct"),
    ("mixread", "rwmixread"),
    ("iops", "rate_iops"),
];

/// The option that is meant by a word which is none.
pub fn meant(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    MEANT.iter().find(|(typed, _)| *typed == name).map(|(_, option)| *option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::find;

    #[test]
    fn each_word_leads_to_an_option_and_is_none() {
        for (word, option) in MEANT {
            assert!(find(word).is_none(), "{word}");
            assert!(find(option).is_some(), "{option}");
        }
    }
}
