//! The names of the user who ran what was saved: no report of it that is redacted may hold one.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Where the system keeps the names of users.
const PASSWD: &str = "/etc/passwd";

/// Variables that hold the name of the user of this process, who is mostly the one who ran it.
const VARIABLES: [&str; 3] = ["USER", "LOGNAME", "SUDO_USER"];

/// The names of the owner of a directory and of the user of this process, as far as the system tells them.
pub fn of(dir: &Path) -> Vec<String> {
    let owner = std::fs::metadata(dir).map(|about| about.uid());
    let table = std::fs::read(PASSWD).unwrap_or_default();
    let owners = owner.map(|uid| listed(&String::from_utf8_lossy(&table), uid)).unwrap_or_default();
    let mut names: Vec<String> = VARIABLES.iter().filter_map(|name| std::env::var(name).ok()).collect();
    names.extend(owners);
    names.retain(|name| !name.is_empty());
    names
}

/// The name of an account, and that of the person, where it has several parts: `NAME:x:UID:GID:PERSON,…:HOME:SHELL`.
fn listed(table: &str, uid: u32) -> Vec<String> {
    let accounts = table.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let mut accounts = accounts.filter(|fields| fields.get(2).and_then(|it| it.parse().ok()) == Some(uid));
    let Some(fields) = accounts.next() else { return Vec::new() };
    let person = fields.get(4).and_then(|about| about.split(',').next()).filter(|name| name.contains(' '));
    std::iter::once(fields[0]).chain(person).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn an_account_and_its_person() {
        let table = "root:x:0:0:root:/root:/bin/bash\njk:x:1000:1000:Jan Kowalski,,,:/home/jk:/bin/sh\nbad\n";
        assert_eq!(listed(table, 0), ["root"]);
        assert_eq!(listed(table, 1000), ["jk", "Jan Kowalski"]);
        assert!(listed(table, 7).is_empty());
    }
}
