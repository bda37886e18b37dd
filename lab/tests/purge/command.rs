//! `fathom purge`, through its command line.

use fathom_lab::{Drive, Ends, fathom};

use super::work::{STATE, fill, is_all_zero};

#[test]
fn without_consent_it_says_what_to_type_and_that_does_it() {
    let drive = Drive::by_serial("LAB-C");
    fill(&drive);
    let before = Ends::of(&drive.node);
    let words = ["purge", &drive.node, "--method", "format", "--lba", "512", "--state-dir", STATE];
    let refused = fathom(&words);
    assert_eq!(refused.code, Some(3), "{}{}", refused.stdout, refused.stderr);
    before.assert_unchanged();
    assert!(refused.stdout.contains("4096 bytes, then 512 bytes"), "{}", refused.stdout);
    let hint = format!("fathom purge {} --destroy LAB-C --method format --lba 512", drive.node);
    assert!(refused.stderr.contains(&hint), "{}", refused.stderr);
    let done = fathom(&[&words[..], &["--destroy", "LAB-C"]].concat());
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("are empty"), "{}", done.stdout);
    assert_eq!(drive.attribute("queue/logical_block_size"), "512");
    assert!(is_all_zero(&drive));
    let back = fathom(&["purge", &drive.node, "--lba", "4096", "--destroy", "LAB-C", "--state-dir", STATE]);
    assert_eq!(back.code, Some(0), "{}{}", back.stdout, back.stderr);
    assert_eq!(drive.attribute("queue/logical_block_size"), "4096");
}

#[test]
fn every_member_is_formatted_side_by_side() {
    let members = [Drive::by_serial("LAB-A"), Drive::by_serial("LAB-D")];
    members.iter().for_each(fill);
    let mut words = vec!["purge", "--method", "format", "--state-dir", STATE];
    for drive in &members {
        words.extend([drive.node.as_str(), "--destroy", &drive.serial]);
    }
    let done = fathom(&words);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert!(members.iter().all(is_all_zero));
}
