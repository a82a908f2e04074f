//! Crownhead as an engine of the CheckerBoard GUI: a library that exports `getmove` and
//! `enginecommand`.
//!
//! `border` is where the GUI calls in, and with `module` the only unsafe code; everything
//! behind it is safe and works on any system, which is where its tests run. `desk` answers
//! commands, `table` plays. The two do not wait for each other: a command that comes during a
//! search is answered at once and takes effect with the next one. Start reading at
//! `border::getmove`.

#[allow(unsafe_code)]
mod border;
mod desk;
#[allow(unsafe_code)]
mod module;
mod status;
mod table;
mod terms;
