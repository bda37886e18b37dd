//! x
pub fn svg(_m: &super::map::Topology) -> String {
    String::new()
}
