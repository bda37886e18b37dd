//! The name of the host, with its domain or without it.

use super::domain::is_domain;
use super::kind::Kind;
use super::names::Names;
use super::ordinary::is_ordinary;

/// Names of hosts shorter than this are searched only where they are the whole text.
const HOST_MIN: usize = 3;

/// Learns the name of a host. Of a name with a domain its first part is the host as well.
pub(super) fn learn_host(name: &str, names: &mut Names) {
    let stand_in = names.of(Kind::Host, name);
    if let Some((host, domain)) = name.split_once('.').filter(|(_, domain)| is_domain(domain)) {
        if host.len() >= HOST_MIN && !is_ordinary(host) {
            names.stands_for(host, &stand_in);
        }
        names.of_domain(domain);
        names.is_host(host, &stand_in);
    }
    names.is_host(name, &stand_in);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_goes_with_its_host() {
        for (host, text, told) in [
            ("db07", "on db07.geheim.example.", "on host-1."),
            ("db07", "db07.geheim.example and nas.geheim.example", "host-1 and nas.domain-1"),
            ("db07.geheim.example", "db07 of db07.geheim.example", "host-1 of host-1"),
            ("disk", "disk.geheim.example: disk.read.max of a disk", "host-1: disk.read.max of a disk"),
            ("db07", "on db07. The next", "on host-1. The next"),
            ("db07", "db07.fio", "host-1.fio"),
        ] {
            let mut names = Names::default();
            learn_host(host, &mut names);
            assert_eq!(names.without(text), told, "{host}");
        }
    }
}
