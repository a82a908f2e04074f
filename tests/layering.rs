//! Who may know whom: reads every `use` line and every `crate::` path of the sources and fails on
//! a dependency that the README's architecture section forbids.

use std::fs;
use std::path::{Path, PathBuf};

/// For each module of `engine`, the modules of `engine` that it may name.
const ENGINE: &[(&str, &[&str])] = &[
    ("score", &[]),
    ("board", &[]),
    ("rules", &["board"]),
    ("notation", &["board", "rules"]),
    (
        "tablebase",
        &["board", "rules", "score", "large_pages", "prefetch"],
    ),
    ("eval", &["board", "rules", "score"]),
    ("large_pages", &[]),
    ("prefetch", &[]),
    (
        "search",
        &[
            "board",
            "rules",
            "score",
            "eval",
            "tablebase",
            "large_pages",
            "prefetch",
        ],
    ),
    (
        "solve",
        &[
            "board",
            "rules",
            "score",
            "eval",
            "tablebase",
            "search",
            "large_pages",
        ],
    ),
    (
        "engine",
        &[
            "board",
            "rules",
            "score",
            "eval",
            "tablebase",
            "search",
            "solve",
            "notation",
        ],
    ),
    ("bench", &["rules", "search", "engine"]),
];

/// For each directory of the workspace, the crates that its sources must not name.
const CRATES: &[(&str, &[&str])] = &[
    (
        "engine/src",
        &["protocol", "tablebase_gen", "lab", "clap", "criterion"],
    ),
    (
        "protocol/src",
        &["tablebase_gen", "lab", "criterion", "rayon"],
    ),
    ("tablebase-gen/src", &["protocol", "lab", "criterion"]),
];

#[derive(Debug, PartialEq, Eq)]
struct Breach {
    line: usize,
    from: String,
    to: String,
}

/// The names that directly follow `prefix` in `code`, groups in braces included.
fn named_after(code: &str, prefix: &str) -> Vec<String> {
    let word = |text: &str| {
        text.chars()
            .take_while(|&c| c.is_alphanumeric() || c == '_')
            .collect::<String>()
    };
    code.match_indices(prefix)
        .filter(|&(at, _)| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .flat_map(|(at, _)| {
            let rest = &code[at + prefix.len()..];
            match rest.strip_prefix('{') {
                Some(group) => top_level_items(group)
                    .iter()
                    .map(|item| word(item))
                    .collect(),
                None => vec![word(rest)],
            }
        })
        .filter(|name| !name.is_empty())
        .collect()
}

/// `a::{b, c}, d}` gives `a::{b, c}` and `d`.
fn top_level_items(group: &str) -> Vec<String> {
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            c if c.is_whitespace() => continue,
            _ => {}
        }
        items.last_mut().expect("never empty").push(c);
    }
    items
}

/// The source without comments and with each `use` on one line, tests left out; line numbers kept.
fn statements(source: &str) -> Vec<(usize, String)> {
    let mut statements: Vec<(usize, String)> = Vec::new();
    let mut open_use = false;
    for (number, line) in source.lines().enumerate() {
        if line.trim() == "#[cfg(test)]" {
            break;
        }
        let code = line.split("//").next().unwrap_or("").trim();
        match statements.last_mut() {
            Some((_, text)) if open_use => text.push_str(code),
            _ => statements.push((number + 1, code.to_string())),
        }
        let starts_use = code.starts_with("use ") || code.starts_with("pub use ");
        open_use = (open_use || starts_use) && !code.ends_with(';');
    }
    statements
}

fn engine_breaches(module: &str, source: &str) -> Vec<Breach> {
    let Some((_, allowed)) = ENGINE.iter().find(|(name, _)| *name == module) else {
        return vec![Breach {
            line: 0,
            from: module.into(),
            to: "no entry in ENGINE".into(),
        }];
    };
    let known = |name: &String| ENGINE.iter().any(|(module, _)| module == name);
    let mut breaches = Vec::new();
    for (line, code) in statements(source) {
        for to in named_after(&code, "crate::").into_iter().filter(known) {
            if to != module && !allowed.contains(&to.as_str()) {
                breaches.push(Breach {
                    line,
                    from: module.to_string(),
                    to,
                });
            }
        }
    }
    breaches
}

fn crate_breaches(directory: &str, source: &str) -> Vec<Breach> {
    let forbidden = CRATES
        .iter()
        .find(|(name, _)| *name == directory)
        .map_or(&[][..], |&(_, list)| list);
    let mut breaches = Vec::new();
    for (line, code) in statements(source) {
        for name in forbidden {
            let path = format!("{name}::");
            let is_named = code.match_indices(&path).any(|(at, _)| {
                !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
            });
            if is_named {
                breaches.push(Breach {
                    line,
                    from: directory.into(),
                    to: name.to_string(),
                });
            }
        }
    }
    breaches
}

fn sources(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut paths = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            paths.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
    paths
}

/// `engine/src/rules/key.rs` belongs to `rules`, `engine/src/score.rs` to `score`.
fn module_of(path: &Path, root: &Path) -> Option<String> {
    let relative = path.strip_prefix(root).ok()?;
    let first = relative.components().next()?.as_os_str().to_str()?;
    let module = first.strip_suffix(".rs").unwrap_or(first);
    (module != "lib").then(|| module.to_string())
}

#[test]
fn no_layer_knows_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let engine = root.join("engine/src");
    for path in sources(&engine) {
        let source = fs::read_to_string(&path).expect("a readable source");
        if let Some(module) = module_of(&path, &engine) {
            found.extend(
                engine_breaches(&module, &source)
                    .into_iter()
                    .map(|b| (path.clone(), b)),
            );
        }
    }
    for (directory, _) in CRATES {
        for path in sources(&root.join(directory)) {
            let source = fs::read_to_string(&path).expect("a readable source");
            found.extend(
                crate_breaches(directory, &source)
                    .into_iter()
                    .map(|b| (path.clone(), b)),
            );
        }
    }
    assert!(found.is_empty(), "forbidden dependencies: {found:#?}");
}

/// Planted lines: the check itself must see each of them.
#[test]
fn forbidden_lines_are_seen() {
    let planted = [
        ("rules", "use crate::notation::fen;", Some("notation")),
        (
            "board",
            "use crate::rules::{Move, Position};",
            Some("rules"),
        ),
        (
            "notation",
            "use crate::{\n    board::Square,\n    search::Limits,\n};",
            Some("search"),
        ),
        ("eval", "fn f() { crate::search::stop(); }", Some("search")),
        ("score", "use crate::board::Color;", Some("board")),
        ("rules", "use crate::board::{Bitboard, Color};", None),
        ("rules", "// use crate::search::Limits;", None),
        (
            "search",
            "#[cfg(test)]\nmod tests { use crate::notation::fen; }",
            None,
        ),
    ];
    for (module, source, expected) in planted {
        let seen = engine_breaches(module, source);
        assert_eq!(
            seen.first().map(|breach| breach.to.as_str()),
            expected,
            "{module}: {source}"
        );
    }
    assert_eq!(crate_breaches("engine/src", "use clap::Parser;").len(), 1);
    assert_eq!(
        crate_breaches("engine/src", "use protocol::session;").len(),
        1
    );
    assert_eq!(
        crate_breaches("tablebase-gen/src", "let x = protocol::hub::parse();").len(),
        1
    );
    assert!(crate_breaches("tablebase-gen/src", "use engine::tablebase::protocol;").is_empty());
}
