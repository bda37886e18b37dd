//! The text form of a model: `[COUNTx]PRESET[/SCALE][,key=value…]`.
//!
//! ```text
//! datacentre/64,op=28
//! 4xdatacentre/64,raid=5,chunk=64k
//! ```
//!
//! Sizes and rates take k, m, g, t as powers of 1,024 and kB, MB, GB, TB as powers of 1,000; times take ns,
//! us, ms, s. Keys that belong to an array (`raid`, `chunk`, `failed`) are its own, and all others those of
//! each drive.

mod keys;
mod quantity;

use std::str::FromStr;

use super::{
    ArrayModel, DiskModel, DriveModel, FlashModel, Redundancy, ZonedModel, consumer, datacentre, disk, qlc,
    smr, thermal,
};
use crate::SimError;
use keys::{ARRAY_KEYS, DISK_KEYS, FLASH_KEYS, Key, ZONE_KEYS};

/// Names of the presets, for messages and completions.
pub const PRESETS: [&str; 6] = ["consumer", "datacentre", "qlc", "thermal", "disk", "smr"];

/// Drives that an array has at most.
const DRIVES_MAX: u32 = 1024;

/// Bytes on one drive before the next follows: md's default.
const CHUNK_BYTES: u64 = 512 << 10;

impl FromStr for DriveModel {
    type Err = SimError;

    fn from_str(text: &str) -> Result<Self, SimError> {
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default();
        let settings = parts.map(setting).collect::<Result<Vec<_>, _>>()?;
        for (index, (key, _)) in settings.iter().enumerate() {
            if settings[..index].iter().any(|(before, _)| before == key) {
                return Err(SimError::Contradiction { text: format!("{key} is given twice") });
            }
        }
        let (count, name) = counted(name)?;
        let (preset, scale) = scaled(name)?;
        let is_of_array = |key: &str| ARRAY_KEYS.iter().any(|known| known.name == key);
        let (of_array, of_drive): (Vec<_>, Vec<_>) =
            settings.into_iter().partition(|(key, _)| is_of_array(key));
        let drive = match preset {
            "disk" => Self::Disk(disk_model(scale, &of_drive)?),
            "smr" => Self::Zoned(zoned_model(scale, &of_drive)?),
            _ => Self::Flash(Box::new(flash_model(preset, scale, &of_drive)?)),
        };
        let model = match count {
            None if of_array.is_empty() => drive,
            None => {
                let text = format!("{} needs several drives, such as 4x{preset}", of_array[0].0);
                return Err(SimError::Contradiction { text });
            }
            Some(drives) => Self::Array(array_model(drives, drive, &of_array)?),
        };
        model.check()?;
        Ok(model)
    }
}

fn setting(part: &str) -> Result<(&str, &str), SimError> {
    part.split_once('=').ok_or_else(|| SimError::Value {
        key: part.to_owned(),
        given: String::new(),
        allowed: "key=value".to_owned(),
    })
}

/// `4xNAME` is 4 and NAME.
fn counted(name: &str) -> Result<(Option<u32>, &str), SimError> {
    let Some((count, rest)) = name.split_once('x').filter(|(count, _)| is_number(count)) else {
        return Ok((None, name));
    };
    let drives = count.parse().ok().filter(|drives| (1..=DRIVES_MAX).contains(drives));
    let wrong = || value("number of drives", count, "1 to 1024");
    Ok((Some(drives.ok_or_else(wrong)?), rest))
}

/// `NAME/64` is NAME and 64.
fn scaled(name: &str) -> Result<(&str, u32), SimError> {
    let Some((preset, scale)) = name.split_once('/') else { return Ok((name, 1)) };
    let parsed = scale.parse().ok().filter(|parsed| *parsed > 0 && is_number(scale));
    Ok((preset, parsed.ok_or_else(|| value("scale", scale, "a whole number from 1 on, as in /64"))?))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn flash_model(preset: &str, scale: u32, settings: &[(&str, &str)]) -> Result<FlashModel, SimError> {
    let model = match preset {
        "consumer" => consumer(),
        "datacentre" => datacentre(),
        "qlc" => qlc(),
        "thermal" => thermal(),
        _ => return Err(value("preset", preset, &PRESETS.join(", "))),
    };
    let mut model = FlashModel { scale, ..model };
    apply(&mut model, FLASH_KEYS, settings)?;
    Ok(model)
}

/// A smaller disk has fewer zones, and one in a hundred of them is conventional unless `conventional` says otherwise.
fn zoned_model(scale: u32, settings: &[(&str, &str)]) -> Result<ZonedModel, SimError> {
    let is_of_zones = |setting: &(&str, &str)| ZONE_KEYS.iter().any(|known| known.name == setting.0);
    let (of_zones, of_disk): (Vec<_>, Vec<_>) = settings.iter().copied().partition(is_of_zones);
    let disk = disk_model(scale, &of_disk)?;
    let mut zones = smr().zones;
    apply(&mut zones, ZONE_KEYS, &of_zones)?;
    if !of_zones.iter().any(|(key, _)| *key == "conventional") {
        zones.conventional = (disk.capacity_bytes / zones.zone_bytes.max(1) / 100) as u32;
    }
    Ok(ZonedModel { disk, zones })
}

fn disk_model(scale: u32, settings: &[(&str, &str)]) -> Result<DiskModel, SimError> {
    if scale != 1 {
        let text = "a disk has one arm, which cannot be divided, and takes no memory; size= makes it smaller"
            .to_owned();
        return Err(SimError::Contradiction { text });
    }
    let mut model = disk();
    apply(&mut model, DISK_KEYS, settings)?;
    Ok(model)
}

fn array_model(drives: u32, drive: DriveModel, settings: &[(&str, &str)]) -> Result<ArrayModel, SimError> {
    let mut model = ArrayModel {
        drives,
        drive: Box::new(drive),
        redundancy: Redundancy::Stripes,
        chunk_bytes: CHUNK_BYTES,
        failed: None,
    };
    apply(&mut model, ARRAY_KEYS, settings)?;
    Ok(model)
}

fn apply<M>(model: &mut M, keys: &[Key<M>], settings: &[(&str, &str)]) -> Result<(), SimError> {
    for &(name, given) in settings {
        let Some(key) = keys.iter().find(|key| key.name == name) else {
            let known: Vec<&str> = keys.iter().map(|key| key.name).collect();
            return Err(SimError::UnknownKey { key: name.to_owned(), known: known.join(", ") });
        };
        (key.set)(model, given).ok_or_else(|| value(name, given, key.allowed))?;
    }
    Ok(())
}

fn value(key: &str, given: &str, allowed: &str) -> SimError {
    SimError::Value { key: key.to_owned(), given: given.to_owned(), allowed: allowed.to_owned() }
}
