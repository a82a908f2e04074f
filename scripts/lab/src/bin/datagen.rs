//! `datagen`: makes data sets for training, shard by shard: games of the engine against itself,
//! and endings with their exact values.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::{Context, Result, ensure};
use clap::{Args, Parser, Subcommand};
use engine::engine::{Engine, EngineOptions};
use engine::eval::network::Network;
use engine::tablebase::Tablebase;
use fastrand::Rng;
use indicatif::{ProgressBar, ProgressStyle};
use lab::ending;
use lab::record::Record;
use lab::selfplay::{self, Manner};
use lab::shard::Heading;
use rayon::prelude::*;

/// Makes positions for training. Goes on where it was stopped; the same settings give the same
/// files on any machine.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play games of the engine against itself and keep their positions.
    Games(Games),
    /// Draw endings at random and keep them with their database values.
    Endings(Endings),
}

/// What both kinds have in common.
#[derive(Debug, Args)]
struct Common {
    /// The folder of the data set.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Decides everything that is drawn.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; all cores by default.
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// A folder of endgame databases, besides the built-in ones.
    #[arg(long, value_name = "DIR")]
    tablebase: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Games {
    #[command(flatten)]
    common: Common,
    /// Games of the whole data set, rounded up to whole shards.
    #[arg(long, value_name = "N", default_value_t = 40_000)]
    games: u32,
    /// Games in a shard.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    shard: u32,
    /// Nodes a move.
    #[arg(long, value_name = "N", default_value_t = 1_200)]
    nodes: u32,
    /// One move in N of the first 40 plies is picked at random.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    random: u32,
    /// Positions off the game, a few random moves away, to record for each move; each gets a
    /// quarter of the nodes of a move.
    #[arg(long, value_name = "N", default_value_t = 2)]
    asides: usize,
    /// Searches ask the databases, too: labels see further. Positions that they prove won or lost
    /// are kept with this as their exact value, and left out otherwise.
    #[arg(long)]
    ask: bool,
    /// Evaluate with this network instead of the built-in one.
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Endings {
    #[command(flatten)]
    common: Common,
    /// Endings of the whole data set, rounded up to whole shards of 20,000.
    #[arg(long, value_name = "N", default_value_t = 400_000)]
    positions: u32,
    /// The most pieces on the board; more than 5 need --tablebase.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=8))]
    pieces: u32,
}

/// Endings in a shard.
const ENDINGS: u32 = 20_000;

/// Megabytes of decoded database values.
const CACHE_MB: usize = 256;

/// The same for the searches of one shard.
const SEARCH_CACHE_MB: usize = 64;

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Games(games) => games.run(),
        Command::Endings(endings) => endings.run(),
    }
}

impl Common {
    fn tablebase(&self, cache_mb: usize) -> Result<Tablebase> {
        let mut tablebase = Tablebase::built_in(cache_mb);
        if let Some(folder) = &self.tablebase {
            tablebase.add_folder(folder)?;
        }
        Ok(tablebase)
    }

    /// Makes the shards that are not there yet; `make` gives the records of one.
    fn make(
        &self,
        shards: impl Iterator<Item = Heading>,
        make: impl Fn(&Heading) -> Result<Vec<Record>> + Sync,
    ) -> Result<()> {
        std::fs::create_dir_all(&self.out)
            .with_context(|| format!("{}: cannot be made", self.out.display()))?;
        let missing: Vec<Heading> = shards
            .filter(|heading| !heading.path(&self.out).exists())
            .collect();
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} shards, {msg}, {eta} left")?;
        let bar = ProgressBar::new(missing.len() as u64).with_style(style);
        let positions = AtomicU64::new(0);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()?;
        pool.install(|| {
            missing.par_iter().try_for_each(|heading| {
                let records = make(heading)?;
                let count = records.len() as u64;
                let sum = positions.fetch_add(count, Relaxed) + count;
                let rate = sum as f64 / bar.elapsed().as_secs_f64();
                bar.set_message(format!("{sum} positions, {rate:.0}/s"));
                heading.write(&self.out, &records)?;
                bar.inc(1);
                Ok::<(), anyhow::Error>(())
            })
        })?;
        bar.finish();
        let seconds = bar.elapsed().as_secs_f64();
        let (shards, positions) = (missing.len(), positions.into_inner());
        println!("{shards} shards made, {positions} positions in {seconds:.0} s");
        Ok(())
    }
}

impl Games {
    fn run(&self) -> Result<()> {
        if let Some(path) = &self.net {
            let bytes = std::fs::read(path)
                .with_context(|| format!("{}: cannot be read", path.display()))?;
            let network =
                Network::read(&bytes).with_context(|| format!("{}: no network", path.display()))?;
            ensure!(network.choose(), "a network was chosen before");
        }
        let tablebase = self.common.tablebase(CACHE_MB)?;
        let shards = (0..self.games.div_ceil(self.shard)).map(|number| Heading {
            seed: self.common.seed,
            number,
            games: self.shard,
            nodes: self.nodes,
        });
        self.common
            .make(shards, |heading| self.play(heading, &tablebase))
    }

    /// The games of one shard.
    fn play(&self, heading: &Heading, tablebase: &Tablebase) -> Result<Vec<Record>> {
        let mut engine = Engine::new(EngineOptions {
            hash_mb: 4,
            threads: 1,
        })?;
        if self.ask {
            // Its own: what searches find depends on what was decoded before, which other shards
            // must not decide.
            let own = self.common.tablebase(SEARCH_CACHE_MB)?;
            engine.set_tablebase(Some(Arc::new(own)));
        }
        let mut rng = Rng::with_seed(heading.own_seed());
        let manner = Manner {
            nodes: u64::from(self.nodes),
            random_one_in: self.random as usize,
            asides: self.asides,
            keep_proven: self.ask,
        };
        let mut records = Vec::new();
        let mut games = 0;
        while games < heading.games {
            let game = selfplay::play(&mut engine, tablebase, manner, &mut rng);
            games += u32::from(!game.is_empty());
            records.extend(game);
        }
        Ok(records)
    }
}

impl Endings {
    fn run(&self) -> Result<()> {
        let tablebase = self.common.tablebase(CACHE_MB)?;
        let known = tablebase.most_pieces();
        ensure!(
            self.pieces <= known,
            "--pieces {}: the databases know up to {known}",
            self.pieces
        );
        let shards = (0..self.positions.div_ceil(ENDINGS)).map(|number| Heading {
            seed: self.common.seed,
            number,
            games: 0,
            nodes: 0,
        });
        self.common.make(shards, |heading| {
            let mut rng = Rng::with_seed(heading.own_seed());
            let draw = |_| ending::random(&mut rng, self.pieces, &tablebase);
            Ok((0..ENDINGS).map(draw).collect())
        })
    }
}
