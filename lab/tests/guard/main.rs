//! The guard on real drives.
