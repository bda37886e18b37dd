//! The options of one section, applied to what it inherits.

use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::job::{OptionSetting, Origin};
use crate::option::{Kind, OptionDef, OptionRelation, OptionStatus};
use crate::parse::syntax::{self, Expanded, expand};
use crate::parse::values::{self, BadValue, Context, Piece, Units};
use crate::parse::{Entry, Findings, Surroundings, default_of};
use crate::value::Value;
use crate::{foreign_engines, options};
use fathom_text::carried;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Settings that grow by the entries of a section.
pub(super) struct Settings<'a> {
    pub settings: BTreeMap<&'static str, OptionSetting>,
    pub origin: Origin,
    /// Values that fio reads otherwise than written are read as fio does.
    pub reads_as_fio: bool,
    pub around: &'a dyn Surroundings,
    pub findings: &'a mut Findings,
    /// The places of what this section has set so far.
    pub given: HashSet<Span>,
    /// Options that `--set` sets: what a file says of them is not in force, so nothing of it is wrong.
    pub overridden: HashSet<&'static str>,
    /// The engine that is asked for, as typed.
    pub engine: Option<String>,
}

/// An entry whose option is known and whose variables are replaced.
struct Known<'a> {
    def: &'static OptionDef,
    entry: &'a Entry,
    value: Option<Expanded>,
}

impl Settings<'_> {
    /// Applies the entries in order, except that `kb_base` and `bs` come first, because other
    /// values depend on them.
    pub fn apply(&mut self, entries: &[Entry]) {
        let engine = options::IOENGINE.def.name;
        let own =
            entries.iter().rev().find(|entry| entry.name == engine).and_then(|entry| entry.value.clone());
        self.engine = own.or_else(|| self.settings.get(engine).map(|setting| setting.text.clone()));
        let mut known: Vec<Known> = entries.iter().filter_map(|entry| self.look_up(entry)).collect();
        known.sort_by_key(|k| match k.def.name {
            "kb_base" => 0,
            "bs" => 1,
            _ => 2,
        });
        for k in known {
            self.set(&k);
        }
    }

    fn look_up<'e>(&mut self, entry: &'e Entry) -> Option<Known<'e>> {
        let name = self.expanded(&entry.name, entry, &entry.name_span);
        let mut value = entry.value.as_ref().map(|value| self.expanded(value, entry, &entry.value_span));
        let mut name = name.text;
        // A variable can hold a whole `name=value`.
        if let (None, Some((n, v))) = (&value, name.split_once('=')) {
            value = Some(Expanded { text: v.trim().to_owned(), changed: true, ..Expanded::default() });
            name = n.trim().to_owned();
        }
        let def = options::find(name.trim());
        if def.is_none() {
            self.unknown(&name, &entry.name_span);
        }
        def.map(|def| Known { def, entry, value })
    }

    fn expanded(&mut self, text: &str, entry: &Entry, span: &Span) -> Expanded {
        if !entry.expands {
            return Expanded { text: text.to_owned(), ..Expanded::default() };
        }
        let out = expand(text, self.around);
        for name in &out.undefined {
            let message = format!("the variable {name} is not set; it was replaced by nothing");
            self.findings.push(Diagnostic::new(Severity::Warning, "undefined-variable", message).at(span));
        }
        if out.unclosed {
            self.findings.push(Diagnostic::error("unclosed-variable", "`${` without `}`").at(span));
        }
        out
    }

    fn unknown(&mut self, name: &str, span: &Span) {
        if self.findings.is_full() {
            return self
                .findings
                .push(Diagnostic::error("unknown-option", format!("there is no option {name}")).at(span));
        }
        self.findings.push(super::option(name, self.engine.as_deref(), span));
    }

    fn set(&mut self, k: &Known) {
        let is_overridden = self.overridden.contains(k.def.name);
        let value = match self.read(k) {
            Ok(value) => value,
            Err(_) if is_overridden => return,
            Err(bad) => return self.bad_value(k, Severity::Error, bad),
        };
        self.inverted_units(k);
        let is_default = default_of(k.def).as_ref() == Some(&value);
        match k.def.status {
            OptionStatus::Refused(_) | OptionStatus::NoEffect(_) if is_overridden => return,
            OptionStatus::Refused(why) if !is_default && self.is_left_out(k.def) => {
                let message = format!("{} is left out: {why}", k.def.name);
                let finding = Diagnostic::new(Severity::Warning, "left-out", message);
                return self.findings.push(with_step(k.def, finding.at(&k.entry.name_span)));
            }
            OptionStatus::Refused(why) if !is_default => {
                let message = format!("{} is refused: {why}", k.def.name);
                let finding = Diagnostic::error("refused-option", message).at(&k.entry.name_span);
                let finding = with_step(k.def, finding);
                return self.findings.push(foreign_engines::with_steps_of(k.def, finding));
            }
            OptionStatus::NoEffect(why) if !is_default => {
                let message = format!("{} has no effect: {why}", k.def.name);
                self.findings
                    .push(Diagnostic::new(Severity::Note, "no-effect", message).at(&k.entry.name_span));
            }
            _ => {}
        }
        self.store(k, value);
    }

    /// Does the job go on without this refused option?
    fn is_left_out(&self, def: &OptionDef) -> bool {
        self.reads_as_fio && def.changes_no_figure
    }

    fn read(&mut self, k: &Known) -> Result<Value, BadValue> {
        let kb = self.kb(k.def);
        let of = |def: &OptionDef| {
            self.settings.get(def.name).map(|s| s.value.clone()).or_else(|| default_of(def))
        };
        let (held, block) = (of(k.def), of(options::BS.def));
        let units = Units { kb, drops_rest: false };
        let context = Context { units, held: held.as_ref(), block: block.as_ref() };
        let text = k.value.as_ref().map(|v| match v.keyword && syntax::is_arithmetic(&v.text) {
            true => calculated(&k.def.kind, &v.text, kb),
            false => Ok(v.text.clone()),
        });
        let text = self.with_files(k.def, text.transpose()?)?;
        match (values::read(k.def, text.as_deref(), &context), k.def.status) {
            // A refused option is refused, whatever its value.
            (Err(_), OptionStatus::Refused(_)) if !self.is_left_out(k.def) => Ok(Value::Text(String::new())),
            (Err(bad), _) if self.reads_as_fio => {
                let units = Units { drops_rest: true, ..units };
                let read = values::read(k.def, text.as_deref(), &Context { units, ..context })?;
                self.bad_value(k, Severity::Warning, bad);
                Ok(read)
            }
            (read, _) => read,
        }
    }

    /// The text of a pattern, with what its files hold.
    fn with_files(&self, def: &OptionDef, text: Option<String>) -> Result<Option<String>, BadValue> {
        if !matches!(def.kind, Kind::Pattern | Kind::VerifyPattern) {
            return Ok(text);
        }
        let Some(text) = text else { return Ok(None) };
        let around = self.around;
        let mut read = |path: &str| match carried::to_bytes(&around.read_data(path)?) {
            bytes if bytes.is_empty() => Err("it is empty".to_owned()),
            bytes if bytes.len() > values::PATTERN_MAX => Err(format!(
                "it has {} bytes, and a pattern has at most {}",
                bytes.len(),
                values::PATTERN_MAX
            )),
            bytes => Ok(bytes.to_vec()),
        };
        Ok(Some(values::with_files(&text, &mut read)?.unwrap_or(text)))
    }

    fn bad_value(&mut self, k: &Known, severity: Severity, bad: BadValue) {
        let expanded = k.value.as_ref().is_some_and(|v| v.changed);
        let value = k.value.as_ref().map_or("", |v| v.text.as_str());
        let mut span = k.entry.value_span.clone();
        // In a pattern with files, the place is that of another text.
        let is_own = |at: &Range<usize>| !expanded && value.get(at.clone()).is_some();
        if let Some(at) = bad.at.filter(is_own) {
            span.column += value[..at.start].chars().count();
            span.length = value[at].chars().count().max(1);
        }
        let mut message = bad.message;
        if expanded {
            message += &format!(" (after replacement: `{value}`)");
        }
        let mut finding = Diagnostic::new(severity, bad.code, format!("{}: {message}", k.def.name)).at(&span);
        finding.hints = bad.hints;
        self.findings.push(finding);
    }

    /// Warns of sizes such as `4kib`, which fio reads as 4000 bytes.
    fn inverted_units(&mut self, k: &Known) {
        let refused = matches!(k.def.status, OptionStatus::Refused(_));
        let Some(value) = k.value.as_ref().filter(|_| !refused && self.kb(k.def) == 1024) else { return };
        for unit in values::inverted(&k.def.kind, &value.text) {
            let mut span = k.entry.value_span.clone();
            if !value.changed {
                span.column += unit.start;
                span.length = unit.text.chars().count();
            }
            let message = format!(
                "{}: {} is {} bytes, as in fio: with kb_base=1024, k is 1024 and kib is 1000",
                k.def.name, unit.text, unit.bytes
            );
            let finding = Diagnostic::new(Severity::Warning, "inverted-unit", message).at(&span);
            self.findings.push(finding.hint(format!("write {} for {} bytes", unit.instead, unit.meant)));
        }
    }

    /// The value of `k`. kb_base does not apply to the options of engines.
    fn kb(&self, def: &OptionDef) -> u64 {
        match self.settings.get(options::KB_BASE.def.name).map(|s| &s.value) {
            Some(Value::Word("1000")) if def.engines.is_empty() => 1000,
            _ => 1024,
        }
    }

    /// Puts the value in force.
    fn store(&mut self, k: &Known, value: Value) {
        let text = k.value.as_ref().map_or_else(|| values::print(&value), |v| v.text.clone());
        let mut setting = OptionSetting { value, text, origin: self.origin, span: k.entry.name_span.clone() };
        let mut name = k.def.name;
        match k.def.relation {
            OptionRelation::Alone => {}
            OptionRelation::Opposite(other) => self.store_opposite(other, &setting),
            OptionRelation::Becomes(other) => {
                name = other;
                setting.text = values::print(&setting.value);
            }
        }
        if name == options::FILENAME.def.name && self.origin != Origin::Override {
            self.append(&mut setting);
        } else {
            self.told_if_given_twice(name, k, &setting);
        }
        self.given.insert(setting.span.clone());
        self.settings.insert(name, setting);
    }

    /// Warns of a value that a later line of the same section replaces.
    fn told_if_given_twice(&mut self, name: &str, k: &Known, new: &OptionSetting) {
        let Some(old) = self.settings.get(name).filter(|old| self.given.contains(&old.span)) else { return };
        // A list by direction with an empty place keeps what was there.
        let keeps = matches!(new.value, Value::PerDirection(_))
            && new.text.split(',').any(|part| part.trim().is_empty());
        if old.value == new.value || keeps {
            return;
        }
        let place = match old.span.line {
            0 => String::new(),
            line => format!(" in line {line}"),
        };
        let was = match old.span.text.trim() {
            "" => format!("the value {}", old.canonical()),
            typed => format!("`{typed}`"),
        };
        let message = format!("{name} is set again here, so {was}{place} has no effect");
        let finding = Diagnostic::new(Severity::Warning, "given-twice", message).at(&k.entry.name_span);
        self.findings.push(finding.hint("the last one counts, as in fio; remove the other"));
    }

    fn store_opposite(&mut self, other: &'static str, setting: &OptionSetting) {
        let value = match &setting.value {
            Value::Flag(on) => Value::Flag(!on),
            Value::Int(percent) => Value::Int(100 - percent),
            _ => return,
        };
        self.settings.insert(other, OptionSetting { text: values::print(&value), value, ..setting.clone() });
    }

    /// A further `filename` adds to those before, even to those of `[global]`.
    fn append(&mut self, new: &mut OptionSetting) {
        let Some(old) = self.settings.get(options::FILENAME.def.name) else { return };
        if old.origin == Origin::Global && new.origin == Origin::Section {
            let message = "this filename adds to that of [global], as in fio: the job works on all these \
                targets";
            self.findings.push(Diagnostic::new(Severity::Warning, "filename-adds", message).at(&new.span));
        }
        if let (Value::List(names), Value::List(more)) = (&old.value, &new.value) {
            new.text = format!("{}:{}", old.text, new.text);
            new.value = Value::List(names.iter().chain(more).cloned().collect());
        }
    }
}

/// With what to use in the place of a refused option.
fn with_step(def: &OptionDef, finding: Diagnostic) -> Diagnostic {
    if def.instead.is_empty() { finding } else { finding.hint(def.instead) }
}

/// The result of a keyword expression, part by part.
fn calculated(kind: &Kind, text: &str, kb: u64) -> Result<String, BadValue> {
    let numbers = match kind {
        Kind::PerDirection(kind) => kind,
        kind => kind,
    };
    if !matches!(numbers, Kind::Int { .. } | Kind::Size { .. } | Kind::Time { .. }) {
        return Ok(text.to_owned());
    }
    let parts = Piece::whole(text).split(',').map(|part| match part.trim() {
        part if part.text.is_empty() => Ok(String::new()),
        part => values::calculate(part, values::Unit::Size(kb)).map(|n| n.to_string()),
    });
    Ok(parts.collect::<Result<Vec<_>, _>>()?.join(","))
}
