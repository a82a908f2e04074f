//! Gathers one game from the words of PDN.
//!
//! Variations are kept on a stack and everything that is stored is counted, so that no input,
//! however long its games or deep its parentheses, needs more than bounded memory.

use super::lexer::Token;
use super::{GameResult, PdnError, PdnFault, PdnGame, PlayedMove, Tag, Variation};
use crate::board::{Direction, Square};
use crate::notation::{MoveError, excerpt, fen, moves};
use crate::rules::{Move, Position};

/// Bytes that one game may take in memory; 100,000 plies fit.
const MOST_BYTES: usize = 16 << 20;
/// Roughly what a move without annotation takes.
const MOVE_BYTES: usize = size_of::<PlayedMove>();
/// Variations inside variations that are kept; deeper ones are skipped.
const MOST_DEPTH: usize = 64;
const MOST_WARNINGS: usize = 20;

/// One line of moves while it is being read.
struct Branch {
    moves: Vec<PlayedMove>,
    comments: Vec<String>,
    /// Before the last move: where a variation on it begins.
    before: Position,
    now: Position,
    /// After a move that could not be played, the rest of the line is skipped.
    dead: bool,
}

impl Branch {
    fn new(start: Position, dead: bool) -> Self {
        Self {
            moves: Vec::new(),
            comments: Vec::new(),
            before: start,
            now: start,
            dead,
        }
    }
}

/// A game while it is being read.
pub(super) struct Build {
    pub(super) game: PdnGame,
    main: Branch,
    branches: Vec<Branch>,
    /// Parentheses open beyond [`MOST_DEPTH`].
    skipped: usize,
    pub(super) has_text: bool,
    /// A tag, a set-up or moves left blank: something that a game without moves can consist of.
    has_substance: bool,
    has_blanks: bool,
    begun: bool,
    /// The FEN leaves open who moves first.
    open_turn: bool,
    pub(super) terminator: Option<String>,
    room: usize,
}

impl Build {
    pub(super) fn new(number: usize, line: usize) -> Self {
        Self {
            game: PdnGame {
                number,
                line,
                ..PdnGame::default()
            },
            main: Branch::new(Position::START, false),
            branches: Vec::new(),
            skipped: 0,
            has_text: false,
            has_substance: false,
            has_blanks: false,
            begun: false,
            open_turn: false,
            terminator: None,
            room: MOST_BYTES,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.game.tags.is_empty() && !self.has_text && self.terminator.is_none()
    }

    /// Whether the text holds no game: no move, right or wrong, no tag and no set-up.
    pub(super) fn is_void(&self) -> bool {
        !self.has_substance && self.main.moves.is_empty() && self.game.fault.is_none()
    }

    pub(super) fn depth(&self) -> usize {
        self.branches.len() + self.skipped
    }

    fn branch(&mut self) -> &mut Branch {
        self.branches.last_mut().unwrap_or(&mut self.main)
    }

    pub(super) fn warn(&mut self, warning: String) {
        if self.game.warnings.len() < MOST_WARNINGS {
            self.game.warnings.push(warning);
        }
    }

    /// Takes `bytes` of the game's room; false when there is none left.
    fn spend(&mut self, line: usize, bytes: usize) -> bool {
        if self.room >= bytes {
            self.room -= bytes;
            return true;
        }
        if self.room > 0 {
            self.room = 0;
            self.fail(line, PdnFault::TooLong(MOST_BYTES));
        }
        false
    }

    /// Ends the main line with an error.
    fn fail(&mut self, line: usize, reason: PdnFault) {
        self.main.dead = true;
        let error = PdnError {
            game: self.game.number,
            ply: self.main.moves.len() + usize::from(self.begun),
            line,
            reason,
        };
        self.game.fault.get_or_insert(error);
    }

    pub(super) fn take(&mut self, token: Token, line: usize) {
        match token {
            Token::Tag { name, value, whole } => self.tag(line, name, value, whole),
            Token::Comment { text, closed } => self.comment(line, text, closed),
            Token::Nag(nag) => self.annotate(line, |played| played.nags.push(nag)),
            Token::Marks(marks) => self.annotate(line, |played| played.marks.push_str(&marks)),
            Token::Open => self.open(line),
            Token::Close => self.close(),
            Token::SetUp(text) => self.set_up(line, &text),
            Token::Result(text) => self.warn(format!("line {line}: result {text} in a variation")),
            Token::Junk(word) => self.junk(line, &word),
            Token::Blank => self.left_blank(line),
            Token::Move { .. } | Token::Number(_) | Token::End => {}
        }
    }

    fn tag(&mut self, line: usize, name: String, value: String, whole: bool) {
        if !self.spend(line, name.len() + value.len() + size_of::<Tag>()) {
            return;
        }
        self.has_substance |= (whole && !name.is_empty()) || name.eq_ignore_ascii_case("FEN");
        if !whole {
            self.warn(format!(
                "line {line}: tag {} without its quotes",
                excerpt(&name)
            ));
        }
        if self.game.tag(&name).is_some() {
            self.warn(format!("line {line}: a second tag {}", excerpt(&name)));
        }
        self.game.tags.push(Tag { name, value });
    }

    fn left_blank(&mut self, line: usize) {
        self.has_text = true;
        self.has_substance = true;
        if !self.has_blanks {
            self.has_blanks = true;
            self.warn(format!("line {line}: a move left blank (-) passed over"));
        }
    }

    fn comment(&mut self, line: usize, text: String, closed: bool) {
        if !closed {
            self.warn(format!("line {line}: a comment without its closing brace"));
        }
        if text.is_empty()
            || !self.spend(line, text.len() + size_of::<String>())
            || self.skipped > 0
        {
            return;
        }
        let branch = self.branch();
        match branch.moves.last_mut() {
            Some(played) => played.comments.push(text),
            None => branch.comments.push(text),
        }
    }

    fn annotate(&mut self, line: usize, add: impl FnOnce(&mut PlayedMove)) {
        if self.skipped > 0 || self.branch().dead || !self.spend(line, 16) {
            return;
        }
        if let Some(played) = self.branch().moves.last_mut() {
            add(played);
        }
    }

    fn junk(&mut self, line: usize, word: &str) {
        self.warn(format!("line {line}: \"{}\" passed over", excerpt(word)));
    }

    fn open(&mut self, line: usize) {
        self.has_text = true;
        if self.skipped > 0 || self.branches.len() == MOST_DEPTH || !self.spend(line, MOVE_BYTES) {
            if self.skipped == 0 {
                self.warn(format!("line {line}: a variation too deep was passed over"));
            }
            self.skipped += 1;
            return;
        }
        self.begin(line);
        let parent = self.branch();
        let orphan = parent.moves.is_empty();
        let branch = Branch::new(parent.before, parent.dead || orphan);
        self.branches.push(branch);
        if orphan {
            self.warn(format!(
                "line {line}: a variation before any move was passed over"
            ));
        }
    }

    fn close(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(branch) = self.branches.pop() else {
            return self.warn("a parenthesis that nothing opened".into());
        };
        if branch.moves.is_empty() && branch.comments.is_empty() {
            return;
        }
        if let Some(played) = self.branch().moves.last_mut() {
            played.variations.push(Variation {
                comments: branch.comments,
                moves: branch.moves,
            });
        }
    }

    /// The FEN tag decides where the first move is played. False if moves cannot be played.
    pub(super) fn begin(&mut self, line: usize) -> bool {
        if !self.begun {
            self.read_start(line);
            self.begun = true;
        }
        self.skipped == 0 && !self.branch().dead && self.spend(line, MOVE_BYTES)
    }

    fn read_start(&mut self, line: usize) {
        let Some(text) = self.game.tag("FEN").map(str::to_owned) else {
            return;
        };
        match fen::parse(&text) {
            Ok(placement) => {
                self.game.start = placement.position;
                self.main = Branch {
                    comments: std::mem::take(&mut self.main.comments),
                    ..Branch::new(placement.position, false)
                };
                self.open_turn = placement.turn.is_none();
            }
            Err(error) => self.fail(line, error.into()),
        }
    }

    fn set_up(&mut self, line: usize, text: &str) {
        self.has_text = true;
        self.has_substance = true;
        if !self.begin(line) {
            return;
        }
        let position = match fen::read(text) {
            Ok(position) => position,
            Err(error) if self.branches.is_empty() => return self.fail(line, error.into()),
            Err(error) => {
                self.branch().dead = true;
                return self.warn(format!("line {line}: {error}"));
            }
        };
        let is_main = self.branches.is_empty();
        let branch = self.branch();
        branch.before = position;
        branch.now = position;
        match branch.moves.last_mut() {
            Some(played) => played.setup = Some(position),
            None if is_main => self.game.start = position,
            None => branch.dead = true,
        }
    }

    /// The move in the current line. A FEN that names no mover takes the side of the first move.
    pub(super) fn resolve(&mut self, text: &str) -> Result<Move, MoveError> {
        let now = self.branch().now;
        let found = moves::read(text, &now);
        if found.is_ok() || !self.open_turn || self.depth() > 0 || !self.main.moves.is_empty() {
            return found;
        }
        let other = now.with_turn(!now.turn());
        let Ok(mv) = moves::read(text, &other) else {
            return found;
        };
        self.game.start = other;
        self.main.now = other;
        Ok(mv)
    }

    pub(super) fn push(&mut self, mv: Move, marks: String) {
        let branch = self.branch();
        branch.before = branch.now;
        branch.now = branch.now.play(mv);
        branch.moves.push(PlayedMove {
            marks,
            ..PlayedMove::new(mv)
        });
    }

    pub(super) fn refuse(&mut self, line: usize, error: MoveError) {
        if self.branches.is_empty() {
            return self.fail(line, error.into());
        }
        self.branch().dead = true;
        self.warn(format!("line {line}, in a variation: {error}"));
    }

    /// Whether `text`, the last word of a game and no legal move, is the score of a match: no
    /// piece could ever go so, or the tag says the same.
    pub(super) fn is_score(&self, text: &str) -> bool {
        let tagged = self.game.tag("Result");
        let known = !self.main.moves.is_empty() || tagged.is_some();
        self.depth() == 0 && known && (tagged == Some(text) || is_beyond_moves(text))
    }

    pub(super) fn finish(mut self) -> PdnGame {
        let line = self.game.line;
        self.begin(line);
        if self.depth() > 0 {
            self.warn("a variation without its closing parenthesis".into());
        }
        self.skipped = 0;
        while !self.branches.is_empty() {
            self.close();
        }
        self.settle_result();
        self.check_game_type();
        let Self { mut game, main, .. } = self;
        let follows = |name: &str| {
            ["FEN", "SetUp"]
                .iter()
                .any(|own| name.eq_ignore_ascii_case(own))
        };
        game.tags.retain(|tag| !follows(&tag.name));
        game.moves = main.moves;
        game.comments = main.comments;
        game
    }

    /// The result at the end of the moves counts, or else the tag.
    fn settle_result(&mut self) {
        let ended = GameResult::read(self.terminator.as_deref().unwrap_or_default());
        let tagged = GameResult::read(self.game.tag("Result").unwrap_or_default());
        for text in [
            self.terminator.clone(),
            self.game.tag("Result").map(str::to_owned),
        ] {
            let text = text.unwrap_or_default();
            if matches!(text.as_str(), "2-0" | "0-2" | "1-1" | "0-0")
                || matches!(GameResult::read(&text), GameResult::Other(_))
            {
                let read = GameResult::read(&text);
                self.warn(format!(
                    "result \"{}\" is not one of 1-0, 0-1, 1/2-1/2, *; read as {read}",
                    excerpt(&text)
                ));
            }
        }
        let known = |result: &GameResult| *result != GameResult::Unknown;
        if known(&ended) && known(&tagged) && ended != tagged {
            self.warn(format!(
                "the result is {tagged} in the tag and {ended} after the moves"
            ));
        }
        self.game.result = if known(&ended) { ended } else { tagged };
    }

    /// 21 is English draughts; other numbers are other games on the same squares.
    fn check_game_type(&mut self) {
        let Some(game_type) = self.game.tag("GameType") else {
            return;
        };
        let number = game_type.split(',').next().unwrap_or_default().trim();
        if !number.is_empty() && number != "21" {
            let number = excerpt(number);
            self.warn(format!("GameType {number} is not English draughts (21)"));
        }
    }
}

/// Whether two numbers can be the ends of no move: 0 is no square; steps join neighbours; a jump
/// ends an even number of rows from where it begins.
fn is_beyond_moves(text: &str) -> bool {
    let Some((from, to)) = text.split_once('-') else {
        return false;
    };
    let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) else {
        return false;
    };
    match (Square::new(from), Square::new(to)) {
        (Some(from), Some(to)) => {
            !from.row().abs_diff(to.row()).is_multiple_of(2)
                && Direction::between(from, to).is_none()
        }
        _ => from == 0 || to == 0,
    }
}
