//! Any bytes from a DXP peer: each message is an error of one line or reads back as written, and
//! a whole conversation ends with every game on record. The last byte says who asks for games and
//! how boards are meant.
#![no_main]

use std::io::{Cursor, sink};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use crossbeam::channel::never;
use engine::board::Color;
use engine::engine::EngineOptions;
use engine::rules::Position;
use engine::search::Limits;
use libfuzzer_sys::fuzz_target;
use protocol::dxp::Message;
use protocol::dxp::peer::{Note, Offer, PeerOptions, talk};
use protocol::hub::reading::{PosStyle, Reading};
use protocol::player::Player;

/// One player for all runs: its memory is not what is tested.
fn player() -> &'static Mutex<Player> {
    static PLAYER: OnceLock<Mutex<Player>> = OnceLock::new();
    PLAYER.get_or_init(|| {
        let small = EngineOptions { hash_mb: 1, threads: 1 };
        Mutex::new(Player::new(small).expect("memory"))
    })
}

fuzz_target!(|bytes: &[u8]| {
    for text in bytes.split(|&byte| byte == 0).map(String::from_utf8_lossy) {
        match Message::read(&text) {
            Ok(message) => {
                let written = message.to_string();
                let again = Message::read(&written).expect("our own text");
                assert_eq!(again.to_string(), written);
            }
            Err(error) => assert_eq!(error.to_string().lines().count(), 1),
        }
    }
    let kind = bytes.last().copied().unwrap_or_default();
    let offer = Offer {
        start: Position::START,
        us: if kind & 4 == 0 { Color::Black } else { Color::White },
        minutes: 1,
        moves: 0,
        games: 3,
    };
    let options = PeerOptions {
        name: "Fuzz".into(),
        limits: Some(Limits::to_depth(1)),
        style: if kind & 2 == 0 { PosStyle::Auto } else { PosStyle::Fixed(Reading::Swapped) },
        patience: Duration::from_millis(50),
        pause: Duration::ZERO,
        offer: (kind & 1 != 0).then_some(offer),
    };
    let (mut begun, mut over) = (0, 0);
    let mut count = |note: Note<'_>| match note {
        Note::Begins(..) => begun += 1,
        Note::Over(_) => over += 1,
        _ => {}
    };
    let streams = (Cursor::new(bytes.to_vec()), sink());
    let mut player = player().lock().expect("no panic before");
    talk(streams, &mut player, &options, &never(), &mut count).expect("threads");
    assert_eq!(begun, over);
});
