//! The plan: what would be changed, said in full before anything is.
//!
//! A plan is data with a hash over it. Applying takes the hash that was shown,
//! looks every line up in the catalogue again, and refuses a line that this
//! machine and these targets do not give; so a plan file cannot be made to
//! write anything that is not in the catalogue.

use super::error::TuneError;
use super::knob::{Knob, KnobInput, Risk};
use super::knobs::{catalogue, knob};
use super::owners::{self, Owner, owner_of};
use super::place::{RelativePlace, SettingPlace};
use super::scope::Scope;
use super::setting::{Read, Setting};
use crate::codec::Codec;
use fathom_device::Goal;
use fathom_device::root::Root;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::PathBuf;

pub const FORMAT: u32 = 1;

/// What would be changed, and what was left out with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TunePlan {
    /// Version of this form that the writer knew.
    pub fathom_tune_plan: u32,
    /// What the measurement is after.
    pub goal: Goal,
    /// What it measures.
    #[serde(with = "fathom_device::saved_path::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub targets: Vec<PathBuf>,
    /// The boot in which it was made.
    pub boot_id: Option<String>,
    /// The changes, in the order of applying.
    pub lines: Vec<PlannedChange>,
    /// What was left out.
    pub left: Vec<Left>,
    /// SHA-256 over everything above, in hexadecimal.
    pub hash: String,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedChange {
    /// The knob.
    pub knob: String,
    /// The setting.
    pub setting: Setting,
    /// Where it is now, for people.
    pub path: String,
    /// What it is, typed.
    pub now: String,
    /// What it will be, typed.
    pub then: String,
    /// Why the knob changes it.
    pub why: String,
    /// What it can do to others.
    pub risk: Risk,
    /// How it is undone.
    pub undo: String,
    /// Another program that sets it too, which the user decided to ignore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub despite: Option<String>,
}

/// A setting that the plan leaves alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Left {
    /// The knob.
    pub knob: String,
    pub path: String,
    pub reason: String,
}

/// Plans for a goal. Reads only, and needs no rights: what cannot be read is
/// left out with the reason.
pub fn plan(root: &Root, targets: &[PathBuf], goal: Goal, select: &Select) -> Result<TunePlan, TuneError> {
    select.check()?;
    let scope = Scope::of(root, targets)?;
    let mut planner =
        Planner { scope, goal, select, owners: owners::active(root), lines: vec![], left: vec![] };
    for knob in catalogue().filter(|knob| select.takes(&knob.id)) {
        planner.add(knob)?;
    }
    let mut plan = TunePlan {
        fathom_tune_plan: FORMAT,
        goal,
        targets: targets.to_vec(),
        boot_id: fathom_device::counters::boot_id(root),
        lines: planner.lines,
        left: planner.left,
        hash: String::new(),
    };
    plan.hash = plan.content_hash();
    Ok(plan)
}

struct Planner<'a> {
    scope: Scope<'a>,
    goal: Goal,
    select: &'a Select,
    owners: Vec<Owner>,
    lines: Vec<PlannedChange>,
    left: Vec<Left>,
}

impl Planner<'_> {
    fn add(&mut self, knob: &'static Knob) -> Result<(), TuneError> {
        let settings = knob.find(&self.scope);
        if settings.is_empty() && self.select.names(&knob.id) {
            self.leave(knob, "nowhere".to_owned(), "these targets have no such setting".to_owned());
        }
        for setting in settings {
            let now = match (setting.read(self.scope.root), &setting.at) {
                (Ok(now), _) => now,
                (Err(e), _) if e.is_gone() => continue,
                // A handle is used without being read.
                (Err(_), RelativePlace::Held(path)) => {
                    let place = SettingPlace::Held(path.clone());
                    Read { place, raw: String::new(), typed: "not held".to_owned() }
                }
                (Err(e), _) => {
                    self.leave(knob, setting.key.to_string(), e.to_string());
                    continue;
                }
            };
            self.consider(knob, setting, &now)?;
        }
        Ok(())
    }

    fn consider(&mut self, knob: &'static Knob, setting: Setting, now: &Read) -> Result<(), TuneError> {
        let Some(then) = self.wanted(knob, &setting, now)? else { return Ok(()) };
        if then == now.typed && !setting.is_self_releasing() {
            return Ok(());
        }
        let named = self.select.names(&knob.id);
        let owner = owner_of(&self.owners, &knob.id, self.lines.iter().map(|line| &line.setting));
        let owner = owner.map(|owner| owner.name);
        let path = now.place.to_string();
        if now.place.is_forbidden() || now.place.is_read_only(self.scope.root) {
            self.leave(knob, path, "the kernel offers it for reading only".to_owned());
        } else if knob.risk.must_be_named() && !named {
            let also = knob.risk.also();
            self.leave(knob, path, format!("changed to {then} only with --knob: {also}"));
        } else if let Some(owner) = owner.filter(|_| !self.select.despite_owners) {
            self.leave(knob, path, format!("{owner} sets it and is running"));
        } else {
            self.lines.push(line(knob, setting, now, then, owner));
        }
        Ok(())
    }

    /// The value that was named, or the knob's own for the goal.
    fn wanted(&self, knob: &Knob, setting: &Setting, now: &Read) -> Result<Option<String>, TuneError> {
        if let Some(value) = self.select.value(&knob.id) {
            let bad = || TuneError::BadValue { knob: knob.id.clone(), value: value.to_owned() };
            return typed(setting.codec, value).map(Some).ok_or_else(bad);
        }
        let want = KnobInput { knob, scope: &self.scope, setting, now, goal: self.goal }.want();
        if want.is_none() && self.select.names(&knob.id) && knob.needs_value() {
            return Err(TuneError::NeedsValue(knob.id.clone()));
        }
        Ok(want)
    }

    fn leave(&mut self, knob: &Knob, path: String, reason: String) {
        self.left.push(Left { knob: knob.id.clone(), path, reason });
    }
}

fn line(knob: &Knob, setting: Setting, now: &Read, then: String, owner: Option<&str>) -> PlannedChange {
    let undo = match (&setting.at, &now.typed) {
        (RelativePlace::Held(_), _) => "released when the process ends, however it ends".to_owned(),
        (RelativePlace::Unit, _) => format!("started again if it was active ({})", now.typed),
        (_, typed) => format!("back to {}", setting.codec.describe(typed)),
    };
    PlannedChange {
        knob: knob.id.clone(),
        path: now.place.to_string(),
        now: now.typed.clone(),
        then,
        why: knob.why.clone(),
        risk: knob.risk,
        undo,
        setting,
        despite: owner.map(str::to_owned),
    }
}

impl TunePlan {
    /// The hash of what the plan says.
    pub fn content_hash(&self) -> String {
        let content = TunePlan { hash: String::new(), ..self.clone() };
        let text = serde_json::to_vec(&content).expect("a plan is made of texts and numbers");
        Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether the plan can be applied here: it is the one that was shown
    /// (`hash`), each line is one that its knob gives on this machine, and the
    /// machine is as it was.
    pub(super) fn check(&self, root: &Root, hash: &str) -> Result<(), TuneError> {
        let is = self.content_hash();
        if is != hash || is != self.hash {
            return Err(TuneError::Hash { said: hash.to_owned(), is });
        }
        let scope = Scope::of(root, &self.targets)?;
        for line in &self.lines {
            line.check(&scope)?;
        }
        Ok(())
    }
}

impl PlannedChange {
    fn check(&self, scope: &Scope<'_>) -> Result<(), TuneError> {
        let refused = || TuneError::NotOffered { knob: self.knob.clone(), place: self.path.clone() };
        let knob = knob(&self.knob).ok_or_else(|| TuneError::UnknownKnob(self.knob.clone()))?;
        if !knob.find(scope).contains(&self.setting) || knob.risk != self.risk {
            return Err(refused());
        }
        if self.setting.is_self_releasing() {
            return Ok(());
        }
        if !self.setting.codec.is_typed(&self.then) {
            return Err(TuneError::BadValue { knob: self.knob.clone(), value: self.then.clone() });
        }
        let now = self.setting.read(scope.root).map_err(|_| refused())?;
        // The path is what people read: it must be the one that is written.
        if now.place.is_forbidden() || now.place.to_string() != self.path {
            return Err(refused());
        }
        if now.typed != self.now {
            let (place, planned) = (self.path.clone(), self.now.clone());
            return Err(TuneError::Stale { place, planned, now: now.typed });
        }
        Ok(())
    }

    /// The knob's title.
    pub fn title(&self) -> &'static str {
        knob(&self.knob).map_or("", |knob| &knob.title)
    }

    /// What it is and what it becomes, for people.
    pub fn change(&self) -> String {
        let codec = self.setting.codec;
        format!("{} -> {}", codec.describe(&self.now), codec.describe(&self.then))
    }
}

/// The text of each setting, twin and disturbed file, by place.
pub fn settings(root: &Root, targets: &[PathBuf]) -> Result<BTreeMap<String, String>, TuneError> {
    let scope = Scope::of(root, targets)?;
    let mut texts = BTreeMap::new();
    for setting in catalogue().flat_map(|knob| knob.find(&scope)) {
        let beside = setting.twin.iter().map(|twin| &twin.at).chain(&setting.disturbs);
        for at in std::iter::once(&setting.at).chain(beside) {
            if let Ok(place) = setting.place_of(root, at)
                && let Ok(text) = place.read(root)
            {
                texts.insert(place.to_string(), text);
            }
        }
    }
    Ok(texts)
}

/// Which knobs a plan takes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Select {
    /// Knobs named one by one, with a value where one was given.
    pub named: BTreeMap<String, Option<String>>,
    /// No others than the named ones.
    pub only_named: bool,
    /// Take also those that another program sets.
    pub despite_owners: bool,
}

impl Select {
    /// No other knobs than these, as `blk.nomerges` or `blk.nomerges=1`.
    pub fn only<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        Self { only_named: true, ..Self::with(words) }
    }

    /// What suits the goal, and these, which may be of any risk.
    pub fn with<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        let word = |word: S| match word.as_ref().split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word.as_ref().to_owned(), None),
        };
        Self { named: words.into_iter().map(word).collect(), ..Self::default() }
    }

    /// The names without values.
    pub fn names_only(&self) -> Vec<String> {
        self.named.keys().cloned().collect()
    }

    fn check(&self) -> Result<(), TuneError> {
        let unknown = self.named.keys().find(|name| knob(name).is_none());
        unknown.map_or(Ok(()), |name| Err(TuneError::UnknownKnob(nearest(name))))
    }

    fn takes(&self, id: &str) -> bool {
        !self.only_named || self.names(id)
    }

    fn names(&self, id: &str) -> bool {
        self.named.contains_key(id)
    }

    fn value(&self, id: &str) -> Option<&str> {
        self.named.get(id)?.as_deref()
    }
}

/// The name, with the names that may have been meant.
fn nearest(name: &str) -> String {
    let family = name.split('.').next().unwrap_or(name);
    let near: Vec<&str> =
        catalogue().map(|knob| knob.id.as_str()).filter(|id| id.starts_with(family)).collect();
    match near.is_empty() {
        true => name.to_owned(),
        false => format!("{name} (there are {})", near.join(", ")),
    }
}

/// A value as it was typed by a person, in the codec's spelling.
fn typed(codec: Codec, value: &str) -> Option<String> {
    let word = |words: &[&str]| words.contains(&value).then(|| value.to_owned());
    match codec {
        Codec::Selected => Codec::Word.typed(value),
        Codec::Atime => word(&["noatime", "relatime", "strictatime"]),
        Codec::Discard => word(&["discard", "nodiscard"]),
        Codec::Active => word(&["active", "inactive"]),
        Codec::CpuMask => Codec::CpuList.typed(value),
        _ => codec.typed(value),
    }
}
