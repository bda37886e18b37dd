//! Random values of a type, by its JSON schema.

use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;

/// Parts of the texts that are made: ordinary ones, and such as markup and terminals write in another way.
const WORDS: [&str; 24] = [
    "randread",
    "writes",
    "sda",
    "nvme0n1",
    "4k",
    "QD32",
    "größe",
    "a<b>",
    "x&y",
    "\"quoted\"",
    "it's",
    "p99",
    "µs",
    "job.0",
    "disk",
    "[code]",
    "80,000",
    "loop7",
    "kernel",
    "5",
    "%",
    "rate",
    "of",
    "cache",
];

/// The largest count that is made: sums of a few of them fit into 64 bits.
const COUNT_MAX: u64 = 1 << 40;

/// Random numbers, the same of the same seed (splitmix64), and texts of ordinary words and of words that are given.
pub struct Chance {
    state: u64,
    own: Vec<String>,
}

impl Chance {
    pub fn of(seed: u64) -> Self {
        Chance::with(seed, Vec::new())
    }

    /// With words that are in every second text.
    pub fn with(seed: u64, own: Vec<String>) -> Self {
        Chance { state: seed, own }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// A share of a whole, of few digits: JSON gives back the same number.
    pub fn share(&mut self) -> f64 {
        self.below(1 << 10) as f64 / 1024.0
    }

    /// Some words that a person or a machine could have written.
    pub fn text(&mut self) -> String {
        let mut words: Vec<String> = (0..=self.below(4)).map(|_| (*self.pick(&WORDS)).to_owned()).collect();
        if let Some(own) = self.own() {
            words.insert(self.below(words.len() + 1), own);
        }
        words.join(" ")
    }

    /// A name of one word, or one of the words that were given.
    pub fn name(&mut self) -> String {
        let name = format!("{}-{}", ["job", "größe", "a<b>", "seq&read"][self.below(4)], 10 + self.below(90));
        self.own().unwrap_or(name)
    }

    fn own(&mut self) -> Option<String> {
        if self.own.is_empty() || self.once_in(2) {
            return None;
        }
        let at = self.below(self.own.len());
        self.own.get(at).cloned()
    }

    /// A number of any size up to this: small and large ones are as frequent as each other.
    fn count(&mut self, max: u64) -> u64 {
        let bits = self.below(max.clamp(1, COUNT_MAX).ilog2() as usize + 1);
        (self.next() & ((2 << bits) - 1)).min(max)
    }

    /// A random value of this type.
    pub fn of_type<T: JsonSchema + DeserializeOwned + 'static>(&mut self) -> T {
        let schema = schema::<T>();
        let value = self.value(&schema, &schema, "");
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
    }

    /// A random value of this variant of an enum, which is told by the value of a field: `code` is `stalls`.
    pub fn of_variant<T: JsonSchema + DeserializeOwned + 'static>(&mut self, tag: &str, variant: &str) -> T {
        let mut schema = schema::<T>();
        let all = variants_of(&mut schema).expect("an enum has variants");
        all.retain(|it| it["properties"][tag]["const"] == variant);
        let value = self.value(&schema, &schema, "");
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
    }

    fn value(&mut self, schema: &Value, root: &Value, field: &str) -> Value {
        if let Some(place) = schema["$ref"].as_str() {
            let definition = root.pointer(place.trim_start_matches('#')).expect("a definition");
            // Its other fields are those of the same object: the tag of a variant.
            return match self.value(definition, root, field) {
                Value::Object(fields) => self.object(schema, root, fields),
                value => value,
            };
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            return self.pick(values).clone();
        }
        let variants = ["oneOf", "anyOf"].iter().find_map(|name| schema[*name].as_array());
        if let Some(variants) = variants {
            let variant = self.pick(variants).clone();
            return match self.value(&variant, root, field) {
                Value::Object(fields) => self.object(schema, root, fields),
                value => value,
            };
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.clone(),
            kind => vec![kind.clone()],
        };
        match self.pick(&kinds).as_str() {
            Some("object") => self.object(schema, root, Map::new()),
            Some("array") => self.array(schema, root, field),
            Some("string") => self.string(schema, field).into(),
            Some("integer") => self.integer(schema).into(),
            Some("number") => self.number(field),
            Some("boolean") => self.once_in(2).into(),
            Some("null") => Value::Null,
            // Anything.
            _ => json!({ "anything": self.text() }),
        }
    }

    fn object(&mut self, schema: &Value, root: &Value, mut fields: Map<String, Value>) -> Value {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, of) in schema["properties"].as_object().into_iter().flatten() {
            let is_there = required.contains(&Value::from(name.as_str())) || !self.once_in(4);
            if is_there && !fields.contains_key(name) {
                fields.insert(name.clone(), self.value(of, root, name));
            }
        }
        Value::Object(fields)
    }

    fn array(&mut self, schema: &Value, root: &Value, field: &str) -> Value {
        if let Some(items) = schema["prefixItems"].as_array() {
            return items.iter().map(|item| self.value(item, root, field)).collect();
        }
        let (min, max) = (schema["minItems"].as_u64().unwrap_or(1), schema["maxItems"].as_u64().unwrap_or(3));
        let length = min + self.below((max - min + 1) as usize) as u64;
        (0..length).map(|_| self.value(&schema["items"], root, field)).collect()
    }

    fn string(&mut self, schema: &Value, field: &str) -> String {
        match (schema["maxLength"].as_u64(), field) {
            (Some(1), _) => "x".to_owned(),
            (_, "job" | "jobs" | "names" | "worker" | "disk" | "disks" | "path" | "engine") => self.name(),
            _ => self.text(),
        }
    }

    fn integer(&mut self, schema: &Value) -> u64 {
        let max = match schema["format"].as_str() {
            Some("uint8") => u64::from(u8::MAX),
            Some("uint16") => u64::from(u16::MAX),
            Some("uint32" | "int32") => 1 << 30,
            _ => COUNT_MAX,
        };
        schema["minimum"].as_u64().unwrap_or(0).max(self.count(schema["maximum"].as_u64().unwrap_or(max)))
    }

    /// A finite number above 0; of a share, up to 1.
    fn number(&mut self, field: &str) -> Value {
        let share = self.share();
        match field.contains("share") {
            true => share.into(),
            false => (share * 10_f64.powi(self.below(8) as i32) + 0.125).into(),
        }
    }
}

/// The names of all variants of an enum, of which a field tells which it is.
pub fn variants<T: JsonSchema + 'static>(tag: &str) -> Vec<String> {
    let mut schema = schema::<T>();
    let all = variants_of(&mut schema).expect("an enum has variants").clone();
    all.iter().filter_map(|it| Some(it["properties"][tag]["const"].as_str()?.to_owned())).collect()
}

fn variants_of(schema: &mut Value) -> Option<&mut Vec<Value>> {
    let name = ["oneOf", "anyOf"].into_iter().find(|name| schema[*name].is_array())?;
    schema[name].as_array_mut()
}

thread_local! {
    /// The schemas that were made, because a test makes thousands of values of few types.
    static SCHEMAS: RefCell<HashMap<TypeId, Value>> = RefCell::default();
}

fn schema<T: JsonSchema + 'static>() -> Value {
    SCHEMAS.with_borrow_mut(|known| {
        let made = || Value::from(schema_for!(T));
        known.entry(TypeId::of::<T>()).or_insert_with(made).clone()
    })
}
