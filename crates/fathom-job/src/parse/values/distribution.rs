//! How offsets are spread: `zipf:1.2`, `normal:10:0.25`, `zoned:60/10:40/90`.

use super::{BadValue, Piece, Units, number, word, zones};
use crate::distribution::Distribution;

/// Reads a name with what it takes behind a colon.
pub(super) fn distribution(
    piece: Piece,
    units: Units,
    refused: &[(&str, &str)],
) -> Result<Distribution, BadValue> {
    let (head, rest) = piece.split_once(':').map_or((piece, None), |(head, rest)| (head, Some(rest)));
    match head.text {
        "zipf" => zipf(rest, units),
        "pareto" => pareto(rest, units),
        "normal" => normal(rest, units),
        "zoned" => zones::zones(rest, head, units, zones::share).map(Distribution::Zoned),
        "zoned_abs" => zones::zones(rest, head, units, zones::bytes).map(Distribution::Zoned),
        "random" if units.drops_rest => Ok(Distribution::Uniform),
        _ => word::word(piece, &Distribution::NAMES.map(|name| (name, name)), refused)
            .map(|_| Distribution::Uniform),
    }
}

/// The first number and the centre, each `None` where it is not given.
fn numbers<'a>(rest: Option<Piece<'a>>) -> Result<(Option<Piece<'a>>, Option<Piece<'a>>), BadValue> {
    let Some(rest) = rest else { return Ok((None, None)) };
    if let Some((_, behind)) = rest.split_once(',') {
        return Err(BadValue::new(
            "too-many-values",
            "only zones can differ between reads, writes and trims",
        )
        .at(behind)
        .hint("use a job of its own for each direction"));
    }
    if rest.split(':').any(|part| part.trim().text.is_empty()) {
        return Err(BadValue::new("missing-value", "a number is missing behind a colon"));
    }
    let mut parts = rest.split(':').map(Piece::trim);
    let (first, center) = (parts.next(), parts.next());
    match parts.next() {
        Some(third) => Err(BadValue::new("too-many-values", "more than a number and a centre").at(third)),
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
        return Err(BadValue::new("out-of-range", "theta of zipf is negative").at(piece).hint(
            "zipf:0 is uniform, zipf:1.2 a strong skew; fio takes a negative theta without a meaning for it",
        ));
    }
    let theta = number::float(piece, units, 0.0, f64::MAX)?;
    if theta == 1.0 {
        return Err(BadValue::new("out-of-range", "theta of zipf must not be 1, as in fio")
            .at(piece)
            .hint("zipf:0.9999 or zipf:1.0001: their shares differ from it by less than 1 %"));
    }
    Ok(theta)
}

fn pareto(rest: Option<Piece>, units: Units) -> Result<Distribution, BadValue> {
    let (given, center) = numbers(rest)?;
    let h = given.map_or(Ok(Distribution::H), |piece| {
        let h = number::float(unsigned(piece, "h of pareto")?, units, 0.0, f64::MAX)?;
        Some(h).filter(|h| *h > 0.0 && *h < 1.0).ok_or_else(|| {
            BadValue::new("out-of-range", format!("h of pareto is {h}, and must be between 0 and 1"))
                .at(piece)
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
        BadValue::new("out-of-range", message).at(piece).hint("normal:10, for example")
    })
}

fn unsigned<'a>(piece: Piece<'a>, what: &str) -> Result<Piece<'a>, BadValue> {
    if piece.text.starts_with('-') {
        return Err(BadValue::new("out-of-range", format!("{what} is negative")).at(piece));
    }
    Ok(piece)
}

fn center(piece: Piece, units: Units) -> Result<f64, BadValue> {
    let center = number::float(unsigned(piece, "the centre")?, units, 0.0, f64::MAX)?;
    Some(center).filter(|center| *center <= 1.0).ok_or_else(|| {
        BadValue::new("out-of-range", format!("the centre is {center}, and must be between 0 and 1"))
            .at(piece)
            .hint("0 is the start of the region, 0.5 its middle, 1 its end")
    })
}
