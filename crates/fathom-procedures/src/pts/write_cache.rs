//! The volatile write cache of the device: how it is, and how an edition of the standard asks it to be
//! (SNIA PTS 2.0.2: enterprise WCD, client WCE).

use fathom_results::answer::{CacheState, Deviation};
use std::convert::Infallible;
use std::str::FromStr;

/// How the write cache was when the tests began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteCache {
    /// It is on: what was not flushed is lost with the power.
    On,
    /// It is off, or the device has none.
    Off,
    /// A simulated drive has what its model says.
    OfModel,
    /// The device has one, and whether it is on could not be read.
    Unread,
    /// Nothing is known of it.
    Unknown,
}

impl WriteCache {
    const ALL: [WriteCache; 5] =
        [WriteCache::On, WriteCache::Off, WriteCache::OfModel, WriteCache::Unread, WriteCache::Unknown];

    /// In a few words, as it is saved.
    pub const fn text(self) -> &'static str {
        match self {
            WriteCache::On => "volatile, on (as it was)",
            WriteCache::Off => "none, or off (as it was)",
            WriteCache::OfModel => "a write buffer as the simulated model has it",
            WriteCache::Unread => "volatile; whether it is on could not be read",
            WriteCache::Unknown => "not known",
        }
    }

    /// What is not as the edition asks, which wants it on or off; `None` where it is as asked.
    pub fn deviation(self, wants_on: bool, setting: CacheSetting) -> Option<Deviation> {
        let is = match self {
            WriteCache::OfModel => return None,
            WriteCache::On if wants_on => return None,
            WriteCache::Off if !wants_on => return None,
            WriteCache::On => CacheState::On,
            WriteCache::Off => CacheState::Off,
            WriteCache::Unread | WriteCache::Unknown => CacheState::Unread,
        };
        let is_fixed = setting == CacheSetting::Impossible;
        (setting != CacheSetting::Set).then_some(Deviation::WriteCache { is, wants_on, is_fixed })
    }
}

impl FromStr for WriteCache {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let found = WriteCache::ALL.into_iter().find(|known| known.text() == text);
        Ok(found.unwrap_or(WriteCache::Unknown))
    }
}

/// What is done about the write cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheSetting {
    /// It stays as it is.
    #[default]
    Left,
    /// It is set before the first test, and put back at the end.
    Set,
    /// That was asked for, and the device does not offer it.
    Impossible,
}

impl CacheSetting {
    /// As it is saved.
    pub const fn name(self) -> &'static str {
        match self {
            CacheSetting::Left => "false",
            CacheSetting::Set => "true",
            CacheSetting::Impossible => "impossible",
        }
    }
}

impl FromStr for CacheSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [CacheSetting::Left, CacheSetting::Set, CacheSetting::Impossible];
        let found = all.into_iter().find(|known| known.name() == text);
        found.ok_or_else(|| format!("{text} is none of false, true and impossible"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pts::Edition;

    #[test]
    fn a_cache_that_is_not_as_the_edition_asks_is_declared() {
        use CacheSetting::{Impossible, Left, Set};
        let cases = [
            (WriteCache::On, Edition::Enterprise, Left, Some("is on; the standard asks for it off.")),
            (WriteCache::On, Edition::Enterprise, Set, None),
            (WriteCache::On, Edition::Enterprise, Impossible, Some("cannot set it in this device.")),
            (WriteCache::On, Edition::Client, Left, None),
            (WriteCache::Off, Edition::Enterprise, Impossible, None),
            (WriteCache::Off, Edition::Client, Left, Some("none; the standard asks for it on.")),
            (
                WriteCache::Unread,
                Edition::Client,
                Left,
                Some("could not be read; the standard asks for it on"),
            ),
            (
                WriteCache::Unknown,
                Edition::Tkperf,
                Left,
                Some("could not be read; the standard asks for it off"),
            ),
            (WriteCache::OfModel, Edition::Enterprise, Left, None),
        ];
        for (cache, edition, setting, expected) in cases {
            let deviation = cache.deviation(edition.wants_write_cache(), setting);
            let said = deviation.map(|it| fathom_words::deviation::sentence(&it));
            let is_so = match (&said, expected) {
                (Some(said), Some(expected)) => said.contains(expected),
                (said, expected) => said.is_none() && expected.is_none(),
            };
            assert!(is_so, "{cache:?} {edition:?} {setting:?}: {said:?}");
        }
    }

    #[test]
    fn what_is_saved_is_read_again() {
        for cache in WriteCache::ALL {
            assert_eq!(cache.text().parse(), Ok(cache));
        }
        assert_eq!("words of another version".parse(), Ok(WriteCache::Unknown));
        for setting in [CacheSetting::Left, CacheSetting::Set, CacheSetting::Impossible] {
            assert_eq!(setting.name().parse(), Ok(setting));
        }
    }
}
