//! The bytes of a certificate, taken apart: a header of text, then steps of 13 bytes. The format is
//! in `certificate`. Nothing is judged here beyond what cannot be read. Start reading at [`read`].

use std::collections::{BTreeMap, HashMap};

use super::super::certificate::MAGIC;
use super::super::leaf::Rules;
use super::board::Board;
use super::{Refusal, Strategy, refuse};
use crate::board::Color;

pub(super) struct File {
    pub(super) root: Board,
    pub(super) rules: Rules,
    pub(super) claim: String,
    pub(super) databases: BTreeMap<String, u32>,
    pub(super) strategies: Vec<Strategy>,
}

const STEP_BYTES: usize = 13;

pub(super) fn read(bytes: &[u8]) -> Result<File, Refusal> {
    let Some((body, sum)) = bytes.split_last_chunk::<4>() else {
        return refuse("file", "it is too short for a certificate");
    };
    if !body.starts_with(MAGIC.as_bytes()) {
        return refuse("line 1", "it is no certificate of this kind");
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return refuse(
            "file",
            "the checksum at its end is wrong: cut short or damaged",
        );
    }
    let end = b"\nend\n";
    let Some(header) = body.windows(end.len()).position(|window| window == end) else {
        return refuse("header", "it has no line \"end\"");
    };
    let text =
        std::str::from_utf8(&body[..header]).or_else(|_| refuse("header", "it is not text"))?;
    let mut file = read_header(text)?;
    read_steps(&mut file, &body[header + end.len()..])?;
    Ok(file)
}

fn read_header(text: &str) -> Result<File, Refusal> {
    let mut root = None;
    let mut rules = None;
    let mut claim = None;
    let mut databases = BTreeMap::new();
    let mut strategies = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        let words: Vec<&str> = line.split(' ').collect();
        let read = match words[..] {
            ["position", fen] => Board::from_fen(fen).map(|board| root = Some(board)),
            ["rules", name] => Rules::ALL
                .into_iter()
                .find(|rules| rules.name() == name)
                .map(|found| rules = Some(found)),
            ["claim", word] => {
                claim = Some(word.to_owned());
                Some(())
            }
            ["database", name, sum] => u32::from_str_radix(sum, 16).ok().map(|sum| {
                databases.insert(name.to_owned(), sum);
            }),
            ["strategy", side, aim, steps] => {
                strategy(side, aim, steps).map(|strategy| strategies.push(strategy))
            }
            _ => None,
        };
        if read.is_none() {
            return refuse(
                format!("line {}", number + 1),
                format!("cannot read {line:?}"),
            );
        }
    }
    let (Some(root), Some(rules), Some(claim)) = (root, rules, claim) else {
        return refuse("header", "the position, the rules or the claim are missing");
    };
    Ok(File {
        root,
        rules,
        claim,
        databases,
        strategies,
    })
}

/// A strategy whose steps follow after the header.
fn strategy(side: &str, aim: &str, steps: &str) -> Option<Strategy> {
    let wins = match aim {
        "win" => true,
        "hold" => false,
        _ => return None,
    };
    Some(Strategy {
        side: Color::BOTH.into_iter().find(|it| it.to_string() == side)?,
        wins,
        count: steps.parse().ok()?,
        steps: Vec::new(),
        places: HashMap::new(),
    })
}

fn read_steps(file: &mut File, bytes: &[u8]) -> Result<(), Refusal> {
    let counts = file.strategies.iter().map(|it| it.count);
    let total = counts.fold(0, usize::saturating_add);
    if bytes.len() != total.saturating_mul(STEP_BYTES) {
        let fault = format!(
            "the header names {total}, the file has {} bytes for them",
            bytes.len()
        );
        return refuse("steps", fault);
    }
    let mut records = bytes.chunks_exact(STEP_BYTES);
    for strategy in &mut file.strategies {
        let name = strategy.name();
        for (place, record) in records.by_ref().take(strategy.count).enumerate() {
            let set = |nth: usize| {
                let word = &record[4 * nth..4 * nth + 4];
                u32::from_le_bytes([word[0], word[1], word[2], word[3]])
            };
            let at = || format!("step {} of {name}", place + 1);
            let Some(board) = Board::from_sets([set(0), set(1), set(2)], strategy.side) else {
                return refuse(at(), "its pieces make no position");
            };
            if strategy.places.insert(board.clone(), place).is_some() {
                return refuse(at(), "its position comes a second time");
            }
            strategy
                .steps
                .push((board, usize::from(record[STEP_BYTES - 1])));
        }
    }
    Ok(())
}
