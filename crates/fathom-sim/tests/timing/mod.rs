//! How long simulated flash drives take: one I/O alone, queues, fills, steady state.

mod closed_loop;
mod fills;
mod heat;
mod phases;
mod repeat;
mod servers;
mod single;
