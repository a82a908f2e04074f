//! Writes plain files: the values of coded files with two bits a position.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use engine::tablebase::Slice;
use engine::tablebase::file::Image;
use engine::tablebase::plain::{Plain, Unpacking};
use rayon::prelude::*;

use crate::{build, stats, system};

/// Pages that are decoded before they are written: 16 MiB.
const BATCH: usize = 4096;

/// The plain file of a slice in a folder.
fn path(folder: &Path, slice: Slice) -> PathBuf {
    folder.join(format!("{slice}.ctp"))
}

/// Writes a plain file beside every coded file of `folder` with up to `pieces` pieces, but for
/// those that are there; tells `watch` each slice and its bytes. All bytes together.
///
/// # Errors
///
/// When a file cannot be read, is damaged, or cannot be written; there is never half a file.
pub fn unpack(
    folder: &Path,
    pieces: u32,
    mut watch: impl FnMut(Slice, usize),
) -> anyhow::Result<usize> {
    let mut wanted = stats::images(folder)?;
    wanted.retain(|image| image.header().slice.pieces() <= pieces);
    ensure!(
        !wanted.is_empty(),
        "no files of up to {pieces} pieces in {}",
        folder.display()
    );
    let mut bytes = 0;
    for image in wanted {
        let slice = image.header().slice;
        let path = path(folder, slice);
        let there = Plain::open(&path).ok().filter(|plain| plain.is_of(&image));
        let size = match there {
            Some(plain) => plain.bytes(),
            None => write(&path, &image).with_context(|| format!("cannot unpack {slice}"))?,
        };
        watch(slice, size);
        bytes += size;
    }
    Ok(bytes)
}

/// Writes the plain file of an image whole or not at all; its bytes.
fn write(path: &Path, image: &Image) -> anyhow::Result<usize> {
    let unpacking = Unpacking::new(image)?;
    let size = unpacking.bytes();
    if let Some(free) = path.parent().and_then(system::free_disk) {
        ensure!(
            size as u64 <= free,
            "{size} bytes are needed on disk and {free} are free"
        );
    }
    build::write_by(path, |file| {
        let mut sums = Vec::new();
        file.seek(SeekFrom::Start(unpacking.values()))?;
        let pages: Vec<usize> = (0..unpacking.pages()).collect();
        for batch in pages.chunks(BATCH) {
            let read = batch.par_iter().map(|&page| unpacking.page(page));
            let values: Vec<_> = read.collect::<Result<_, _>>()?;
            for (values, sum) in values {
                sums.push(sum);
                file.write_all(&values)?;
            }
        }
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&unpacking.front(&sums))?;
        Ok(size)
    })
}
