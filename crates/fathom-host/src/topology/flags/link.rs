//! Links that run below what they could (V-78), and slots that are slower than
//! the device in them.
//!
//! Only the lower end of a link is judged: a port that is faster than the
//! device below it is not a fault, and an empty port is not a fault either.

use super::{Sight, evidence, of_end};
use crate::topology::flag::{Flag, FlagId, FlagSeverity};
use crate::topology::function::Function;
use crate::topology::link::Link;

/// A flag for each link of which `is` is true.
fn each(
    sight: &Sight,
    is: fn(&Link) -> bool,
    flag: fn(&Sight, &Function, &Link) -> Option<Flag>,
) -> Vec<Flag> {
    let links = sight.links().filter_map(|function| Some((function, function.link.as_ref()?)));
    links.filter(|(_, link)| is(link)).filter_map(|(function, link)| flag(sight, function, link)).collect()
}

pub fn narrowed(sight: &Sight) -> Vec<Flag> {
    each(sight, Link::is_narrowed, narrowed_flag)
}

fn narrowed_flag(sight: &Sight, function: &Function, link: &Link) -> Option<Flag> {
    let (now, could) = (link.current.rate()?, link.capable?);
    let lost = if now.lanes * 2 == could.lanes {
        "width halved".to_owned()
    } else {
        format!("x{} of x{}", now.lanes, could.lanes)
    };
    Some(Flag {
        id: FlagId::DowngradedWidth,
        severity: FlagSeverity::Bad,
        node: function.address.to_string(),
        short: format!("{lost}: reseat"),
        explain: format!(
            "The link above {} trained {} lanes; both ends have {}. It carries {:.0} of {:.0} MB/s. Lanes are lost \
             because of dirt, a bad riser or a bad contact: reseat the device and the riser, then try another slot, \
             and check in the firmware settings how the slot is split.",
            sight.called(function),
            now.lanes,
            could.lanes,
            now.raw_mbps(),
            could.raw_mbps()
        ),
        evidence: [&link.current, &link.max, &link.partner_max].map(|end| evidence(&end.lanes)).to_vec(),
    })
}

pub fn slowed(sight: &Sight) -> Vec<Flag> {
    each(sight, Link::is_slowed, slowed_flag)
}

fn slowed_flag(sight: &Sight, function: &Function, link: &Link) -> Option<Flag> {
    let (now, could) = (link.current.rate()?, link.capable?);
    Some(Flag {
        id: FlagId::DowngradedSpeed,
        severity: FlagSeverity::Warn,
        node: function.address.to_string(),
        short: format!("{} of {}: check again under load", now.generation, could.generation),
        explain: format!(
            "The link above {} runs at {} GT/s; both ends support {}. Some links slow down while idle, so this matters \
             only if the link is still slow while the drive is busy. Then check the signal quality (riser, cable) and \
             the speed limit in the firmware settings.",
            sight.called(function),
            now.generation.gigatransfers(),
            could.generation.gigatransfers()
        ),
        evidence: [&link.current, &link.max, &link.partner_max].map(|end| evidence(&end.speed)).to_vec(),
    })
}

pub fn slot_limited(sight: &Sight) -> Vec<Flag> {
    each(sight, Link::is_slot_limited, slot_flag)
}

fn slot_flag(sight: &Sight, function: &Function, link: &Link) -> Option<Flag> {
    let (own, slot, could) = (link.max.rate()?, link.partner_max.rate()?, link.capable?);
    Some(Flag {
        id: FlagId::SlotLimited,
        severity: FlagSeverity::Warn,
        node: function.address.to_string(),
        short: format!("slot is {slot}, device supports {own}"),
        explain: format!(
            "{} could use {own} but is below a port of {slot}, so at most {:.0} of its {:.0} MB/s are possible. Move \
             it to a slot with enough lanes: a slot may have fewer lanes than its size suggests.",
            sight.called(function),
            could.raw_mbps(),
            own.raw_mbps()
        ),
        evidence: [of_end(&link.max), of_end(&link.partner_max)].concat(),
    })
}
