//! All distances that were found, and those decoded last.

use std::sync::{Arc, Mutex, PoisonError};

use super::super::file::{Damage, FileError, Image as Values, Stored, Volume};
use super::super::index::Placement;
use super::super::model::UNKNOWN;
use super::super::slice::Slice;
use super::super::unit::{self, UNIT as VALUES};
use super::super::walk::Walk;
use super::coding::{Kind, UNIT};
use super::file::Image;
use crate::rules::Position;

/// Decoded units that are kept: 2 MiB.
const KEPT: usize = 128;

type Unit = (Slice, u64);

/// Distances of all slices that have any.
#[derive(Debug, Default)]
pub(in super::super) struct Store {
    images: Vec<Image>,
    /// The last used at the end. A lock will do: distances are asked for at the root of a search
    /// and by people, never inside the tree.
    kept: Mutex<Vec<(Unit, Arc<[u8]>)>>,
}

impl Store {
    /// Takes the images of a volume in, each in place of an earlier one of the same slice.
    pub(in super::super) fn add(&mut self, volume: Volume) -> Result<(), FileError> {
        for image in Image::all(&Arc::new(volume))? {
            let slice = image.header().slice;
            self.images.retain(|known| known.header().slice != slice);
            self.images.push(image);
        }
        Ok(())
    }

    pub(in super::super) fn images(&self) -> &[Image] {
        &self.images
    }

    pub(in super::super) fn image(&self, slice: Slice) -> Option<&Image> {
        self.images.iter().find(|it| it.header().slice == slice)
    }

    /// The stored distance of a lost position without a capture; `values` is the image of its slice.
    pub(in super::super) fn look_up(
        &self,
        image: &Image,
        values: &Values,
        position: &Position,
    ) -> Result<u8, Damage> {
        let index = values.index().index(&Placement::of(position));
        let (number, at) = (index / UNIT as u64, index as usize % UNIT);
        let unit = (image.header().slice, number);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = kept.iter().rposition(|(it, _)| *it == unit) {
            let found = kept.remove(place);
            let distance = found.1[at];
            kept.push(found);
            return Ok(distance);
        }
        let distances: Arc<[u8]> = decoded(image, values, number)?.into();
        let distance = distances[at];
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((unit, distances));
        Ok(distance)
    }
}

/// The distances of one unit.
fn decoded(image: &Image, values: &Values, number: u64) -> Result<Box<[u8]>, Damage> {
    let known = stored_values(values, number)?;
    let kind = |at: usize, walk: &Walk| kind(known[at], walk);
    image.decode(values.index(), number, known.len(), kind)
}

/// What a stored value (0 loss, 1 draw, 2 win, others where none is stored) says of a position.
#[must_use]
pub fn kind(value: u8, walk: &Walk) -> Kind {
    match value {
        0 => Kind::Lost,
        1 | 2 => Kind::Other,
        _ if walk.position().has_jump() => Kind::Other,
        _ => Kind::Perhaps,
    }
}

/// The stored values of one unit of distances, as [`kind`] takes them.
///
/// # Errors
///
/// [`Damage`] when a checksum is wrong.
pub fn stored_values(image: &Values, unit: u64) -> Result<Vec<u8>, Damage> {
    let len = (image.index().len() - unit * UNIT as u64).min(UNIT as u64) as usize;
    let mut known = vec![UNKNOWN; len];
    let first = unit * (UNIT / VALUES) as u64;
    for (number, known) in (first..).zip(known.chunks_mut(VALUES)) {
        known.copy_from_slice(&values_of(image, number)?[..known.len()]);
    }
    Ok(known)
}

/// The stored values of one unit of values.
fn values_of(image: &Values, number: u64) -> Result<[u8; VALUES], Damage> {
    let mut values = [UNKNOWN; VALUES];
    match image.stored(number)? {
        Stored::Coded(bytes) => image.decode(number, VALUES, bytes, &mut values)?,
        Stored::All(value) => unit::fill(image.index(), number, &mut values, |_| value as u8),
    }
    Ok(values)
}
