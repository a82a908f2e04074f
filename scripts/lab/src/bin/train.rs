//! `train`: makes a network of a data set.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Parser;
use lab::train::chances::Curve;
use lab::train::descent::{self, Plan};
use lab::train::samples::{self, Mix, Sample};
use lab::train::{curve, quantize};

/// Trains a network on the positions of self-play games.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// Folders of data sets.
    #[arg(required = true, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// The network file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Passes over the data.
    #[arg(long, value_name = "N", default_value_t = 20)]
    epochs: usize,
    /// Samples between two steps.
    #[arg(long, value_name = "N", default_value_t = 8_192)]
    batch: usize,
    /// Step size at the beginning.
    #[arg(long, value_name = "X", default_value_t = 0.002)]
    rate: f32,
    /// Weight of the game's result in a label; the rest is the search's score.
    #[arg(long, value_name = "X", default_value_t = 0.5)]
    lambda: f32,
    /// The score in hundredths of a man that is a winning chance of e:1; fitted to the results by
    /// default.
    #[arg(long, value_name = "N")]
    scale: Option<f32>,
    /// Decides start weights and the order of samples.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; all cores by default. They do not change the result.
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Draw the learning curves.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// One shard in so many is held back for validation.
const HELD_BACK: usize = 25;

fn main() -> Result<()> {
    let cli = Cli::parse();
    rayon::ThreadPoolBuilder::new()
        .num_threads(cli.threads)
        .build_global()?;
    let shards = samples::shards(&cli.data)?;
    let (held, used): (Vec<_>, Vec<_>) = shards
        .iter()
        .cloned()
        .enumerate()
        .partition(|(number, _)| number % HELD_BACK == HELD_BACK - 1);
    let paths = |list: Vec<(usize, PathBuf)>| list.into_iter().map(|it| it.1).collect::<Vec<_>>();
    let records = samples::read(&paths(used))?;
    let held = samples::read(&paths(held))?;
    let mix = Mix {
        lambda: cli.lambda,
        scale: cli
            .scale
            .unwrap_or_else(|| samples::fitting_scale(&records)),
    };
    let meaning = Curve::fitting(&records);
    let labelled = |records: Vec<lab::record::Record>| -> Vec<Sample> {
        let sample =
            |record: &lab::record::Record| Sample::of(&record.position, mix.target(record), 1.0);
        records.iter().map(sample).collect()
    };
    let (mut training, validation) = (labelled(records), labelled(held));
    println!(
        "{} samples, {} held back, scale {}, half won at {}, odds e:1 by {} more",
        training.len(),
        validation.len(),
        mix.scale,
        meaning.even,
        meaning.slope,
    );
    let plan = Plan {
        epochs: cli.epochs,
        batch: cli.batch.max(1),
        rate: cli.rate,
        seed: cli.seed,
    };
    let began = Instant::now();
    let mut told = Vec::new();
    let model = descent::descend(plan, &mut training, &validation, |now| {
        println!(
            "epoch {:3}  training {:.6}  validation {:.6}  {:.0} s",
            now.epoch,
            now.training,
            now.validation,
            began.elapsed().as_secs_f64()
        );
        told.push(now);
    });
    let written = |path: &PathBuf, bytes: &[u8]| {
        std::fs::write(path, bytes)
            .with_context(|| format!("{}: cannot be written", path.display()))
    };
    written(&cli.out, &quantize::file(&model, mix.scale, meaning))?;
    if let Some(path) = &cli.plot {
        written(path, curve::svg(&told).as_bytes())?;
    }
    Ok(())
}
