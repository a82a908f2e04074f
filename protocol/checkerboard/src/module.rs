//! What the library has to ask of Windows: to stay loaded, its own name, the code page of texts.
//!
//! On other systems, where only tests load it, texts are UTF-8 and nothing is kept.

use std::path::PathBuf;

pub(crate) use system::{decode, encode, pin};

/// Where the settings of this copy of the library are kept, in the user's folder for programs.
pub(crate) fn settings_file() -> Option<PathBuf> {
    let name = system::name()?;
    let data = std::env::var_os("LOCALAPPDATA").filter(|it| !it.is_empty())?;
    let folder = PathBuf::from(data).join("crownhead");
    Some(folder.join(name).with_extension("checkerboard.txt"))
}

/// `text` cut to at most `most` bytes, between characters.
#[cfg(not(windows))]
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(not(windows))]
mod system {
    use std::ffi::OsString;

    pub(crate) fn pin() {}

    pub(super) fn name() -> Option<OsString> {
        None
    }

    pub(crate) fn decode(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    pub(crate) fn encode(text: &str, most: usize) -> Vec<u8> {
        super::cut(text, most).as_bytes().to_vec()
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::OsString;
    use std::os::windows::ffi::OsStringExt;
    use std::path::Path;
    use std::ptr;

    use windows_sys::Win32::Foundation::HMODULE;
    use windows_sys::Win32::Globalization::{CP_ACP, MultiByteToWideChar, WideCharToMultiByte};
    use windows_sys::Win32::System::LibraryLoader::{
        GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN, GetModuleFileNameW,
        GetModuleHandleExW,
    };

    /// More than any path that the GUI can load from.
    const LONGEST_PATH: usize = 4096;

    /// The module that holds this function; with the flag, for ever.
    fn own(flags: u32) -> Option<HMODULE> {
        let mut module = ptr::null_mut();
        let address = own as *const u16;
        let flags = flags | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
        // SAFETY: with that flag the second argument is an address within the module and not a
        // text; the handle is written to a variable of ours.
        let found = unsafe { GetModuleHandleExW(flags, address, &raw mut module) };
        (found != 0).then_some(module)
    }

    /// Keeps the library in memory until the process ends. If that fails, quitting the GUI during a
    /// search is as dangerous as with other engines.
    pub(crate) fn pin() {
        let _ = own(GET_MODULE_HANDLE_EX_FLAG_PIN);
    }

    /// The file name of this copy.
    pub(super) fn name() -> Option<OsString> {
        let module = own(GET_MODULE_HANDLE_EX_FLAG_PIN)?;
        let mut path = vec![0; LONGEST_PATH];
        // SAFETY: the buffer has the length that is told.
        let length = unsafe { GetModuleFileNameW(module, path.as_mut_ptr(), path.len() as u32) };
        let path = OsString::from_wide(path.get(..length as usize)?);
        Path::new(&path).file_name().map(ToOwned::to_owned)
    }

    /// Text in the code page of the system, as the GUI's functions use it.
    pub(crate) fn decode(bytes: &[u8]) -> String {
        let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
        // No character of a code page takes more than one unit a byte.
        let mut wide = vec![0u16; bytes.len()];
        if bytes.is_empty() {
            return String::new();
        }
        // SAFETY: both buffers have at least the lengths that are told.
        let count = unsafe {
            MultiByteToWideChar(CP_ACP, 0, bytes.as_ptr(), length, wide.as_mut_ptr(), length)
        };
        wide.truncate(usize::try_from(count).unwrap_or(0));
        String::from_utf16_lossy(&wide)
    }

    pub(crate) fn encode(text: &str, most: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for character in text.chars() {
            let mut units = [0; 2];
            let units = character.encode_utf16(&mut units);
            let mut room = [0u8; 8];
            // SAFETY: both buffers have the lengths that are told; no default character is asked for.
            let count = unsafe {
                WideCharToMultiByte(
                    CP_ACP,
                    0,
                    units.as_ptr(),
                    units.len() as i32,
                    room.as_mut_ptr(),
                    room.len() as i32,
                    ptr::null(),
                    ptr::null_mut(),
                )
            };
            let character = &room[..usize::try_from(count).unwrap_or(0)];
            if bytes.len() + character.len() > most {
                break;
            }
            bytes.extend_from_slice(character);
        }
        bytes
    }
}
