//! The line protocols and the command line of `crownhead`.
