//! The private names of one run, each with its stand-in.

use super::check::Private;
use super::domain::with_domain;
use super::kind::Kind;
use super::names_found;
use super::ordinary::{is_common, is_ordinary};
use fathom_text::shell::quoted_carried;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Names shorter than this are replaced only where they are the whole text: a host may be called `qz`.
pub(super) const WORD_MIN: usize = 3;

/// Names and their stand-ins, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    stand_ins: BTreeMap<String, String>,
    /// Stand-ins of names that are ordinary words: only places that hold names lose them.
    ordinary: BTreeMap<String, String>,
    /// Names of hosts with their stand-ins; a domain may follow them.
    hosts: Vec<(String, String)>,
    counts: BTreeMap<Kind, usize>,
    /// Longest first, because a name may be a part of another one.
    by_length: Vec<String>,
    /// Texts that were seen, because thousands of clones have the same.
    texts: HashMap<String, String>,
    /// Every part of a private path.
    parts: BTreeSet<String>,
    /// Values of options that are replaced only where they are the whole value.
    values: HashMap<String, String>,
    /// Those of them that name a file.
    file_values: BTreeSet<String>,
    /// Texts that stay, such as names of jobs.
    kept: BTreeSet<String>,
}

impl Names {
    /// The stand-in of a name. In sentences a name that is an ordinary word stays.
    pub(super) fn of(&mut self, kind: Kind, name: &str) -> String {
        let name = name.trim();
        if name.is_empty() {
            return String::new();
        }
        if let Some(known) = self.stand_ins.get(name).or_else(|| self.ordinary.get(name)) {
            return known.clone();
        }
        let stand_in = self.next(kind);
        match is_ordinary(name) {
            true => drop(self.ordinary.insert(name.to_owned(), stand_in.clone())),
            false => self.add(name, &stand_in),
        }
        stand_in
    }

    /// The stand-in of the name of a run. One that fathom made of ordinary words stays; one that a person typed was learned.
    pub(super) fn of_run(&mut self, name: &str) -> String {
        if self.is_stand_in(name) || is_ordinary(name) && !self.knows(name) {
            return name.to_owned();
        }
        self.of(Kind::Run, name)
    }

    /// Learns a text that a user wrote on a run, also as a shell takes it.
    pub(super) fn of_label(&mut self, kind: Kind, text: &str) {
        let stand_in = self.of(kind, text);
        let quoted = quoted_carried(text);
        if self.stand_ins.contains_key(text.trim()) && !quoted.contains(text) {
            self.stands_for(&quoted, &stand_in);
        }
        // It may tell other names, such as that of a host with its domain.
        self.without(&format!("{text} "));
    }

    /// Learns a sentence that a user wrote, also as the beginning of a line has it.
    pub(super) fn of_sentence(&mut self, text: &str) {
        let stand_in = self.of(Kind::Text, text);
        let mut signs = text.trim().chars();
        let capital: String = signs.next().into_iter().flat_map(char::to_uppercase).chain(signs).collect();
        if self.stand_ins.contains_key(text.trim()) {
            self.stands_for(&capital, &stand_in);
        }
    }

    /// Learns the domain of a host, which tells whose machine it is.
    pub(super) fn of_domain(&mut self, domain: &str) {
        if !is_ordinary(domain) {
            self.of(Kind::Domain, domain);
        }
    }

    /// Learns the names that a text has of hosts with their domains.
    fn learn_domains(&mut self, text: &str) {
        for (host, stand_in) in self.hosts.clone() {
            for (whole, domain) in with_domain(text, &host) {
                // A file `db07.fio`, or a fact `disk.read.max` beside a host that is called `disk`, is no domain.
                let tells = !domain.split('.').all(is_ordinary);
                if tells && !self.knows(whole) {
                    self.stands_for(whole, &stand_in);
                    self.of_domain(domain);
                }
            }
        }
    }

    /// A text at a place that holds a name: the stand-in, also where the name is an ordinary word.
    pub(super) fn at_its_place(&mut self, text: &str) -> String {
        self.ordinary.get(text).cloned().unwrap_or_else(|| self.without(text))
    }

    /// A domain may follow this name.
    pub(super) fn is_host(&mut self, name: &str, stand_in: &str) {
        let host = (name.to_owned(), stand_in.to_owned());
        if !name.is_empty() && !self.hosts.contains(&host) {
            self.texts.clear();
            self.hosts.push(host);
        }
    }

    /// A stand-in that no other name has.
    fn next(&mut self, kind: Kind) -> String {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        format!("{}-{count}", kind.word())
    }

    /// A text, and the text that replaces it.
    pub(super) fn stands_for(&mut self, text: &str, stand_in: &str) {
        if !self.stand_ins.contains_key(text) {
            self.add(text, stand_in);
        }
    }

    fn add(&mut self, name: &str, stand_in: &str) {
        self.stand_ins.insert(name.to_owned(), stand_in.to_owned());
        self.texts.clear();
        let at = self.by_length.partition_point(|other| other.len() >= name.len());
        self.by_length.insert(at, name.to_owned());
    }

    /// Learns the path of a file, and the names in it; system paths and kernel names of devices are not private.
    pub(super) fn learn_path(&mut self, path: &str) {
        let is_device = path.starts_with("/dev/") && !path.starts_with("/dev/shm");
        self.learn_path_of(if is_device { Kind::Device } else { Kind::File }, path);
    }

    /// Learns the path of a directory, and the names in it.
    pub(super) fn learn_directory(&mut self, path: &str) {
        self.learn_path_of(Kind::Directory, path);
    }

    fn learn_path_of(&mut self, kind: Kind, path: &str) {
        if path.trim().is_empty() || names_found::is_public(path) {
            return;
        }
        let stand_in = self.of(kind, path);
        let (above, end) = path.trim().trim_end_matches('/').rsplit_once('/').unwrap_or(("", path));
        self.learn_part(end, || stand_in.clone());
        for part in above.split('/') {
            let count = self.counts.get(&Kind::Directory).copied().unwrap_or_default() + 1;
            if self.learn_part(part, || format!("{}-{count}", Kind::Directory.word())) {
                self.counts.insert(Kind::Directory, count);
            }
        }
    }

    /// Learns a part of a path, and its words, where they are not words of other sentences too; tells whether one is new.
    fn learn_part(&mut self, part: &str, stand_in: impl Fn() -> String) -> bool {
        self.parts.insert(part.to_owned());
        let mut is_new = false;
        for word in std::iter::once(part).chain(part.split_whitespace()) {
            let is_free = !self.knows(word) && !self.is_stand_in(word);
            if word.len() >= WORD_MIN && !is_common(word) && is_free {
                self.add(word, &stand_in());
                is_new = true;
            }
        }
        is_new
    }

    /// A stand-in for the whole value of an option: it may be a word that other sentences have too.
    pub(super) fn of_value(&mut self, text: &str) -> String {
        if let Some(known) = self.stand_ins.get(text).or_else(|| self.ordinary.get(text)) {
            return known.clone();
        }
        if text.trim().is_empty() || names_found::is_public(text) {
            return text.to_owned();
        }
        // A value that only has a known name in it says more than that name.
        let count = self.values.len() + 1;
        let stand_in = || format!("{}-{count}", Kind::Text.word());
        self.values.entry(text.to_owned()).or_insert_with(stand_in).clone()
    }

    /// The same of an option that names a file. Such a value is searched in finished reports.
    pub(super) fn of_file_value(&mut self, text: &str) -> String {
        self.file_values.insert(text.trim().to_owned());
        self.of_value(text)
    }

    /// This text stays as it is, and so does every name that it holds.
    pub(super) fn keeps(&mut self, text: &str) {
        self.kept.insert(text.to_owned());
    }

    /// Is it one of ours already?
    fn is_stand_in(&self, name: &str) -> bool {
        self.stand_ins.values().chain(self.ordinary.values()).any(|it| it == name)
    }

    /// What a report must not hold: every name that is no ordinary word, and the parts of private paths.
    pub(super) fn private(&self) -> Private {
        let is_kept = |value: &&String| self.kept.iter().any(|text| text.contains(value.as_str()));
        let values =
            self.file_values.iter().filter(|value| !is_kept(value) && !names_found::is_public(value));
        let names = self.by_length.iter().chain(values);
        let names = names.filter(|name| !is_ordinary(name) && !self.is_stand_in(name));
        let parts = self.parts.iter().filter(|part| !self.is_stand_in(part));
        Private { names: names.cloned().collect(), parts: parts.cloned().collect() }
    }

    /// The name whose stand-in a message quotes.
    pub(super) fn blamed(&self, message: &str) -> String {
        let is_quoted = |(_, stand_in): &(&String, &String)| message.contains(&format!("`{stand_in}`"));
        let name = self.stand_ins.iter().find(is_quoted).map(|(name, _)| name.clone());
        name.unwrap_or_else(|| message.to_owned())
    }

    /// Has this name a stand-in?
    pub(super) fn knows(&self, name: &str) -> bool {
        self.stand_ins.contains_key(name) || self.ordinary.contains_key(name)
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
        for named in names_found::programs(text) {
            let stand_in = self.of(Kind::Program, &named.program);
            self.stands_for(&named.phrase, &stand_in);
        }
        self.learn_domains(text);
        let text = self.replaced(text);
        names_found::names(&text).into_iter().for_each(|(kind, name)| drop(self.of(kind, &name)));
        let text = self.replaced(&text);
        let found = names_found::paths(&text);
        found.iter().for_each(|path| self.learn_path(path));
        if found.is_empty() { text } else { self.replaced(&text) }
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

/// Replaces a name where it is not part of a longer word. What is below a path goes with it.
pub(super) fn whole_words(text: &str, name: &str, stand_in: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(name) {
        let end = at + name.len();
        if at < from || !names_found::is_word(text, at, end) {
            continue;
        }
        out.push_str(&text[from..at]);
        out.push_str(stand_in);
        let is_path =
            [Kind::File, Kind::Directory, Kind::Device].iter().any(|it| stand_in.starts_with(it.word()));
        let is_above = is_path && text[end..].starts_with('/');
        from = if is_above { end + names_found::path_length(&text[end..]) } else { end };
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

    /// A path with a name of a user in it is known with the stand-in.
    #[test]
    fn a_stand_in_in_a_path_is_no_leak() {
        let mut names = Names::default();
        names.of(Kind::User, "okapi7");
        names.learn_path("/home/user-1/x.bin");
        assert_eq!(names.private().is_not_in("the device /dev/user-1 of user-1"), Ok(()));
        assert!(names.private().is_not_in("/srv/x.bin").is_err());
    }

    #[test]
    fn a_short_name_is_replaced_where_it_is_alone() {
        let mut names = Names::default();
        names.of(Kind::Host, "qz");
        assert_eq!(
            (names.without("qz"), names.without("qz.dirty")),
            ("host-1".to_owned(), "qz.dirty".to_owned())
        );
    }
}
