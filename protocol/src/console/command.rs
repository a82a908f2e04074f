//! What a person types that is not a move.

/// A line at the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    Nothing,
    Help,
    New,
    Undo,
    Board,
    Moves,
    Fen,
    SetUp(&'a str),
    Hint,
    Level(&'a str),
    Side(&'a str),
    Flip,
    Notation(&'a str),
    Pdn(&'a str),
    Go,
    Quit,
    Play(&'a str),
}

pub(super) const HELP: &str = "\
11-15 or c3-d4     play a move; a jump is 15x22; several moves at once are played in turn
moves              list the legal moves          hint      what the engine would play
undo               take back                     go        let the engine move for you
board, flip        show or turn the board        new       begin again
level [1-10]       how strong the engine plays   side black|white|both
                                                 which side you play (both: the engine only helps)
fen [FEN]          show the position, or set one up
notation numeric|algebraic                       how moves are written
pdn [FILE]         show the game, or save it
quit               leave";

impl<'a> Command<'a> {
    /// Commands begin with a word that no move begins with; case does not matter.
    pub(super) fn read(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_ascii_lowercase().as_str() {
            "" => Self::Nothing,
            "help" | "?" => Self::Help,
            "new" => Self::New,
            "undo" | "back" => Self::Undo,
            "board" | "show" => Self::Board,
            "moves" => Self::Moves,
            "fen" | "setup" if rest.is_empty() => Self::Fen,
            "fen" | "setup" => Self::SetUp(rest),
            "hint" => Self::Hint,
            "level" => Self::Level(rest),
            "side" => Self::Side(rest),
            "flip" => Self::Flip,
            "notation" => Self::Notation(rest),
            "pdn" | "save" => Self::Pdn(rest),
            "go" => Self::Go,
            "quit" | "exit" | "bye" => Self::Quit,
            _ => Self::Play(line),
        }
    }
}
