//! What finished files hold.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use engine::notation::fen;
use engine::tablebase::file::{self, FileError, Image, Volume};
use engine::tablebase::{Slice, distance};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// One slice, Black to move.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Men of the side to move.
    pub black_men: u32,
    /// Kings of the side to move.
    pub black_kings: u32,
    /// Men of the other side.
    pub white_men: u32,
    /// Kings of the other side.
    pub white_kings: u32,
    /// All positions.
    pub positions: u64,
    /// Positions won for the side to move.
    pub win: u64,
    /// Drawn positions.
    pub draw: u64,
    /// Lost positions.
    pub loss: u64,
    /// The longest distance to the next capture or man's move, in plies; `None` without a file of
    /// distances, as where a side has no kings.
    pub longest_distance: Option<u8>,
    /// A position with that distance.
    pub longest_fen: Option<String>,
    /// Bytes of the image of values.
    pub bytes: usize,
    /// Bytes of the image of distances.
    pub distance_bytes: Option<usize>,
    /// Positions for each byte.
    pub positions_per_byte: f64,
    /// SHA-256 of the image, in hexadecimal.
    pub sha256: String,
}

impl Row {
    fn of(image: &Image, distances: &[distance::Image]) -> Self {
        let header = image.header();
        let Slice { own, their } = header.slice;
        let [loss, draw, win] = header.counts;
        let positions = header.slice.positions();
        let distances = distances
            .iter()
            .map(distance::Image::header)
            .find(|it| it.slice == header.slice);
        let longest = distances.and_then(|it| image.index().placement(it.longest_at).position());
        Self {
            black_men: own.men,
            black_kings: own.kings,
            white_men: their.men,
            white_kings: their.kings,
            positions,
            win,
            draw,
            loss,
            longest_distance: distances.map(|it| it.longest),
            longest_fen: longest.map(|position| fen::write(&position)),
            bytes: header.bytes,
            distance_bytes: distances.map(|it| it.bytes),
            positions_per_byte: positions as f64 / header.bytes as f64,
            sha256: hexadecimal(&Sha256::digest(image.bytes())),
        }
    }

    const fn pieces(&self) -> u32 {
        self.black_men + self.black_kings + self.white_men + self.white_kings
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}-{}{} {:>13} = W {:>12} D {:>12} L {:>12} {:>10} bytes {:>8.1} a byte  {}{}",
            self.black_men,
            self.black_kings,
            self.white_men,
            self.white_kings,
            self.positions,
            self.win,
            self.draw,
            self.loss,
            self.bytes,
            self.positions_per_byte,
            &self.sha256[..16],
            match (self.longest_distance, &self.longest_fen) {
                (Some(plies), Some(fen)) => format!("  at most {plies} plies: {fen}"),
                _ => String::new(),
            }
        )
    }
}

/// The order in which slices are listed.
fn order(slice: Slice) -> [u32; 4] {
    let Slice { own, their } = slice;
    [slice.pieces(), own.pieces(), own.men, their.men]
}

/// The images of distances of all files of a folder.
fn distances(folder: &Path) -> Result<Vec<distance::Image>, FileError> {
    let mut all = Vec::new();
    for path in file::in_folder(folder, "ctd")? {
        all.extend(distance::Image::all(&Arc::new(Volume::open(&path)?))?);
    }
    all.sort_by_key(|image| order(image.header().slice));
    Ok(all)
}

/// The images of values of all files of a folder.
pub(crate) fn images(folder: &Path) -> Result<Vec<Image>, FileError> {
    let mut all = Vec::new();
    for path in file::in_folder(folder, "ctb")? {
        all.extend(Image::all(&Arc::new(Volume::open(&path)?))?);
    }
    all.sort_by_key(|image| order(image.header().slice));
    Ok(all)
}

/// One row for each slice in a folder, by pieces.
///
/// # Errors
///
/// When a file cannot be read or is no database.
pub fn stats(folder: &Path) -> Result<Vec<Row>, FileError> {
    let distances = distances(folder)?;
    let row = |image| Row::of(image, &distances);
    Ok(images(folder)?.iter().map(row).collect())
}

/// The sums by pieces, a line each.
#[must_use]
pub fn total(rows: &[Row]) -> String {
    let most = rows.iter().map(Row::pieces).max().unwrap_or(0);
    let line = |pieces: u32| {
        let of = |count: fn(&Row) -> u64| -> u64 {
            rows.iter()
                .filter(|row| row.pieces() == pieces)
                .map(count)
                .sum()
        };
        let bytes = of(|row| row.bytes as u64);
        format!(
            "{pieces} pieces: {} = W {} D {} L {}, {bytes} bytes",
            of(|row| row.positions),
            of(|row| row.win),
            of(|row| row.draw),
            of(|row| row.loss)
        )
    };
    (2..=most).map(line).collect::<Vec<_>>().join("\n")
}

/// The most pieces of any slice in a folder.
///
/// # Errors
///
/// As [`stats`].
pub fn most_pieces(folder: &Path) -> Result<u32, FileError> {
    let pieces = images(folder)?
        .iter()
        .map(|image| image.header().slice.pieces())
        .max();
    Ok(pieces.unwrap_or(0))
}

/// The images of the distances of up to `pieces` pieces, one after the other.
///
/// # Errors
///
/// As [`stats`].
pub fn pack_distances(folder: &Path, pieces: u32) -> Result<Vec<u8>, FileError> {
    let wanted = distances(folder)?
        .into_iter()
        .filter(|image| image.header().slice.pieces() <= pieces);
    Ok(wanted.flat_map(|image| image.bytes().to_vec()).collect())
}

/// The images of up to `pieces` pieces, one after the other.
///
/// # Errors
///
/// As [`stats`].
pub fn pack(folder: &Path, pieces: u32) -> Result<Vec<u8>, FileError> {
    let wanted = images(folder)?
        .into_iter()
        .filter(|image| image.header().slice.pieces() <= pieces);
    Ok(wanted.flat_map(|image| image.bytes().to_vec()).collect())
}
