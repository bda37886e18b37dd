//! Changes settings of the host for a measurement, and puts them back.
//!
//! A *knob* is data: which settings it means here, and what each should be for a goal. A *plan*
//! says what would be changed; nothing else is ever touched. A *session* has a plan in force: every
//! change is in a *journal* on the disk before it is made, and a *guardian* undoes it if we are
//! killed. Undoing compares three values (before, ours, now), so that a change that somebody else
//! has made since is kept.
//!
//! What the kernel takes back by itself (an open handle) is preferred to what
//! somebody must put back. Nothing here is permanent: a reboot undoes it all.

mod apply;
mod caches;
pub mod child;
mod claim;
mod codec;
mod document;
mod error;
pub mod guardian;
mod journal;
mod key;
mod knob;
mod knobs;
mod limited;
mod owners;
mod place;
mod plan;
mod reach;
mod record;
mod revert;
mod revert_command;
mod scope;
mod session;
mod setting;
mod state_dir;
mod sys;
mod watched_process;
mod writer;

pub use crate::apply::takes;
pub use crate::claim::{LeftSession, Lost, LostSetting, left_in_force, lost};
pub use crate::plan::settings;
pub use crate::reach::{ChangeState, Verified, verify_journal};
pub use caches::{CachesError, DroppedCache, drop_caches};
pub use child::{Apart, Hand, Task, TaskAnswer};
pub use codec::Codec;
pub use document::{KnobRecord, LostSession, TuneChanges, TuneKnobs, TunedChange, TunedSession};
pub use error::TuneError;
pub use journal::{Header, Journal, open_journals, read as read_journal};
pub use key::{Gone, OwnerKey};
pub use knob::{Knob, Risk};
pub use knobs::{catalogue, knob};
pub use limited::LimitedKernel;
pub use place::{RelativePlace, SettingPlace};
pub use plan::{PlannedChange, Select, TunePlan, plan};
pub use record::{Disturbed, Record, State};
pub use revert::{RevertOptions, revert_journal};
pub use revert_command::revert_command;
pub use scope::Scope;
pub use session::{ApplyOptions, Session};
pub use setting::Setting;
pub use state_dir::{Lock, STATE_DIR, after_guardian};
pub use writer::{Kernel, Writer};
