//! Options of the `oracle` engine: how long its I/Os take.

use crate::option::{Kind, OptionDef};
use crate::table;

const BASE: OptionDef = OptionDef { engines: &["oracle"], source: "fathom", ..OptionDef::BASE };

table! {
    ORACLE_LATENCY: String = OptionDef {
        name: "oracle_latency", default: "constant:100us",
        help: "how long I/Os take: constant:100us, bimodal:80us:2ms:1% (one in a hundred takes 2ms), \
            pareto:50us:1.5 (smallest and shape), lognormal:80us:0.5 (median and sigma), queue:50us (one \
            after the other, 50us each)",
        ..BASE
    };
    ORACLE_STALL: Option<String> = BASE.row("oracle_stall",
        "START:LENGTH, counted from the first I/O: no I/O completes in that span; at its end, all \
            that are due complete");
    ORACLE_CLOCK: &'static str = OptionDef {
        name: "oracle_clock", kind: Kind::Word(&[("real", "real"), ("virtual", "virtual")]), default: "real",
        help: "virtual: the clock of the run is simulated and advances only while its jobs wait, so that every \
            figure is known in advance, and a second run gives the same result; hours take seconds. All \
            jobs of a run need it, or none",
        ..BASE
    };
}
