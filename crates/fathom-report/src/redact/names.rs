//! The private names of one run, each with its stand-in.

use super::found;
use super::kind::Kind;
use std::collections::{BTreeMap, HashMap};

/// Names shorter than this are replaced only where they are the whole text: a host may be called `vm`.
const WORD_MIN: usize = 3;

/// Names and their stand-ins, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    stand_ins: BTreeMap<String, String>,
    counts: BTreeMap<Kind, usize>,
    /// Longest first, because a name may be a part of another one.
    by_length: Vec<String>,
    /// Texts that were seen, because thousands of clones have the same.
    texts: HashMap<String, String>,
}

impl Names {
    /// The stand-in of a name.
    pub(super) fn of(&mut self, kind: Kind, name: &str) -> String {
        let name = name.trim();
        if name.is_empty() {
            return String::new();
        }
        if let Some(known) = self.stand_ins.get(name) {
            return known.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let stand_in = format!("{}-{count}", kind.word());
        self.add(name, &stand_in);
        stand_in
    }

    fn add(&mut self, name: &str, stand_in: &str) {
        self.stand_ins.insert(name.to_owned(), stand_in.to_owned());
        self.texts.clear();
        let at = self.by_length.partition_point(|other| other.len() >= name.len());
        self.by_length.insert(at, name.to_owned());
    }

    /// Learns a path, and the name at its end; system paths and kernel names of devices are not private.
    pub(super) fn learn_path(&mut self, path: &str) {
        if path.trim().is_empty() || found::is_public(path) {
            return;
        }
        let kind = if path.starts_with("/dev/") && !path.starts_with("/dev/shm") {
            Kind::Device
        } else {
            Kind::File
        };
        let stand_in = self.of(kind, path);
        let end = path.rsplit('/').next().unwrap_or_default();
        // A plain word, such as `data`, is a word of other sentences too.
        let is_name = end.len() >= WORD_MIN && end.contains(|c: char| !c.is_ascii_alphabetic());
        if is_name && end.len() < path.len() && !self.stand_ins.contains_key(end) {
            self.add(end, &stand_in);
        }
    }

    /// Has this name a stand-in?
    pub(super) fn knows(&self, name: &str) -> bool {
        self.stand_ins.contains_key(name)
    }

    /// A text with stand-ins for all names, those that it learned and those that have a known form.
    pub(super) fn without(&mut self, text: &str) -> String {
        if let Some(known) = self.stand_ins.get(text).or_else(|| self.texts.get(text)) {
            return known.clone();
        }
        let without = self.find_in(text);
        self.texts.insert(text.to_owned(), without.clone());
        without
    }

    fn find_in(&mut self, text: &str) -> String {
        let text = self.replaced(text);
        found::names(&text).into_iter().for_each(|(kind, name)| drop(self.of(kind, &name)));
        let text = self.replaced(&text);
        let found = found::paths(&text);
        found.iter().for_each(|path| self.learn_path(path));
        if found.is_empty() { text } else { self.replaced(&text) }
    }

    /// A drawing with stand-ins: names of a known form are looked for in its texts only, because its elements have
    /// addresses of their own.
    pub(super) fn drawing(&mut self, svg: &str) -> String {
        let svg = self.replaced(svg);
        let mut out = String::new();
        for part in svg.split_inclusive('>') {
            let (text, tag) = part.split_at(part.find('<').unwrap_or(part.len()));
            out.push_str(&self.without(text));
            out.push_str(tag);
        }
        out
    }

    fn replaced(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for name in self.by_length.iter().filter(|name| name.len() >= WORD_MIN) {
            if text.contains(name.as_str()) {
                text = whole_words(&text, name, &self.stand_ins[name]);
            }
        }
        text
    }
}

/// Replaces a name where it is not part of a longer word.
fn whole_words(text: &str, name: &str, stand_in: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(name) {
        let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let end = at + name.len();
        if at < from || is_part(text[..at].chars().next_back()) || is_part(text[end..].chars().next()) {
            continue;
        }
        out.push_str(&text[from..at]);
        out.push_str(stand_in);
        from = end;
    }
    out + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_has_one_stand_in() {
        let mut names = Names::default();
        names.of(Kind::Host, "web01");
        names.learn_path("/data/acme/file.bin");
        for (text, told) in [
            ("web01: no answer", "host-1: no answer"),
            ("web012 and myweb01", "web012 and myweb01"),
            ("target./data/acme/file.bin.model", "target.file-1.model"),
            ("file.bin of web01", "file-1 of host-1"),
            ("/data/acme/other, 5 MB/s", "file-2, 5 MB/s"),
            ("/data/acme/other again", "file-2 again"),
            ("/dev/sda on / and /var, /sys/block/sda/queue", "/dev/sda on / and /var, /sys/block/sda/queue"),
            ("root of /home/alice/x and alice", "root of file-3 and user-1"),
        ] {
            assert_eq!(names.without(text), told);
        }
    }

    #[test]
    fn a_short_name_is_replaced_where_it_is_alone() {
        let mut names = Names::default();
        names.of(Kind::Host, "vm");
        assert_eq!(
            (names.without("vm"), names.without("vm.dirty")),
            ("host-1".to_owned(), "vm.dirty".to_owned())
        );
    }

    #[test]
    fn a_drawing_stays_a_drawing() {
        let mut names = Names::default();
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>10.1.2.3 nvme0n1</text></svg>";
        assert_eq!(names.drawing(svg), svg.replace("10.1.2.3", "address-1"));
    }
}
