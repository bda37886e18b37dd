//! How offsets are spread: `zipf:1.2`, `normal:10:0.25`, `zoned:60/10:40/90`.

use super::{BadValue, Piece, Units, number, size, word};
use crate::direction::PerDirection;
use crate::distribution::{Distribution, Millionths, Zone, ZoneSize};
use crate::units::Bytes;

/// Reads a name with what it takes behind a colon.
pub(super) fn distribution(
    piece: Piece,
    units: Units,
    refused: &[(&str, &str)],
) -> Result<Distribution, BadValue> {
    let (head, rest) = piece.split_once(':').map_or((piece, None), |(head, rest)| (head, Some(rest)));
    if let Some(skew) = skew(head.text, rest, units) {
        return skew;
    }
    match head.text {
        "sequence" => sequence(rest, head, units).map(Distribution::Sequence),
        "zoned" => zones(rest, head, units, share).map(Distribution::Zoned),
        "zoned_abs" => zones(rest, head, units, bytes).map(Distribution::Zoned),
        "random" if units.drops_rest => Ok(Distribution::Uniform),
        _ => word::word(piece, &Distribution::NAMES.map(|name| (name, name)), refused)
            .map(|_| Distribution::Uniform),
    }
}

/// Reads what follows the name of a distribution of ranks; `None` for every other name.
pub(super) fn skew(name: &str, rest: Option<Piece>, units: Units) -> Option<Result<Distribution, BadValue>> {
    match name {
        "zipf" => Some(zipf(rest, units)),
        "pareto" => Some(pareto(rest, units)),
        "normal" => Some(normal(rest, units)),
        _ => None,
    }
}

/// The first number and the centre, each `None` where it is not given.
fn numbers<'a>(rest: Option<Piece<'a>>) -> Result<(Option<Piece<'a>>, Option<Piece<'a>>), BadValue> {
    let Some(rest) = rest else { return Ok((None, None)) };
    if let Some((_, behind)) = rest.split_once(',') {
        return Err(behind
            .bad("too-many-values", "only zones can differ between reads, writes and trims")
            .hint("use a job of its own for each direction"));
    }
    if rest.split(':').any(|part| part.trim().text.is_empty()) {
        return Err(BadValue::new("missing-value", "a number is missing behind a colon"));
    }
    let mut parts = rest.split(':').map(Piece::trim);
    let (first, center) = (parts.next(), parts.next());
    match parts.next() {
        Some(third) => Err(third.bad("too-many-values", "more than a number and a centre")),
        None => Ok((first, center)),
    }
}

fn zipf(rest: Option<Piece>, units: Units) -> Result<Distribution, BadValue> {
    let (given, center) = numbers(rest)?;
    let theta = given.map_or(Ok(Distribution::THETA), |piece| theta(piece, units))?;
    Ok(Distribution::Zipf { theta, center: center.map(|piece| self::center(piece, units)).transpose()? })
}

fn theta(piece: Piece, units: Units) -> Result<f64, BadValue> {
    if piece.text.starts_with('-') {
        return Err(piece.bad("out-of-range", "theta of zipf is negative").hint(
            "zipf:0 is uniform, zipf:1.2 a strong skew; fio takes a negative theta without a meaning for it",
        ));
    }
    let theta = number::float(piece, units, 0.0, f64::MAX)?;
    if theta == 1.0 {
        return Err(piece
            .bad("out-of-range", "theta of zipf must not be 1, as in fio")
            .hint("zipf:0.9999 or zipf:1.0001: their shares differ from it by less than 1 %"));
    }
    Ok(theta)
}

fn pareto(rest: Option<Piece>, units: Units) -> Result<Distribution, BadValue> {
    let (given, center) = numbers(rest)?;
    let h = given.map_or(Ok(Distribution::H), |piece| {
        let h = number::float(unsigned(piece, "h of pareto")?, units, 0.0, f64::MAX)?;
        Some(h).filter(|h| *h > 0.0 && *h < 1.0).ok_or_else(|| {
            piece
                .bad("out-of-range", format!("h of pareto is {h}, and must be between 0 and 1"))
                .hint("pareto:0.2 gives 80 % of the I/Os to 20 % of the blocks")
        })
    })?;
    Ok(Distribution::Pareto { h, center: center.map(|piece| self::center(piece, units)).transpose()? })
}

fn normal(rest: Option<Piece>, units: Units) -> Result<Distribution, BadValue> {
    let (given, center) = numbers(rest)?;
    let deviation = given.map(|piece| deviation(piece, units)).transpose()?;
    // fio takes 0 for its default.
    let deviation = deviation.filter(|percent| *percent > 0.0);
    let center = center.map_or(Ok(Distribution::CENTER), |piece| self::center(piece, units))?;
    Ok(Distribution::Normal { deviation, center })
}

fn deviation(piece: Piece, units: Units) -> Result<f64, BadValue> {
    let percent = number::float(unsigned(piece, "the deviation of normal")?, units, 0.0, f64::MAX)?;
    Some(percent).filter(|percent| *percent < 100.0).ok_or_else(|| {
        let message =
            format!("the deviation of normal is {percent} percent of the region, and must be below 100");
        piece.bad("out-of-range", message).hint("normal:10, for example")
    })
}

fn unsigned<'a>(piece: Piece<'a>, what: &str) -> Result<Piece<'a>, BadValue> {
    if piece.text.starts_with('-') {
        return Err(piece.bad("out-of-range", format!("{what} is negative")));
    }
    Ok(piece)
}

fn center(piece: Piece, units: Units) -> Result<f64, BadValue> {
    let center = number::float(unsigned(piece, "the centre")?, units, 0.0, f64::MAX)?;
    Some(center).filter(|center| *center <= 1.0).ok_or_else(|| {
        piece
            .bad("out-of-range", format!("the centre is {center}, and must be between 0 and 1"))
            .hint("0 is the start of the region, 0.5 its middle, 1 its end")
    })
}

/// Longer sequences are refused; they would not fit on a line of a job file.
const PLACES_MAX: usize = 8192;

/// Reads numbers of blocks, with commas between them.
fn sequence(rest: Option<Piece>, name: Piece, units: Units) -> Result<Vec<u64>, BadValue> {
    let Some(rest) = rest.filter(|rest| !rest.trim().text.is_empty()) else {
        return Err(name.bad("missing-value", "sequence needs its blocks").hint(
            "sequence:2,0,1 goes to the third block of the region, then to the first, then to the second",
        ));
    };
    let blocks = rest.split(',').map(|piece| number::int(piece.trim(), units, 0, i64::MAX).map(|n| n as u64));
    let blocks = blocks.collect::<Result<Vec<u64>, _>>()?;
    match blocks.len() {
        0..=PLACES_MAX => Ok(blocks),
        _ => Err(rest.bad("too-many-values", format!("more than {PLACES_MAX} blocks"))),
    }
}

/// fio has room for this many zones.
const ZONES_MAX: usize = 256;

/// Reads the length of a zone; `None` is one that was left out.
type Length = fn(Piece, Units) -> Result<Option<ZoneSize>, BadValue>;

/// A zone whose length may not be known yet.
type Part = (Millionths, Option<ZoneSize>);

/// Reads the zones behind the colon: for all directions, or for reads, writes and trims with commas
/// between them. Directions that are left out have those of the one before.
pub(super) fn zones(
    rest: Option<Piece>,
    name: Piece,
    units: Units,
    length: Length,
) -> Result<PerDirection<Vec<Zone>>, BadValue> {
    let rest = rest.filter(|rest| !rest.trim().text.is_empty()).ok_or_else(|| {
        let example = if name.text == "zoned" { "60/10:40/90" } else { "60/20g:40/100g" };
        name.bad("missing-value", format!("{} needs its zones", name.text))
            .hint(format!("{}:{example} is share of the I/Os/length of the zone:…", name.text))
    })?;
    let parts: Vec<Piece> = rest.split(',').map(Piece::trim).collect();
    if let Some(fourth) = parts.get(3) {
        return Err(BadValue::new("too-many-values", "more than reads, writes and trims").at(*fourth));
    }
    let lists = parts.iter().map(|part| list(*part, units, length)).collect::<Result<Vec<_>, _>>()?;
    let of = |index: usize| lists[index.min(lists.len() - 1)].clone();
    Ok(PerDirection { read: of(0), write: of(1), trim: of(2) })
}

fn list(piece: Piece, units: Units, length: Length) -> Result<Vec<Zone>, BadValue> {
    let parts =
        piece.split(':').map(|part| one(part.trim(), units, length)).collect::<Result<Vec<_>, _>>()?;
    if parts.len() > ZONES_MAX {
        return Err(piece.bad("out-of-range", format!("more than {ZONES_MAX} zones, as many as fio takes")));
    }
    let accesses: u64 = parts.iter().map(|(access, _)| u64::from(access.0)).sum();
    if accesses != u64::from(Millionths::ALL.0) {
        return Err(piece
            .bad("bad-zones", format!("the shares of the I/Os make {} percent, not 100", percent(accesses)))
            .hint("the first number of each zone is its share: 60/10:30/20:10/70"));
    }
    let zones = with_lengths(piece, &parts)?;
    match zones.iter().position(|zone| zone.access > Millionths(0) && has_no_room(zone)) {
        Some(index) => {
            let message =
                format!("zone {} has {} % of the I/Os and no room for them", index + 1, zones[index].access);
            Err(piece.bad("bad-zones", message).hint("a length above 0, or a share of 0"))
        }
        None => Ok(zones),
    }
}

fn has_no_room(zone: &Zone) -> bool {
    matches!(zone.size, ZoneSize::Part(Millionths(0)) | ZoneSize::Bytes(Bytes(0)))
}

/// Zones whose length was left out have equal parts of what the others leave, the last of them with the
/// rest of that division.
fn with_lengths(piece: Piece, parts: &[Part]) -> Result<Vec<Zone>, BadValue> {
    let given: u64 = parts.iter().map(|(_, size)| share_of(*size)).sum();
    let Some(left) = u64::from(Millionths::ALL.0).checked_sub(given) else {
        return Err(piece
            .bad(
                "bad-zones",
                format!("the lengths of the zones make {} percent, more than 100", percent(given)),
            )
            .hint("the second number of each zone is its length in percent of the region"));
    };
    let blanks = parts.iter().filter(|(_, size)| size.is_none()).count() as u64;
    let (each, mut rest) = (left.checked_div(blanks).unwrap_or(0), left.checked_rem(blanks).unwrap_or(0));
    let mut zones = Vec::with_capacity(parts.len());
    for (access, size) in parts.iter().rev() {
        let blank = || ZoneSize::Part(Millionths((each + std::mem::take(&mut rest)) as u32));
        zones.push(Zone { access: *access, size: size.unwrap_or_else(blank) });
    }
    zones.reverse();
    Ok(zones)
}

fn share_of(size: Option<ZoneSize>) -> u64 {
    match size {
        Some(ZoneSize::Part(share)) => share.0.into(),
        _ => 0,
    }
}

fn one(piece: Piece, units: Units, length: Length) -> Result<Part, BadValue> {
    let (access, size) = match piece.split_once('/') {
        Some((access, size)) => (access.trim(), size.trim()),
        None => (piece, piece.tail(piece.text.len())),
    };
    if access.text.is_empty() {
        return Err(BadValue::new("missing-value", "a zone needs its share of the I/Os")
            .hint("60/10:40/90, for example; a zone with a share of 0 is left out"));
    }
    let access = millionths(access).ok_or_else(|| not_a_share(access))?;
    Ok((access, length(size, units)?))
}

/// The length of a zone of `zoned`.
pub(super) fn share(piece: Piece, _: Units) -> Result<Option<ZoneSize>, BadValue> {
    if piece.text.is_empty() {
        return Ok(None);
    }
    let share = millionths(piece).ok_or_else(|| {
        let is_bytes = piece.text.ends_with(|c: char| c.is_ascii_alphabetic());
        not_a_share(piece).hint_if(is_bytes.then(|| "zoned_abs takes lengths in bytes".to_owned()))
    })?;
    Ok(Some(ZoneSize::Part(share)))
}

/// The length of a zone of `zoned_abs`.
pub(super) fn bytes(piece: Piece, units: Units) -> Result<Option<ZoneSize>, BadValue> {
    if piece.text.is_empty() {
        return Err(BadValue::new("missing-value", "a zone of zoned_abs needs its length")
            .hint("60/20g:40/100g, for example"));
    }
    if piece.text.ends_with('%') {
        return Err(piece
            .bad("bad-size", "zoned_abs takes bytes, not a percentage")
            .hint("zoned takes lengths in percent of the region"));
    }
    size::bytes(piece, units).map(|n| Some(ZoneSize::Bytes(Bytes(n))))
}

/// A percentage of 100 at most, with up to four decimals.
fn millionths(piece: Piece) -> Option<Millionths> {
    let text = piece.text.strip_suffix('%').unwrap_or(piece.text);
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number =
        !whole.is_empty() && [whole, decimals].iter().all(|s| s.bytes().all(|b| b.is_ascii_digit()));
    if !is_number || decimals.len() > 4 || (text.contains('.') && decimals.is_empty()) {
        return None;
    }
    let share = format!("{whole}{decimals:0<4}").parse().ok().map(Millionths)?;
    Some(share).filter(|share| *share <= Millionths::ALL)
}

fn not_a_share(piece: Piece) -> BadValue {
    piece.bad(
        "bad-zones",
        format!("`{}` is not a percentage from 0 to 100 with at most 4 decimals", piece.text),
    )
}

/// Millionths as percent, also more than the whole.
fn percent(millionths: u64) -> f64 {
    millionths as f64 / f64::from(Millionths::PERCENT)
}
