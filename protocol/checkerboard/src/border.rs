//! The functions that CheckerBoard calls, and the memory that it lends us for their time.
//!
//! Owns every pointer: each is turned into a safe value or handle before anything else happens, and
//! none is kept after the return. No panic leaves these functions. Start reading at [`getmove`].

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use parking_lot::Mutex;

use crate::desk::Desk;
use crate::module;
use crate::table::{Call, Table};
use crate::terms::{Board, DRAW, Reply, UNKNOWN};

/// The room for a reply: some callers have 256 bytes and no more.
const REPLY: usize = 256;

/// The room for the status text.
const STATUS: usize = 1024;

/// What one loaded copy of the library knows; a renamed copy has its own.
struct Library {
    desk: Mutex<Desk>,
    table: Mutex<Table>,
}

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    // The GUI unloads the library when it quits, even while it is in use.
    module::pin();
    Library {
        desk: Mutex::new(Desk::new(module::settings_file())),
        table: Mutex::new(Table::default()),
    }
});

/// Text that the GUI reads from time to time while we write it.
struct Shared<'a> {
    start: *mut c_char,
    room: usize,
    lent: PhantomData<&'a mut [c_char]>,
}

impl Shared<'_> {
    /// # Safety
    ///
    /// `start` is null, or points to `room` (at least 1) bytes that may be written until the
    /// lifetime ends, by nobody else.
    unsafe fn new(start: *mut c_char, room: usize) -> Self {
        Self {
            start,
            room,
            lent: PhantomData,
        }
    }

    /// Writes text and its NUL, cut to the room. The last byte is a NUL before anything else is
    /// written, so a reader at any moment finds an end within the room.
    fn write(&mut self, text: &[u8]) {
        if self.start.is_null() {
            return;
        }
        let last = self.room - 1;
        let text = text
            .iter()
            .copied()
            .take_while(|&byte| byte != 0)
            .take(last);
        self.put(last, 0);
        let mut end = 0;
        for byte in text {
            self.put(end, byte);
            end += 1;
        }
        self.put(end, 0);
    }

    fn put(&mut self, at: usize, byte: u8) {
        debug_assert!(at < self.room);
        // SAFETY: within the room by the callers in `write`, and lent to us by the contract of
        // `new`. Volatile, since the GUI's thread reads meanwhile.
        unsafe { self.start.add(at).write_volatile(byte as c_char) }
    }
}

/// The GUI's word that the search is to end.
struct PlayNow<'a>(*const i32, PhantomData<&'a i32>);

impl PlayNow<'_> {
    /// # Safety
    ///
    /// The pointer is null, or readable and aligned until the lifetime ends.
    unsafe fn new(pointer: *const i32) -> Self {
        Self(pointer, PhantomData)
    }

    fn is_set(&self) -> bool {
        // SAFETY: by the contract of `new`. Volatile, since the GUI's thread writes meanwhile.
        !self.0.is_null() && unsafe { self.0.read_volatile() } != 0
    }
}

/// Chooses a move in `board` for `color` (1 White, 2 Black) and plays it there. Returns 0 for a
/// proven draw, 1 win, 2 loss of the mover, 3 for everything else.
///
/// # Safety
///
/// `board` points to 64 ints, `text` to 1024 bytes, `playnow` to an int, each of them null or valid
/// until the return; only `playnow` is written by others meanwhile. The last argument, which English
/// draughts has no use for, may be anything.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn getmove(
    board: *mut Board,
    color: i32,
    max_time: f64,
    text: *mut c_char,
    playnow: *const i32,
    info: i32,
    more_info: i32,
    _move: *mut c_void,
) -> i32 {
    if board.is_null() {
        return UNKNOWN;
    }
    // SAFETY: not null, so 64 ints by the contract; copied out at once.
    let before = unsafe { board.read_unaligned() };
    // SAFETY: the contract is this function's own.
    let (mut status, playnow) = unsafe { (Shared::new(text, STATUS), PlayNow::new(playnow)) };
    let reply = answer(&before, color, max_time, (info, more_info), &mut |line| {
        if let Some(line) = line {
            status.write(&module::encode(line, STATUS - 1));
        }
        playnow.is_set()
    });
    if let Some(after) = reply.board {
        // SAFETY: as for the reading.
        unsafe { board.write_unaligned(after) };
    }
    reply.value
}

/// Searches; if that panics, any legal move will do.
fn answer(
    board: &Board,
    color: i32,
    max_time: f64,
    info: (i32, i32),
    watch: &mut dyn FnMut(Option<&str>) -> bool,
) -> Reply {
    let searched = catch_unwind(AssertUnwindSafe(|| -> Result<Reply, String> {
        let library = &*LIBRARY;
        let orders = library.desk.lock().orders();
        let call = Call::new(board, color, max_time, info, orders)?;
        let mut table = library.table.lock();
        let reply = table.play(&call, watch);
        if let Some(had) = table.settings() {
            library.desk.lock().learn(&call.settings(), &had);
        }
        Ok(reply)
    }));
    match searched {
        Ok(Ok(reply)) => reply,
        Ok(Err(fault)) => {
            watch(Some(&fault));
            Reply::nothing(UNKNOWN)
        }
        Err(_) => {
            let first = catch_unwind(|| {
                LIBRARY.table.lock().give_up();
                Reply::first_move(board, color)
            });
            first.unwrap_or(Reply::nothing(UNKNOWN))
        }
    }
}

/// Answers a command in at most 255 bytes; 1 if it was understood, else 0.
///
/// # Safety
///
/// `command` is null or a text that ends with a NUL, `reply` null or 256 bytes that nobody else
/// uses meanwhile.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn enginecommand(
    command: *const c_char,
    reply: *mut c_char,
) -> i32 {
    if command.is_null() {
        return 0;
    }
    // SAFETY: not null, so it ends with a NUL by the contract; copied before the return.
    let command = unsafe { CStr::from_ptr(command) }.to_bytes();
    // SAFETY: the contract is this function's own.
    let mut reply = unsafe { Shared::new(reply, REPLY) };
    let answer = catch_unwind(|| {
        let command = module::decode(command);
        LIBRARY.desk.lock().command(&command)
    });
    let answer = answer.unwrap_or(None);
    let text = answer.as_deref().unwrap_or("?");
    reply.write(&module::encode(text, REPLY - 1));
    answer.is_some().into()
}

const _: () = assert!(DRAW == 0);

#[cfg(test)]
mod tests;
