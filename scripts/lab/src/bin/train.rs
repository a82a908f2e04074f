//! `train`: makes a network of a data set.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Parser;
use engine::score::Score;
use lab::record::Record;
use lab::train::chances::Curve;
use lab::train::descent::{self, Plan};
use lab::train::model::Model;
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
    /// Go on from this network instead of random weights. It then takes a --rate of a tenth or so,
    /// and the --unit that is nearest to the scale which is printed for the data: with another one
    /// it first learns to value everything higher or lower.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
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
    /// The score in hundredths of a man that the network gives a winning chance of e:1. The
    /// margins of the search are made for this.
    #[arg(long, value_name = "N", default_value_t = 150.0)]
    unit: f32,
    /// One shard in N is held back for validation.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(2..))]
    held_back: u32,
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

/// What is learned from.
#[derive(Default)]
struct Data {
    training: Vec<Sample>,
    validation: Vec<Sample>,
    /// Some records of games with their scores in the new network's unit.
    rescaled: Vec<Record>,
}

impl Data {
    /// Adds a data set. Its scores are in the unit of the network that played its games.
    fn add(&mut self, folder: &Path, cli: &Cli) -> Result<()> {
        let shards = samples::shards(folder)?;
        let every = cli.held_back as usize;
        let held = |number: &usize| number % every == every - 1;
        let numbered = || shards.iter().cloned().enumerate();
        let (used, kept): (Vec<_>, Vec<_>) = numbered().partition(|(number, _)| !held(number));
        let paths =
            |list: Vec<(usize, PathBuf)>| list.into_iter().map(|it| it.1).collect::<Vec<_>>();
        let (records, kept) = (samples::read(&paths(used))?, samples::read(&paths(kept))?);
        let mix = Mix {
            lambda: cli.lambda,
            scale: samples::fitting_scale(&records),
        };
        println!(
            "{}: {} records, scale {}",
            folder.display(),
            records.len(),
            mix.scale
        );
        let sample = |record: &Record| Sample::of(&record.position, mix.target(record));
        self.training.extend(records.iter().map(sample));
        self.validation.extend(kept.iter().map(sample));
        let rescaled = records.iter().step_by(5).map(|record| Record {
            score: Score::evaluation((f32::from(record.score.0) * cli.unit / mix.scale) as i32),
            ..*record
        });
        self.rescaled.extend(rescaled);
        Ok(())
    }
}

impl Cli {
    /// The network to go on from.
    fn start(&self) -> Result<Option<Model>> {
        let Some(path) = &self.from else {
            return Ok(None);
        };
        let bytes =
            std::fs::read(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let model = quantize::model(&bytes, self.unit)
            .with_context(|| format!("{}: no network", path.display()))?;
        Ok(Some(model))
    }
}

fn main() -> Result<()> {
    let cli = Cli::parse();
    rayon::ThreadPoolBuilder::new()
        .num_threads(cli.threads)
        .build_global()?;
    let start = cli.start()?;
    let mut data = Data::default();
    for folder in &cli.data {
        data.add(folder, &cli)?;
    }
    let meaning = Curve::fitting(&data.rescaled);
    println!(
        "{} samples, {} held back; half won at {}, odds e:1 by {} more",
        data.training.len(),
        data.validation.len(),
        meaning.even,
        meaning.slope,
    );
    let Data {
        mut training,
        validation,
        ..
    } = data;
    let plan = Plan {
        epochs: cli.epochs,
        batch: cli.batch.max(1),
        rate: cli.rate,
        seed: cli.seed,
    };
    if let Some(start) = &start {
        println!(
            "before            validation {:.6}",
            descent::mean_error(start, &validation)
        );
    }
    let began = Instant::now();
    let mut told = Vec::new();
    let model = descent::descend(plan, start, &mut training, &validation, |now| {
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
    written(&cli.out, &quantize::file(&model, cli.unit, meaning))?;
    if let Some(path) = &cli.plot {
        written(path, curve::svg(&told).as_bytes())?;
    }
    Ok(())
}
