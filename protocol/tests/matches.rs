//! Matches through the built binary: with engines that behave, with engines that do not, and with
//! a runner that is killed.

mod mock;

use std::collections::BTreeMap;
use std::fs;
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use engine::notation::pdn::Reader;
use serde_json::Value;

#[test]
fn mock_engine() {
    mock::serve();
}

/// `crownhead match` between engines with these manners (`self` for the real one).
fn contest(manners: &[&str], arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
    // A loaded machine may well keep an engine waiting for its turn.
    command.args(["match", "--json", "--margin", "2"]);
    for manner in manners {
        let engine = match manner.strip_prefix("self") {
            Some(more) => format!("cmd=self,hash=1{more}"),
            None => format!("name={manner},cmd=\"{}\"", mock::command(manner)),
        };
        command.args(["--engine", &engine]);
    }
    command.args(arguments);
    command
}

/// The objects on standard output: games, then the figures.
fn objects(output: &Output) -> (Vec<Value>, Value) {
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    let mut objects: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    let figures = objects.pop().unwrap_or_else(|| {
        panic!("no output: {}", String::from_utf8_lossy(&output.stderr));
    });
    (objects, figures)
}

fn run(manners: &[&str], arguments: &[&str]) -> (Vec<Value>, Value) {
    objects(
        &contest(manners, arguments)
            .output()
            .expect("the binary runs"),
    )
}

/// Four games of a good engine against one with bad manners; all four are over in time, and for
/// the reason given. The PDN holds legal moves only.
fn misbehave(manner: &str, reason: &str, detail: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let pdn = folder.path().join("games.pdn");
    let path = pdn.to_str().expect("UTF-8");
    let began = Instant::now();
    let (games, figures) = run(
        &["good", manner],
        &[
            "--games",
            "4",
            "--time",
            "0.2",
            "--timeout",
            "1",
            "--concurrency",
            "4",
            "--pdn",
            path,
        ],
    );
    assert!(
        began.elapsed() < Duration::from_secs(40),
        "{manner}: too slow"
    );
    assert_eq!(games.len(), 4, "{manner}");
    assert_eq!(figures["wins"], 4, "{manner}: {figures}");
    for anomaly in figures["anomalies"].as_array().expect("a list") {
        assert_eq!(anomaly["engine"], manner);
        assert_eq!(anomaly["reason"], reason, "{anomaly}");
        let told = anomaly["detail"].as_str().expect("text");
        assert!(told.contains(detail), "{manner}: {told}");
    }
    assert_eq!(figures["engines"][1]["faults"], 4);
    assert_eq!(figures["engines"][0]["faults"], 0);
    let written = read_pdn(&pdn);
    for game in &games {
        let number = game["game"].as_u64().expect("a number") as usize;
        let (moves, result) = &written[&number];
        assert_eq!(Some(*moves), game["moves"].as_array().map(Vec::len));
        assert_eq!(game["result"].as_str(), Some(result.as_str()));
    }
}

/// Plies and result by game number. Panics on any move that is not legal.
fn read_pdn(path: &Path) -> BTreeMap<usize, (usize, String)> {
    let file = fs::File::open(path).expect("the PDN file");
    let games = Reader::new(BufReader::new(file)).map(|game| {
        let game = game.expect("readable");
        assert_eq!(game.fault, None);
        let round = game.tag("Round").expect("a round").to_owned();
        let (pair, half) = round.split_once('.').expect("pair and half");
        let pair: usize = pair.parse().expect("a pair");
        let half: usize = half.parse().expect("a half");
        (
            (pair - 1) * 2 + half,
            (game.moves.len(), game.result.to_string()),
        )
    });
    let list: Vec<_> = games.collect();
    let map: BTreeMap<_, _> = list.iter().cloned().collect();
    assert_eq!(map.len(), list.len(), "a game twice");
    map
}

#[test]
fn engines_that_answer_badly_lose_by_it() {
    misbehave("illegal", "illegal-move", "1-32 is not legal");
    misbehave("empty", "illegal-move", "no move given");
    misbehave("babbler", "illegal-move", "expected a square");
    misbehave("victimless", "illegal-move", "not legal");
    misbehave("deaf", "illegal-move", "not legal");
}

#[test]
fn engines_that_end_lose_by_it() {
    let status = if cfg!(windows) {
        "exit code"
    } else {
        "exit status"
    };
    let words = format!("{status}: 9): assertion failed: the mock has had enough");
    misbehave("crash", "crash", &words);
    misbehave("quitter", "crash", &format!("{status}: 0"));
}

#[test]
fn engines_that_are_late_lose_by_it() {
    misbehave("slow", "time", "ms over its 200 ms");
    misbehave("silent", "hang", "no move within");
    misbehave("flood", "hang", "no move within");
    misbehave("stubborn", "hang", "no move within");
}

#[test]
fn engines_that_are_never_ready_lose_by_it() {
    misbehave("unready", "not-ready", "");
}

#[test]
fn bad_manners_that_break_no_rule_are_borne() {
    for manner in ["boaster", "drawish", "garbage", "shouter", "stutterer"] {
        let (games, figures) = run(
            &["good", manner],
            &["--games", "4", "--time", "1", "--concurrency", "2"],
        );
        assert_eq!(games.len(), 4, "{manner}");
        assert_eq!(figures["anomalies"], serde_json::json!([]), "{manner}");
        for game in &games {
            let reason = game["reason"].as_str().expect("a reason");
            let by_rule = ["no-move", "repetition", "forty-moves"].contains(&reason);
            assert!(by_rule, "{manner}: {reason}");
        }
    }
}

#[test]
fn dying_in_the_third_game_costs_that_game_only() {
    let (games, figures) = run(
        &["good", "mortal"],
        &["--games", "6", "--time", "1", "--concurrency", "1"],
    );
    assert_eq!(games.len(), 6);
    let crashes: Vec<u64> = games
        .iter()
        .filter(|game| game["reason"] == "crash")
        .filter_map(|game| game["game"].as_u64())
        .collect();
    assert_eq!(crashes, [3, 6], "{figures}");
}

#[test]
fn a_missing_program_is_told_before_the_first_game() {
    let output = contest(&["good"], &["--engine", "cmd=/no/such/engine"])
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("cannot start /no/such/engine"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_an_engine_leaves_behind_is_ended() {
    // Other runs of this test may be under way.
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = contest(
        &["good", "parent"],
        &["--games", "2", "--time", "0.2", "--concurrency", "2"],
    );
    let output = command.env("TMPDIR", folder.path()).output();
    let (_, figures) = objects(&output.expect("the binary runs"));
    assert_eq!(figures["engines"][1]["faults"], 2);
    let mut children = 0;
    for entry in fs::read_dir(folder.path()).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !name.starts_with("crownhead-mock-") {
            continue;
        }
        let child = fs::read_to_string(&path).expect("a process number");
        let process = Path::new("/proc").join(&child).join("cmdline");
        let is_alive = || fs::read_to_string(&process).is_ok_and(|line| line.starts_with("sleep"));
        // A killed process that waits for its turn on a loaded machine is still there.
        let end = Instant::now() + Duration::from_secs(10);
        while is_alive() && Instant::now() < end {
            sleep(Duration::from_millis(20));
        }
        assert!(!is_alive(), "process {child} outlived its engine");
        children += 1;
    }
    assert!(children >= 2);
}

#[test]
fn times_have_a_point_in_every_locale() {
    let mut command = contest(&["good", "fair"], &["--games", "2", "--time", "0.1+0.01"]);
    let output = command
        .env("LC_ALL", "de_DE.UTF-8")
        .output()
        .expect("the binary runs");
    let (games, _) = objects(&output);
    assert_eq!(games[0]["notes"][0]["allowed"], 0.11);
    let comma = contest(&["good", "fair"], &["--time", "0,1"])
        .output()
        .expect("it runs");
    assert_eq!(comma.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&comma.stderr).contains("with a decimal point"));
}

#[test]
fn every_game_begins_with_fresh_clocks() {
    let (games, _) = run(
        &["good", "fair"],
        &["--games", "6", "--time", "5+0.01", "--concurrency", "1"],
    );
    for game in games {
        for note in &game["notes"].as_array().expect("notes")[..2] {
            assert_eq!(note["allowed"], 5.01, "{}", game["game"]);
        }
    }
}

#[test]
fn a_sequential_test_stops_as_soon_as_it_is_decided() {
    let arguments = ["--sprt", "0,100", "--time", "1", "--concurrency", "2"];
    let accepted = contest(&["good", "empty"], &arguments)
        .output()
        .expect("it runs");
    let (games, figures) = objects(&accepted);
    assert_eq!(accepted.status.code(), Some(0));
    assert_eq!(figures["sprt"]["decision"], "accepted");
    let (llr, upper) = (&figures["sprt"]["llr"], &figures["sprt"]["upper"]);
    assert!(llr.as_f64() >= upper.as_f64(), "{figures}");
    assert!(games.len() < 400, "{} games", games.len());
    assert_eq!(figures["games"].as_u64(), Some(games.len() as u64));
    let rejected = contest(&["empty", "good"], &arguments)
        .output()
        .expect("it runs");
    assert_eq!(rejected.status.code(), Some(1));
    assert_eq!(objects(&rejected).1["sprt"]["decision"], "rejected");
}

#[test]
fn tournaments_of_several_engines() {
    let engines = ["good", "fair", "drawish"];
    let (games, figures) = run(&engines, &["--games", "4", "--time", "1"]);
    assert_eq!(games.len(), 12);
    let of = |index: usize| figures["engines"][index]["wins"].as_u64().unwrap_or(0);
    assert_eq!(figures["engines"].as_array().map(Vec::len), Some(3));
    assert!(of(0) + of(1) + of(2) <= 12);
    let (games, _) = run(&engines, &["--games", "4", "--time", "1", "--gauntlet"]);
    assert_eq!(games.len(), 8);
    let plays_first = |game: &Value| game["black"] == "good" || game["white"] == "good";
    assert!(games.iter().all(plays_first));
}

#[test]
fn our_own_engine_plays_in_every_dialect() {
    let engines = [
        "self,name=hub,dialect=hub,nodes=400",
        "self,name=ugi,dialect=ugi,depth=5",
        "self,name=cb,dialect=cb,time=2+0.01",
    ];
    let (games, figures) = run(&engines, &["--games", "2", "--openings", "3move"]);
    assert_eq!(games.len(), 6);
    assert_eq!(figures["anomalies"], serde_json::json!([]));
    for engine in figures["engines"].as_array().expect("engines") {
        // Every dialect tells depth and nodes.
        assert!(engine["mean_depth"].as_f64() > Some(1.0), "{engine}");
        assert!(engine["nps"].as_f64() > Some(0.0), "{engine}");
    }
}

/// Lasker's Diagram 88: with the move White wins, without it Black draws.
#[test]
fn databases_end_games_where_that_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let openings = folder.path().join("88.txt");
    std::fs::write(&openings, "W:WK32:BK26\nB:WK32:BK26\n").expect("a file");
    let openings = openings.to_str().expect("a path in UTF-8");
    let bounds = ["--games", "4", "--nodes", "400", "--openings", openings];
    let (games, _) = run(
        &["self,name=a", "self,name=b"],
        &[&bounds[..], &["--adjudicate-tablebase"]].concat(),
    );
    assert_eq!(games.len(), 4);
    for game in &games {
        let white_moves = game["fen"].as_str().expect("a FEN").starts_with('W');
        assert_eq!(game["reason"], "database", "{game}");
        assert_eq!(game["moves"], serde_json::json!([]), "{game}");
        let result = if white_moves { "0-1" } else { "1/2-1/2" };
        assert_eq!(game["result"], result, "{game}");
    }
}

/// What must not depend on when the runner was killed.
fn essence(games: &[Value]) -> BTreeMap<u64, String> {
    let essence = games.iter().map(|game| {
        let parts = ["black", "white", "opening", "moves", "result", "reason"];
        let text: Vec<String> = parts.map(|key| game[key].to_string()).to_vec();
        (game["game"].as_u64().expect("a number"), text.join(" "))
    });
    essence.collect()
}

#[test]
fn a_match_that_is_killed_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    // Without databases, whose share in a search depends on what is in their cache.
    let engines = [
        "self,name=A,nodes=1500,option.tablebase=off",
        "self,name=B,nodes=700,option.tablebase=off",
    ];
    let arguments = |pdn: &str| {
        let fixed = [
            "--games",
            "24",
            "--concurrency",
            "2",
            "--openings",
            "3move",
            "--pdn",
        ];
        let mut arguments: Vec<String> = fixed.map(str::to_owned).to_vec();
        arguments.push(path(pdn));
        arguments
    };
    let start = |pdn: &str| {
        let arguments = arguments(pdn);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = contest(&engines, &arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the binary runs")
    };
    let whole = start("whole.pdn").wait_with_output().expect("an end");
    let (whole_games, whole_figures) = objects(&whole);
    for round in 0..8 {
        let mut killed = start("killed.pdn");
        sleep(Duration::from_millis(60 + 45 * round));
        killed.kill().expect("a kill");
        killed.wait().expect("an end");
    }
    // A second one at the same time is refused, and spoils nothing.
    let last = start("killed.pdn");
    let mut refused = false;
    for _ in 0..3 {
        let output = start("killed.pdn").wait_with_output().expect("an end");
        refused |= String::from_utf8_lossy(&output.stderr).contains("in use by another match");
    }
    let output = last.wait_with_output().expect("an end");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        refused || told.contains("in use by another match"),
        "{told}"
    );
    // Whoever of them ended the match, asking again only tells its figures.
    let (again, figures) = objects(&start("killed.pdn").wait_with_output().expect("an end"));
    assert_eq!(again, Vec::<Value>::new());
    for key in [
        "games",
        "wins",
        "draws",
        "losses",
        "pentanomial",
        "elo",
        "endings",
    ] {
        assert_eq!(figures[key], whole_figures[key], "{key}");
    }
    let journal = fs::read_to_string(path("killed.pdn.journal")).expect("the journal");
    let kept: Vec<Value> = journal
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    assert_eq!(kept.len(), 24);
    assert_eq!(essence(&kept), essence(&whole_games));
    assert_eq!(
        read_pdn(Path::new(&path("killed.pdn"))),
        read_pdn(Path::new(&path("whole.pdn")))
    );
}

/// A match of two games with these further arguments is refused in one line that tells this.
fn refused(arguments: &[&str], told: &str) {
    let mut all = vec!["--games", "2", "--nodes", "100"];
    all.extend(arguments);
    let output = contest(&["self", "self"], &all).output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(error.contains(told), "{arguments:?}: {error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
fn files_of_others_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.pdn");
    let text = path.to_string_lossy().into_owned();
    let own = folder.path().join("own.pdn").to_string_lossy().into_owned();
    let journal = format!("{own}.journal");
    let played = ["--games", "2", "--nodes", "100", "--pdn", &own];
    contest(&["self", "self"], &played)
        .output()
        .expect("it runs");
    let archives: [&[u8]; 4] = [
        b"[Event \"Mine\"]\n1. 11-15 *\n",
        b"[Event \"Caf\xe9\"]\n1. 11-15 *\n",
        b"notes",
        &fs::read(&own).expect("our games"),
    ];
    for bytes in archives {
        fs::write(&path, bytes).expect("a file");
        refused(&["--pdn", &text], "holds something else");
        if !bytes.starts_with(b"%") {
            refused(&["--pdn", &text, "--journal", &journal], "something else");
        }
        assert_eq!(fs::read(&path).expect("the file"), bytes);
        assert!(!path.with_extension("pdn.journal").exists());
    }
    fs::write(&path, "notes without an end").expect("a file");
    refused(&["--journal", &text], "no journal of a match");
    assert_eq!(
        fs::read_to_string(&path).expect("the file"),
        "notes without an end"
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_only_regular_files_are_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let _listener = std::os::unix::net::UnixListener::bind(path("socket")).expect("a socket");
    std::os::unix::fs::symlink(path("socket"), path("link")).expect("a link");
    for argument in ["--pdn", "--journal", "--openings"] {
        for odd in [path("socket"), path("link"), path("")] {
            refused(&[argument, &odd], "no regular file");
        }
    }
    assert!(fs::symlink_metadata(path("link")).expect("it").is_symlink());
    fs::write(path("target.pdn"), "").expect("a file");
    std::os::unix::fs::symlink(path("target.pdn"), path("games.pdn")).expect("a link");
    let pdn = path("games.pdn");
    let arguments = ["--games", "2", "--nodes", "100", "--pdn", &pdn];
    run(&["self", "self"], &arguments);
    assert!(fs::symlink_metadata(&pdn).expect("it").is_symlink());
    assert_eq!(read_pdn(Path::new(&path("target.pdn"))).len(), 2);
}

#[test]
fn settings_that_an_engine_does_not_take_are_errors() {
    for (setting, told) in [
        ("hash=99999999", "X hash=99999999: expected 1 to "),
        ("option.threads=9999", "X threads=9999: expected 1 to "),
        ("option.nope=1", "X has no option nope; it has "),
        (
            "option.ponder=maybe",
            "X ponder=maybe: expected true or false",
        ),
        ("dialect=ugi,option.nope=1", "X has no option nope; it has "),
        ("dialect=cb,option.nope=1", "X refuses a setting: ?"),
    ] {
        let engine = format!("cmd=self,name=X,{setting}");
        refused(&["--engine", &engine], told);
    }
}

#[test]
fn errors_that_an_engine_reports_are_anomalies() {
    let arguments = ["--games", "2", "--time", "1", "--concurrency", "1"];
    let (games, figures) = run(&["good", "complainer"], &arguments);
    let told = figures["anomalies"].as_array().expect("a list");
    assert_eq!(told.len(), 1, "{figures}");
    assert_eq!(told[0]["engine"], "complainer");
    assert_eq!(told[0]["reason"], Value::Null);
    assert_eq!(told[0]["detail"], "bad mood: today");
    assert_eq!(games[0]["complaints"][0]["text"], "bad mood: today");
    assert_eq!(figures["engines"][1]["faults"], 0);
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_heard_while_an_engine_thinks() {
    let arguments = ["--games", "2", "--time", "60", "--concurrency", "1"];
    let mut command = contest(&["good", "silent"], &arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let runner = command.spawn().expect("the binary runs");
    // Long enough for a start on a loaded machine, and for the mock to fall silent.
    sleep(Duration::from_secs(3));
    let asked = Instant::now();
    let number = runner.id().to_string();
    let sent = Command::new("kill").args(["-INT", &number]).status();
    assert!(sent.expect("kill").success());
    let output = runner.wait_with_output().expect("an end");
    assert!(asked.elapsed() < Duration::from_secs(20));
    assert_eq!(output.status.code(), Some(1));
    let (games, figures) = objects(&output);
    assert_eq!(games, Vec::<Value>::new());
    assert_eq!(figures["anomalies"], serde_json::json!([]));
}

#[test]
fn numbers_out_of_range_are_refused() {
    for (argument, value) in [
        ("--games", "18446744073709551614"),
        ("--games", "0"),
        ("--depth", "0"),
        ("--depth", "201"),
        ("--concurrency", "0"),
        ("--concurrency", "99999999"),
        ("--timeout", "0"),
    ] {
        let output = contest(&["self", "self"], &[argument, value])
            .output()
            .expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{argument} {value}: {told}");
        assert!(
            told.contains(argument) && told.lines().count() == 1,
            "{told}"
        );
    }
    let odd = contest(&["self", "self"], &["--games", "3"])
        .output()
        .expect("it runs");
    assert!(String::from_utf8_lossy(&odd.stderr).contains("expected an even number"));
}
