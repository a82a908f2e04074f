//! `crownhead dxp`: games over DXP, the DamExchange protocol, on TCP or the standard streams.
//!
//! Owns the connections: one plays at a time, others are told so soon, and only this machine is
//! listened to unless an address says otherwise. What is said on a connection is
//! `protocol::dxp::peer`'s affair.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use crossbeam::channel::{Receiver, Sender, bounded};
use crossbeam::select;
use engine::board::Color;
use engine::notation::{Notation, pdn};
use engine::search::Limits;
use parking_lot::Mutex;
use protocol::dxp::message::Verdict;
use protocol::dxp::peer::{Note, Offer, PAUSE, Parting, PeerOptions, talk};
use protocol::dxp::{Message, PORT, Record};
use protocol::hub::reading::PosStyle;
use protocol::player::Player;

use super::analyze::seconds;
use super::input;
use super::session::Session;
use super::{Answer, Failure, tell_progress, warn};

/// How long a connection waits for the end of the one before it: programs that connect anew for each
/// game are back before we have put the last one away.
const GRACE: Duration = Duration::from_secs(1);

/// A peer that does not take what we say within this time has gone.
const WRITE: Duration = Duration::from_secs(10);

/// Play over DXP (DamExchange): on standard input and output, or with --listen or --connect over
/// TCP.
#[derive(Debug, Args)]
pub(super) struct Dxp {
    /// Wait for connections at HOST:PORT, HOST or PORT [default: 127.0.0.1:27531].
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "27531")]
    listen: Option<String>,
    /// Connect to HOST:PORT, HOST or PORT.
    #[arg(long, value_name = "ADDR", conflicts_with = "listen")]
    connect: Option<String>,
    /// Ask for games (initiator) or wait for requests (follower) [default: initiator with
    /// --connect, else follower].
    #[arg(long, value_name = "ROLE")]
    role: Option<Role>,
    /// As initiator: how many games, with colours in turn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u32,
    /// As initiator: our side in the first game.
    #[arg(long, value_name = "SIDE", default_value = "black")]
    side: Side,
    /// As initiator: where the games begin; FEN, PDN, a board, a file, or "start".
    #[arg(long, value_name = "POS", default_value = "start")]
    pos: String,
    /// As initiator: minutes for each side, 0 for no clock.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(..=999))]
    minutes: u16,
    /// As initiator: end each game after N moves by each side, 0 for no end.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=999))]
    moves: u16,
    /// Think S seconds about each move, whatever the clock says.
    #[arg(long, value_name = "S", value_parser = seconds)]
    time: Option<Duration>,
    /// How boards in requests are meant, the other program's and ours: pydraughts turns them and
    /// swaps the colours (auto: it does, others do not).
    #[arg(long, value_name = "STYLE", default_value = "auto", value_parser = style)]
    pos_style: PosStyle,
    /// How long the other program may be silent, in seconds.
    #[arg(long, value_name = "S", default_value = "3600", value_parser = seconds)]
    patience: Duration,
    /// With --listen: leave after N connections [default: never].
    #[arg(long, value_name = "N", requires = "listen")]
    connections: Option<u32>,
    /// Append every game to this file, finished or not.
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    #[command(flatten)]
    session: Session,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Role {
    Follower,
    Initiator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    Black,
    White,
}

fn style(text: &str) -> Result<PosStyle, String> {
    PosStyle::named(text).ok_or_else(|| format!("expected {}", PosStyle::NAMES.join(", ")))
}

/// `HOST:PORT`, `HOST` or `PORT`; without a host it is this machine, without a port DXP's.
fn addresses(text: &str) -> Result<Vec<SocketAddr>, Failure> {
    let bad = |why: &str| {
        let text = input::shorten(text);
        Failure::Input(format!(
            "address {text}: {why}; expected HOST:PORT, HOST or PORT"
        ))
    };
    if text.is_empty() || text.bytes().all(|digit| digit.is_ascii_digit()) {
        let port = text.parse().map_err(|_| bad("no such port"))?;
        return Ok(vec![SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port)]);
    }
    let found = if text.contains(':') && text.parse::<IpAddr>().is_err() {
        text.to_socket_addrs()
    } else {
        (text, PORT).to_socket_addrs()
    };
    let found: Vec<SocketAddr> = found.map_err(|error| bad(&error.to_string()))?.collect();
    if found.is_empty() {
        return Err(bad("no such host"));
    }
    Ok(found)
}

impl Dxp {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<Answer, Failure> {
        let mut player = Player::new(self.session.engine()).map_err(input_error)?;
        let opened = player.open(&self.session.tablebase());
        opened.map_err(|error| Failure::Input(error.to_string()))?;
        let mut table = Table {
            player,
            options: self.options()?,
            pdn: self.pdn.as_ref().map(open).transpose()?,
            lost: None,
        };
        let answer = match (&self.listen, &self.connect) {
            (Some(address), _) => self.listen(&addresses(address)?, &mut table, out)?,
            (None, Some(address)) => {
                let stream = TcpStream::connect(&addresses(address)?[..]);
                let stream = stream.map_err(|error| failed(address, &error))?;
                // Only now: an interrupt while nobody answers has nothing to lose.
                table.converse(&stream, &interrupts()?, out)?
            }
            (None, None) => {
                // Standard output is the peer's.
                let parting = table.talk((io::stdin(), out), &interrupts()?, &mut |_| {})?;
                verdict(&parting)
            }
        };
        match table.lost {
            Some(error) => Err(Failure::Output(error)),
            None => Ok(answer),
        }
    }

    fn options(&self) -> Result<PeerOptions, Failure> {
        let role = self.role.unwrap_or(match self.connect {
            Some(_) => Role::Initiator,
            None => Role::Follower,
        });
        let offer = match role {
            Role::Follower => None,
            Role::Initiator => Some(Offer {
                start: input::read(&self.pos, Default::default())?.position(),
                us: match self.side {
                    Side::Black => Color::Black,
                    Side::White => Color::White,
                },
                minutes: self.minutes,
                moves: self.moves,
                games: self.games,
            }),
        };
        Ok(PeerOptions {
            name: our_name(),
            limits: self.time.map(Limits::for_time),
            style: self.pos_style,
            patience: self.patience,
            pause: PAUSE,
            offer,
        })
    }

    fn listen(
        &self,
        addresses: &[SocketAddr],
        table: &mut Table,
        out: &mut impl Write,
    ) -> Result<Answer, Failure> {
        let listener = TcpListener::bind(addresses)
            .map_err(|error| failed(&addresses[0].to_string(), &error))?;
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() {
            warn(&format!("listening at {address}, beyond this machine"));
        }
        writeln!(out, "listening at {address}")?;
        out.flush()?;
        let stop = interrupts()?;
        let busy = Arc::new(AtomicBool::new(false));
        let connections = accept(listener, &busy)?;
        let mut left = self.connections;
        while left != Some(0) {
            select! {
                recv(connections) -> stream => {
                    let Ok(stream) = stream else { break };
                    table.converse(&stream, &stop, out)?;
                    left = left.map(|left| left - 1);
                    busy.store(false, Ordering::Release);
                }
                recv(stop) -> _ => break,
            }
        }
        Ok(Answer::Yes)
    }
}

fn input_error(error: impl std::error::Error) -> Failure {
    Failure::Input(error.to_string())
}

fn our_name() -> String {
    format!("Crownhead {}", env!("CARGO_PKG_VERSION"))
}

fn failed(address: &str, error: &io::Error) -> Failure {
    Failure::Input(format!("address {}: {error}", input::shorten(address)))
}

fn open(path: &PathBuf) -> Result<File, Failure> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
}

/// Gets its sender dropped at the first interrupt.
fn interrupts() -> Result<Receiver<()>, Failure> {
    let (sender, interrupts) = bounded(0);
    let sender: Mutex<Option<Sender<()>>> = Mutex::new(Some(sender));
    ctrlc::set_handler(move || drop(sender.lock().take())).map_err(input_error)?;
    Ok(interrupts)
}

/// Accepts connections on a thread of its own; one is passed on when none is busy, others are
/// refused after the time of grace.
fn accept(listener: TcpListener, busy: &Arc<AtomicBool>) -> io::Result<Receiver<TcpStream>> {
    let (sender, connections) = bounded(1);
    let busy = Arc::clone(busy);
    let accept = move || {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) if !becomes_ours(&busy) => refuse(stream),
                Ok(stream) => {
                    if sender.send(stream).is_err() {
                        return;
                    }
                }
                // The connection ended before it began, or there are too many: the next may do.
                Err(_) => thread::sleep(Duration::from_millis(50)),
            }
        }
    };
    thread::Builder::new().name("accept".into()).spawn(accept)?;
    Ok(connections)
}

/// Whether nobody else plays now, or within the time of grace; if so, we do.
fn becomes_ours(busy: &AtomicBool) -> bool {
    let end = Instant::now() + GRACE;
    while busy.swap(true, Ordering::AcqRel) {
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(Duration::from_millis(10));
    }
    true
}

/// Few bytes, which the system takes at once: nobody is waited for.
fn refuse(mut stream: TcpStream) {
    let busy = Message::Chat("busy with another game; try again later".into());
    let refusal = Message::GameAnswer(our_name(), Verdict::AnyGame);
    // Whoever has left already need not be told.
    let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
    let _ = stream.write_all(format!("{busy}\0{refusal}\0").as_bytes());
}

/// What is needed for a conversation, kept from one to the next.
struct Table {
    player: Player,
    options: PeerOptions,
    pdn: Option<File>,
    /// The first game that could not be written.
    lost: Option<io::Error>,
}

impl Table {
    /// Plays on a connection and tells people how it goes.
    fn converse(
        &mut self,
        stream: &TcpStream,
        stop: &Receiver<()>,
        out: &mut impl Write,
    ) -> Result<Answer, Failure> {
        let peer = stream.peer_addr().map(|address| address.to_string());
        let peer = peer.unwrap_or_else(|_| "a peer that left".into());
        let streams = prepare(stream);
        let mut told = Ok(());
        let mut tell = |line: String| {
            if told.is_ok() {
                told = writeln!(out, "{line}").and_then(|()| out.flush());
            }
        };
        tell(format!("connected with {peer}"));
        let parting = match streams {
            Ok(streams) => self.talk(streams, stop, &mut tell)?,
            Err(_) => Parting::Gone,
        };
        // Ends the thread that reads.
        let _ = stream.shutdown(Shutdown::Both);
        tell(farewell(&parting));
        told?;
        Ok(verdict(&parting))
    }

    fn talk<R, W>(
        &mut self,
        streams: (R, W),
        stop: &Receiver<()>,
        tell: &mut dyn FnMut(String),
    ) -> Result<Parting, Failure>
    where
        R: io::Read + Send + 'static,
        W: Write,
    {
        let (pdn, lost, options) = (&mut self.pdn, &mut self.lost, &self.options);
        let mut notes = |note: Note<'_>| {
            if let (Note::Over(record), Some(file)) = (&note, pdn.as_mut())
                && let Err(error) = keep(record, &options.name, file)
            {
                tell_progress(&format!("the game could not be written: {error}"));
                lost.get_or_insert(error);
            }
            if let Note::Trouble(what) = note {
                // Standard output may be the peer's.
                warn(what);
            }
            tell(news(&note));
        };
        Ok(talk(streams, &mut self.player, options, stop, &mut notes)?)
    }
}

fn prepare(stream: &TcpStream) -> io::Result<(TcpStream, TcpStream)> {
    // pydraughts takes messages that arrive together for one.
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE))?;
    Ok((stream.try_clone()?, stream.try_clone()?))
}

fn keep(record: &Record, us: &str, file: &mut File) -> io::Result<()> {
    let game = record.to_pdn(us);
    file.write_all(pdn::to_text(&game, Notation::Numeric).as_bytes())
}

fn news(note: &Note<'_>) -> String {
    match note {
        Note::Begins(peer, us) => format!("game against {peer}: we play {us}"),
        Note::Said(text) => format!("the peer says: {text}"),
        Note::Fault(what) => format!("the peer is at fault: {what}"),
        Note::Trouble(what) => format!("at our end: {what}"),
        Note::Over(record) => {
            let plies = record.game.moves().len();
            let (result, ending) = (record.result(), &record.ending);
            format!("game over after {plies} plies: {result} ({ending})")
        }
    }
}

fn farewell(parting: &Parting) -> String {
    match parting {
        Parting::Done => "done".into(),
        Parting::Gone => "the peer has left".into(),
        Parting::Refused(verdict) => format!("the peer refused the game: {verdict}"),
        Parting::Fault(what) => format!("connection closed: {what}"),
        Parting::Silent(time) => {
            format!("connection closed: silent for {} s", time.as_secs())
        }
        Parting::Stopped => "stopped".into(),
    }
}

fn verdict(parting: &Parting) -> Answer {
    match parting {
        Parting::Done | Parting::Gone | Parting::Stopped => Answer::Yes,
        Parting::Refused(_) | Parting::Fault(_) | Parting::Silent(_) => Answer::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_on_this_machine_unless_told_otherwise() {
        let first = |text: &str| addresses(text).expect(text)[0].to_string();
        assert_eq!(first("27531"), "127.0.0.1:27531");
        assert_eq!(first("8000"), "127.0.0.1:8000");
        assert_eq!(first("127.0.0.1"), "127.0.0.1:27531");
        assert_eq!(first("127.0.0.1:99"), "127.0.0.1:99");
        assert_eq!(first("0.0.0.0:5"), "0.0.0.0:5");
        assert_eq!(first("[::1]:5"), "[::1]:5");
        assert_eq!(first("::1"), "[::1]:27531");
        for bad in ["", "99999", "127.0.0.1:x", "127.0.0.1:99999"] {
            assert!(addresses(bad).is_err(), "{bad}");
        }
    }
}
