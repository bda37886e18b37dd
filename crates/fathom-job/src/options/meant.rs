//! Names that people write for an option that has another one, and options of engines that fathom does not have.

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

/// fio's engines that fathom does not have, with options that only they have (fio 3.33, `fio --enghelp=ENGINE`).
const ENGINES: &[(&str, &[&str])] = &[
    ("rbd", &["clustername", "rbdname", "clientname", "pool"]),
    ("rados", &["conf", "touch_objects"]),
    (
        "http",
        &[
            "https",
            "http_host",
            "http_user",
            "http_pass",
            "http_s3_key",
            "http_s3_keyid",
            "http_s3_region",
            "http_swift_auth_token",
            "http_mode",
            "http_verbose",
            "http_s3_sse_customer_key",
            "http_s3_storage_class",
        ],
    ),
    ("libhdfs", &["namenode", "hostname", "chunk_size", "single_instance", "hdfs_use_direct"]),
    (
        "net",
        &[
            "port",
            "protocol",
            "proto",
            "nodelay",
            "listen",
            "pingpong",
            "window_size",
            "mss",
            "interface",
            "ttl",
        ],
    ),
    ("e4defrag", &["donorname", "inplace"]),
    ("gfapi", &["volume", "brick"]),
    ("mtd", &["skip_bad"]),
    ("nbd", &["uri"]),
    ("nfs", &["nfs_url"]),
    ("dfs", &["cont", "object_class", "svcl"]),
    ("rdma", &["bindname", "verb"]),
];

/// The option that is meant by a word which is none.
pub fn meant(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    MEANT.iter().find(|(typed, _)| *typed == name).map(|(_, option)| *option)
}

/// The engine of fio that has this option, where fathom has neither.
pub fn foreign_engine(name: &str) -> Option<&'static str> {
    ENGINES.iter().find(|(_, options)| options.contains(&name)).map(|(engine, _)| *engine)
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
        for option in ENGINES.iter().flat_map(|(_, options)| *options) {
            assert!(find(option).is_none(), "{option}");
        }
    }
}
