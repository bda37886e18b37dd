//! Leaves the names of functions out of a release. Cargo does not pass its own option for that to a package
//! whose optimisation is set apart from the profile's.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
}
