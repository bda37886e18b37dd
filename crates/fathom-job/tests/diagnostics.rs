//! What findings look like: place, underline, hint, and all of them at once.

mod world;

use world::{listed, load};

#[test]
fn all_that_is_wrong_is_shown_with_its_place() {
    let text = "\
[global]
iodpeth=32
bs=4k,1.5k   ; second
[job]
  runtime = 10sec
	rw=randraed
zonemode=zbd
direct=yes
ioengine=libaio
fixedbufs=1
description=ünïcode
create_serialize=0
bssplit=4k/60:8k/50
[open
";
    let found = load(text).expect_err("wrong");
    insta::assert_snapshot!("findings", listed(&found));
}

#[test]
fn replaced_text_is_shown_and_the_whole_value_marked() {
    let found = load("[job]\nbs=$pagesize+1.5\nsize=${NOTHING}\n").expect_err("wrong");
    insta::assert_snapshot!("replaced", listed(&found));
}

#[test]
fn findings_end_somewhere() {
    let text: String =
        std::iter::once("[a]\n".to_owned()).chain((0..500).map(|i| format!("nonsense{i}=1\n"))).collect();
    let found = load(&text).expect_err("wrong");
    assert_eq!(found.len(), 51);
    assert_eq!(found[50].code, "too-many-errors");
    assert!(found[50].message.starts_with("450 "), "{}", found[50].message);
}
