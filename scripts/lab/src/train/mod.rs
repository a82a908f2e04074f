//! Training: labelled positions in, a network file out.
//!
//! [`samples`] reads the data, [`model`] is the network in floating point with its gradient,
//! [`descent`] the loop over batches, [`quantize`] the way into the engine's file. Every sum is
//! taken in an order that does not depend on the number of threads, so a seed decides the result.

pub mod chances;
pub mod curve;
pub mod descent;
pub mod model;
pub mod quantize;
pub mod samples;
