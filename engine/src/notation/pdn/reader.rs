//! From the words of PDN to games, one at a time.
//!
//! A game ends at its result, or at a tag after its moves. Variations are kept on a stack, so
//! that no input, however deep its parentheses, needs more than bounded memory.

use std::io::{self, BufRead};

use super::lexer::{Lexer, Token};
use super::{GameResult, PdnError, PdnFault, PdnGame, PlayedMove, Tag, Variation};
use crate::notation::{MoveError, excerpt, fen, moves};
use crate::rules::{Move, Position};

/// Bytes that one game may take in memory; 100,000 plies fit.
const MOST_BYTES: usize = 16 << 20;
/// Roughly what a move without annotation takes.
const MOVE_BYTES: usize = size_of::<PlayedMove>();
/// Variations inside variations that are kept; deeper ones are skipped.
const MOST_DEPTH: usize = 64;
const MOST_WARNINGS: usize = 20;

/// An iterator over the games of a stream.
///
/// ```
/// use engine::notation::pdn::Reader;
///
/// let text = "[Event \"A\"] 1. 11-15 23-19 1-0 1. 9-14 9-13 2. 22-18 * 1. 12-16 *";
/// let games: Vec<_> = Reader::new(text.as_bytes()).collect::<Result<_, _>>()?;
/// assert_eq!(games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [2, 1, 1]);
/// assert_eq!(
///     games[1].fault.as_ref().expect("the second move is Black's").to_string(),
///     "game 2, ply 2 (line 1): 9-13 is not legal: there is no piece on 9"
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Reader<R> {
    lexer: Lexer<R>,
    held: Option<Token>,
    games: usize,
    failed: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads games from `input`, which may be of any length and in UTF-8, UTF-16 with a
    /// byte-order mark, or Windows-1252.
    pub fn new(input: R) -> Self {
        Self {
            lexer: Lexer::new(input),
            held: None,
            games: 0,
            failed: false,
        }
    }

    fn token(&mut self) -> io::Result<Token> {
        match self.held.take() {
            Some(token) => Ok(token),
            None => self.lexer.next(),
        }
    }

    fn next_game(&mut self) -> io::Result<Option<PdnGame>> {
        let mut build = Build::new(self.games + 1, self.lexer.line());
        loop {
            let token = self.token()?;
            if self.ends(&token, &build)? {
                if token != Token::End && !matches!(token, Token::Result(_)) {
                    self.held = Some(token);
                } else if let Token::Result(text) = token {
                    build.terminator = Some(text);
                }
                break;
            }
            match token {
                Token::Move { text, marks } => self.play(&mut build, text, marks)?,
                token => build.take(token, self.lexer.line()),
            }
        }
        if build.is_empty() {
            return Ok(None);
        }
        self.games += 1;
        if self.lexer.take_legacy() {
            build.warn("not UTF-8: read as Windows-1252 (CP1252)".into());
        }
        Ok(Some(build.finish()))
    }

    /// Whether `token` is the end of the game that is being built.
    fn ends(&mut self, token: &Token, build: &Build) -> io::Result<bool> {
        Ok(match token {
            Token::End => true,
            Token::Tag { name, .. } => {
                let again = name.eq_ignore_ascii_case("Event") && build.game.tag("Event").is_some();
                build.has_text || (again && self.lexer.after_blank_line())
            }
            Token::Result(_) if build.depth() == 0 => true,
            // A variation that never closes ends with the game.
            Token::Result(_) => {
                let next = self.lexer.next()?;
                let over = matches!(next, Token::Tag { .. } | Token::End);
                self.held = Some(next);
                over
            }
            _ => false,
        })
    }

    /// Plays a move, together with the next ones where a jump was split into its parts.
    fn play(&mut self, build: &mut Build, mut text: String, mut marks: String) -> io::Result<()> {
        build.has_text = true;
        let line = self.lexer.line();
        if !build.begin(line) {
            return Ok(());
        }
        loop {
            let error = match build.resolve(&text) {
                Ok(mv) => {
                    build.push(mv, marks);
                    return Ok(());
                }
                Err(error) => error,
            };
            let next = self.token()?;
            if let (
                MoveError::JumpGoesOn { .. },
                Token::Move {
                    text: part,
                    marks: after,
                },
            ) = (&error, &next)
                && let Some(rest) = continues(&text, part)
            {
                text.push_str(rest);
                marks.clone_from(after);
                continue;
            }
            self.held = Some(next);
            build.refuse(line, error);
            return Ok(());
        }
    }
}

/// What `part` adds to `text`, if it begins on the square where `text` ends.
fn continues<'a>(text: &str, part: &'a str) -> Option<&'a str> {
    let is_separator = |character: char| matches!(character, '-' | 'x');
    let last = text.rsplit(is_separator).next()?;
    let end = part.find(is_separator)?;
    let (first, rest) = part.split_at(end);
    let number = |square: &str| square.trim_start_matches('0').to_ascii_lowercase();
    (number(first) == number(last)).then_some(rest)
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = io::Result<PdnGame>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let game = self.next_game();
        self.failed = game.is_err();
        game.transpose()
    }
}

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
struct Build {
    game: PdnGame,
    main: Branch,
    branches: Vec<Branch>,
    /// Parentheses open beyond [`MOST_DEPTH`].
    skipped: usize,
    has_text: bool,
    begun: bool,
    /// The FEN leaves open who moves first.
    open_turn: bool,
    terminator: Option<String>,
    room: usize,
}

impl Build {
    fn new(number: usize, line: usize) -> Self {
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
            begun: false,
            open_turn: false,
            terminator: None,
            room: MOST_BYTES,
        }
    }

    fn is_empty(&self) -> bool {
        self.game.tags.is_empty() && !self.has_text && self.terminator.is_none()
    }

    fn depth(&self) -> usize {
        self.branches.len() + self.skipped
    }

    fn branch(&mut self) -> &mut Branch {
        self.branches.last_mut().unwrap_or(&mut self.main)
    }

    fn warn(&mut self, warning: String) {
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

    fn take(&mut self, token: Token, line: usize) {
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
            Token::Move { .. } | Token::End => {}
        }
    }

    fn tag(&mut self, line: usize, name: String, value: String, whole: bool) {
        if !self.spend(line, name.len() + value.len() + size_of::<Tag>()) {
            return;
        }
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
    fn begin(&mut self, line: usize) -> bool {
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
    fn resolve(&mut self, text: &str) -> Result<Move, MoveError> {
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

    fn push(&mut self, mv: Move, marks: String) {
        let branch = self.branch();
        branch.before = branch.now;
        branch.now = branch.now.play(mv);
        branch.moves.push(PlayedMove {
            marks,
            ..PlayedMove::new(mv)
        });
    }

    fn refuse(&mut self, line: usize, error: MoveError) {
        if self.branches.is_empty() {
            return self.fail(line, error.into());
        }
        self.branch().dead = true;
        self.warn(format!("line {line}, in a variation: {error}"));
    }

    fn finish(mut self) -> PdnGame {
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
