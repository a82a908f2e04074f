use super::*;
use crate::notation::Notation;

fn games(text: impl AsRef<[u8]>) -> Vec<PdnGame> {
    Reader::new(text.as_ref())
        .collect::<Result<_, _>>()
        .expect("memory never fails")
}

fn written(game: &PdnGame) -> String {
    to_text(game, Notation::Numeric).trim_end().to_owned()
}

/// Text and what its games look like when written again, with `|` between games.
const ACCEPTED: &[(&str, &str)] = &[
    (
        "1. 11-15 22-18 2. 15x22 25x18 *",
        "1. 11-15 22-18 2. 15x22 25x18 *",
    ),
    (
        "1. 11-15* 22-18 2. 15x22 25x18 *",
        "1. 11-15* 22-18 2. 15x22 25x18 *",
    ),
    ("1. 1115 22-18 *", "1. 11-15 22-18 *"),
    ("1.11x15 2218", "1. 11-15 22-18 *"),
    (" 1. 9 - 13 21- 17 *", "1. 9-13 21-17 *"),
    ("1. 09-13 021-017 *", "1. 9-13 21-17 *"),
    (
        "1. 11-15 22-18 15x22 25x18 8-11 *",
        "1. 11-15 22-18 2. 15x22 25x18 3. 8-11 *",
    ),
    (
        "1. 11-15 22-18 2.15X22 25:18 1-1",
        "[Result \"1/2-1/2\"]\n\n1. 11-15 22-18 2. 15x22 25x18 1/2-1/2",
    ),
    ("1. - - 2. - - 1-0", "[Result \"1-0\"]\n\n1-0"),
    ("1. 0-2", "[Result \"0-1\"]\n\n0-1"),
    (
        "1. 11-15 22-18 . 1-0",
        "[Result \"1-0\"]\n\n1. 11-15 22-18 1-0",
    ),
    (
        "1. 11-15 22-18 2.\n[Event \"B\"]\n1. 9-13 *",
        "1. 11-15 22-18 *|[Event \"B\"]\n[Result \"*\"]\n\n1. 9-13 *",
    ),
    (
        "1. 11-15 1-0 1. 9-13 0-1",
        "[Result \"1-0\"]\n\n1. 11-15 1-0|[Result \"0-1\"]\n\n1. 9-13 0-1",
    ),
    (
        "[Event \"A\"]\n[Result \"1-0\"]\n1-0\n",
        "[Event \"A\"]\n[Result \"1-0\"]\n\n1-0",
    ),
    (
        "[Event \"A\"]\n[Result \"1-0\"]\n\n[Event \"B\"]\n",
        "[Event \"A\"]\n[Result \"1-0\"]\n\n1-0|[Event \"B\"]\n[Result \"*\"]\n\n*",
    ),
    (
        "[event \"A\"]\n\n[Site    \"x\"]\n1. 11-15",
        "[event \"A\"]\n[Site \"x\"]\n[Result \"*\"]\n\n1. 11-15 *",
    ),
    (
        "[Event \"Match 1-0 [1]\"]\n1. 11-15 {1-0 here} 22-18 *",
        "[Event \"Match 1-0 [1]\"]\n[Result \"*\"]\n\n1. 11-15 {1-0 here} 22-18 *",
    ),
    (
        "[Date \"\"]\n[Round \"1841-??-??\"]\n*",
        "[Date \"\"]\n[Round \"1841-??-??\"]\n[Result \"*\"]\n\n*",
    ),
    (
        "[Event \"say \\\"x\\\" \\\\\"]\n*",
        "[Event \"say \\\"x\\\" \\\\\"]\n[Result \"*\"]\n\n*",
    ),
    (
        "[Result \"4-6\"]\n1. 11-15 *",
        "[Result \"4-6\"]\n\n1. 11-15 *",
    ),
    (
        "1. 11-15 {a {nested} b} 22-18 {x {stray} 2. 15x22 {y} 25x18",
        "1. 11-15 {a (nested) b} 22-18 {x (stray} 2. 15x22 {y} 25x18 *",
    ),
    (
        "1. 11-15 {never closed 22-18\n\n[Event \"B\"]\n1. 9-13 *",
        "1. 11-15 {never closed 22-18} *|[Event \"B\"]\n[Result \"*\"]\n\n1. 9-13 *",
    ),
    (
        "1. 11-15 (1. 9-13 22-18 (22-17 13x22)) (1. 9-14!) 22-18 $3 $14 *",
        "1. 11-15 ( 1. 9-13 22-18 ( 1... 22-17 2. 13x22 ) ) ( 1. 9-14! ) 22-18 $3 $14 *",
    ),
    ("1. 11-15! (?) 22-18?? *", "1. 11-15!? 22-18?? *"),
    (
        "[FEN \"W:WK18:B15,8\"] *",
        "[Result \"*\"]\n[SetUp \"1\"]\n[FEN \"W:WK18:B8,15\"]\n\n*",
    ),
    (
        "[Setup \"1\"]\n[FEN \"W:WK8,10:B2,13\"]\n*",
        "[Result \"*\"]\n[SetUp \"1\"]\n[FEN \"W:WK8,10:B2,13\"]\n\n*",
    ),
    (
        "[SetUp \"1\"]\n[FEN \"B:W22,25:B9,11\"]\n\n1. 11-15 25-21 2. 15-19 22-18 *",
        "[Result \"*\"]\n[SetUp \"1\"]\n[FEN \"B:W22,25:B9,11\"]\n\n1. 11-15 25-21 2. 15-19 22-18 *",
    ),
    (
        "[FEN \"W:W22,25:B9,11\"]\n\n1. ... 22-17 2. 11-15 *",
        "[Result \"*\"]\n[SetUp \"1\"]\n[FEN \"W:W22,25:B9,11\"]\n\n1... 22-17 2. 11-15 *",
    ),
    (
        "[FEN \"?:W22,25:B9,11\"]\n22-17 11-15 *",
        "[Result \"*\"]\n[SetUp \"1\"]\n[FEN \"W:W22,25:B9,11\"]\n\n1... 22-17 2. 11-15 *",
    ),
    (
        "[FEN \"W:W18:B15,8\"] 18x11 11x4 1-0",
        "[Result \"1-0\"]\n[SetUp \"1\"]\n[FEN \"W:W18:B8,15\"]\n\n1... 18x4 1-0",
    ),
    (
        "1. 11-15 /FEN \"W:WK18:B15\"/ 18x11 *",
        "1. 11-15 /FEN \"W:WK18:B15\"/ 18x11 *",
    ),
    ("1. c3-d4 f6-g5 2. d4-c5 *", "1. 11-15 22-17 2. 15-19 *"),
    (
        "%escaped 11-15\n1. 9-13 ; the rest 22-18\n*",
        "1. 9-13 {the rest 22-18} *",
    ),
    (
        "1. 11-15 {[%clk 0:05:00]} 22-18 [%emt 3] *",
        "1. 11-15 {[%clk 0:05:00]} 22-18 {[%emt 3]} *",
    ),
    ("1. 11-15 ) 22-18 resigns *", "1. 11-15 22-18 *"),
    (
        "1. 11-15 (1. 9-13 1-0\n[Event \"B\"]\n*",
        "[Result \"1-0\"]\n\n1. 11-15 ( 1. 9-13 ) 1-0|[Event \"B\"]\n[Result \"*\"]\n\n*",
    ),
    ("", ""),
    ("no games here", ""),
];

#[test]
fn odd_texts_are_read_and_written_in_one_form() {
    for &(text, expected) in ACCEPTED {
        let found: Vec<String> = games(text).iter().map(written).collect();
        assert_eq!(found.join("|"), expected, "{text}");
        for crlf in [false, true] {
            let again = games(
                found
                    .join("\n\n")
                    .replace('\n', if crlf { "\r\n" } else { "\n" }),
            );
            let again: Vec<String> = again.iter().map(written).collect();
            assert_eq!(again, found, "{text}");
        }
        assert!(
            games(text).iter().all(|game| game.fault.is_none()),
            "{text}"
        );
    }
}
