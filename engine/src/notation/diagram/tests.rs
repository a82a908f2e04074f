use super::*;
use crate::board::Color;
use crate::notation::{Notation, fen};

fn fen_of(text: &str) -> String {
    match read(text) {
        Ok(placement) => fen::write(&placement.position),
        Err(error) => error.to_string(),
    }
}

#[test]
fn both_prints_read_back() {
    for text in ["B:W21-32:B1-12", "W:WK32,18:B12,K24", "W:W13,K5:BK1,28"] {
        let position = fen::read(text).expect("a FEN");
        for notation in [Notation::Numeric, Notation::Algebraic] {
            let printed = print(&position, notation) + &format!("{} to move\n", position.turn());
            let placement = read(&printed).expect("our own print");
            assert_eq!(placement.position, position, "{printed}");
            assert_eq!(placement.turn, Some(position.turn()));
        }
    }
}

#[test]
fn a_turned_print_reads_by_its_labels() {
    let position = fen::read("B:W24,K9:B2,K30").expect("a FEN");
    let printed = print(&position, Notation::Algebraic);
    let turned: Vec<String> = printed
        .lines()
        .rev()
        .map(|line| match line.split_once('|') {
            Some((rank, cells)) if cells.contains('|') => {
                format!("{rank}{}|", cells.chars().rev().collect::<String>())
            }
            _ => line.trim().chars().rev().collect(),
        })
        .collect();
    assert_eq!(fen_of(&turned.join("\n")), fen::write(&position));
}

#[test]
fn engines_prints_read() {
    let scan = "\
  * * * *    1  2  3  4
 * * * #     5  6  7  8
  - - - -    9 10 11 12
 - - - -    13 14 15 16
  - - - -   17 18 19 20
 - - - -    21 22 23 24
  O O O O   25 26 27 28
 O O O @    29 30 31 32

black to play";
    let placement = read(scan).expect("Scan's form");
    assert_eq!(
        fen::write(&placement.position),
        "B:W25,26,27,28,29,30,31,K32:B1,2,3,4,5,6,7,K8"
    );
    assert_eq!(placement.turn, Some(Color::Black));
    let pydraughts = "\
   | w |   |   |   |   |   | w 
-------------------------------
   |   |   |   |   |   |   |   
-------------------------------
   |   |   |   |   |   |   |   
-------------------------------
   |   |   |   |   |   |   |   
-------------------------------
   |   |   |   |   | B |   |   
-------------------------------
   |   |   |   |   |   |   |   
-------------------------------
   |   |   |   |   |   |   |   
-------------------------------
   |   |   |   |   |   |   |   ";
    assert_eq!(fen_of(pydraughts), "B:W29,32:BK14");
}
