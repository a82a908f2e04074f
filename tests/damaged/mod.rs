//! Folders of endgame databases that are damaged in a known way.

use std::fs;

use engine::tablebase::Tablebase;
use protocol::databases::Wanted;
use tempfile::TempDir;

/// A folder with the values of two pieces, the last payload of each file spoilt under the checksum
/// of its units; the headers are sound.
pub(crate) fn two_pieces() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let built_in = Tablebase::built_in(1);
    let images = built_in.images();
    for image in images.filter(|it| it.header().slice.pieces() == 2) {
        let mut bytes = image.bytes().to_vec();
        spoil(&mut bytes);
        let name = format!("{}.ctb", image.header().slice);
        fs::write(folder.path().join(name), bytes).expect("written");
    }
    folder
}

/// A folder with the distances of two pieces, spoilt in the same way.
pub(crate) fn distances_of_two_pieces() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let built_in = Tablebase::built_in(1);
    let images = built_in.distances().iter();
    for image in images.filter(|it| it.header().slice.pieces() == 2) {
        let mut bytes = image.bytes().to_vec();
        spoil(&mut bytes);
        let name = format!("{}.ctd", image.header().slice);
        fs::write(folder.path().join(name), bytes).expect("written");
    }
    folder
}

fn spoil(bytes: &mut [u8]) {
    let last = bytes.iter().rposition(|&byte| byte != 0);
    bytes[last.expect("a payload")] ^= 1;
}

/// What asks for the databases of a folder, over those built in.
pub(crate) fn wanted(folder: &TempDir) -> Wanted {
    Wanted::Folders(folder.path().into())
}
