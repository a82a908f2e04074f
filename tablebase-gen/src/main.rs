//! The `tablebase-gen` binary: reads the command line and prints what the library does.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::{Args, Parser, Subcommand};
use engine::tablebase::Slice;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tablebase_gen::build::{self, Event, Order, Progress, Solved};
use tablebase_gen::kernel::Isa;
use tablebase_gen::{plain, plan, stats, system, verify};

/// Builds, verifies and describes endgame databases for English draughts.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Solve all positions of up to N pieces and write their files; goes on where it stopped.
    Build(Build),
    /// Check finished files against the rules, by another way than they were made.
    Verify(Verify),
    /// Describe finished files, one slice a line.
    Stats(Stats),
    /// Show the order and the cost of a build.
    Plan(Plan),
    /// Join the files of up to N pieces into one.
    Pack(Pack),
    /// Write the values uncoded beside their files: many times larger, and much quicker to read.
    Unpack(Unpack),
}

#[derive(Debug, Args)]
struct Extent {
    /// The most pieces on the board.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=8))]
    pieces: u32,
    /// The most pieces of one side; with one less than N, every split.
    #[arg(long, value_name = "M", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=7))]
    per_side: u32,
}

#[derive(Debug, Args)]
struct Build {
    #[command(flatten)]
    extent: Extent,
    /// The folder of the files.
    #[arg(long, value_name = "DIR", default_value = "tablebases")]
    out: PathBuf,
    /// Threads; all cores by default.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Refuse to start if more memory is needed; what is free by default.
    #[arg(long, value_name = "GB")]
    memory: Option<u64>,
    /// The instruction set: portable, avx2 or avx512; the best there is by default.
    #[arg(long, value_name = "ISA")]
    isa: Option<String>,
    /// Solve and count, but write no files.
    #[arg(long, conflicts_with = "out")]
    count_only: bool,
    /// Write the distances to the next capture or man's move too.
    #[arg(long, conflicts_with = "count_only")]
    distances: bool,
    /// Tell distances up to so many plies as that many.
    #[arg(long, value_name = "PLIES", default_value_t = 1, requires = "distances", value_parser = clap::value_parser!(u8).range(1..=20))]
    least_distance: u8,
    /// Progress and result as one JSON object a line.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Verify {
    /// The folder of the files.
    dir: PathBuf,
    /// The most pieces on the board; what is there by default.
    #[arg(long, value_name = "N")]
    pieces: Option<u32>,
    /// The most pieces of one side.
    #[arg(long, value_name = "M", default_value_t = 4)]
    per_side: u32,
    /// Solve all positions of up to so many pieces again, and compare everything.
    #[arg(long, value_name = "N", default_value_t = 6)]
    complete: u32,
    /// Keep what is done here, to go on from there after a stop.
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Above that, check one position in so many.
    #[arg(long, value_name = "K", default_value_t = 1009, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Threads; all cores by default.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Progress and result as one JSON object a line.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Stats {
    /// The folder of the files.
    dir: PathBuf,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Plan {
    #[command(flatten)]
    extent: Extent,
    /// Threads; all cores by default.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
}

#[derive(Debug, Args)]
struct Pack {
    /// The folder of the files.
    dir: PathBuf,
    /// The most pieces on the board.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pieces: u32,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Join the files of distances.
    #[arg(long)]
    distances: bool,
}

#[derive(Debug, Args)]
struct Unpack {
    /// The folder of the files.
    dir: PathBuf,
    /// The most pieces on the board.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pieces: u32,
    /// Threads; all cores by default.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Build(args) => run_build(&args),
        Command::Verify(args) => run_verify(&args),
        Command::Stats(args) => run_stats(&args),
        Command::Plan(args) => {
            run_plan(&args);
            Ok(true)
        }
        Command::Pack(args) => run_pack(&args),
        Command::Unpack(args) => run_unpack(&args),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("tablebase-gen: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn threads(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

fn in_pool<R: Send>(wanted: Option<usize>, work: impl FnOnce() -> R + Send) -> anyhow::Result<R> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads(wanted))
        .build()?;
    Ok(pool.install(work))
}

fn isa(wanted: Option<&str>) -> anyhow::Result<Isa> {
    let Some(wanted) = wanted else {
        return Ok(Isa::detect());
    };
    let found = Isa::available()
        .into_iter()
        .find(|isa| isa.to_string() == wanted);
    found.with_context(|| {
        let all: Vec<String> = Isa::available().iter().map(Isa::to_string).collect();
        format!(
            "no instruction set {wanted} here; expected one of {}",
            all.join(", ")
        )
    })
}

fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

/// Refuses what cannot end well.
fn check_resources(args: &Build) -> anyhow::Result<()> {
    let Extent { pieces, per_side } = args.extent;
    let need = plan::peak_bytes(&plan::plan(pieces, per_side, threads(args.threads) as u64));
    let limit = args
        .memory
        .map(|memory| memory << 30)
        .or_else(system::free_memory);
    if let Some(limit) = limit
        && need > limit
    {
        bail!(
            "{pieces} pieces need {:.1} GB of memory and {:.1} GB may be used",
            gigabytes(need),
            gigabytes(limit)
        );
    }
    let positions: u64 = (2..=pieces)
        .flat_map(|pieces| Slice::all(pieces, per_side))
        .map(Slice::positions)
        .sum();
    if args.count_only {
        return Ok(());
    }
    let disk = positions / 64 + (1 << 20);
    fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    if let Some(free) = system::free_disk(&args.out)
        && disk > free
    {
        bail!(
            "{pieces} pieces may need {:.2} GB on disk and {:.2} GB are free",
            gigabytes(disk),
            gigabytes(free)
        );
    }
    Ok(())
}

fn bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(
        "{wide_bar} {percent}% of {human_len}  {per_sec}  {eta} left  {msg}",
    );
    let bar = ProgressBar::new(length);
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

fn progress_object(progress: &Progress) -> serde_json::Value {
    json!({
        "positions": progress.positions,
        "of": progress.of,
        "seconds_generate": progress.seconds_generate,
        "seconds_compress": progress.seconds_compress,
        "seconds_distances": progress.seconds_distances,
        "bytes": progress.bytes,
    })
}

/// The slices solved last: losses, draws and wins, seconds and positions a second.
fn solved_object(solved: &Solved) -> serde_json::Value {
    let slices: Vec<_> = solved
        .slices
        .iter()
        .map(|(slice, [loss, draw, win])| {
            json!({"slice": slice.to_string(), "win": win, "draw": draw, "loss": loss})
        })
        .collect();
    json!({
        "slices": slices,
        "seconds": solved.seconds,
        "processor_seconds": solved.processor_seconds,
        "positions_per_second": solved.positions() as f64 / solved.seconds.max(1e-9),
    })
}

fn print_counts(solved: &Solved) {
    for (slice, [loss, draw, win]) in &solved.slices {
        println!("{slice} = W {win} D {draw} L {loss}");
    }
}

fn run_build(args: &Build) -> anyhow::Result<bool> {
    let isa = isa(args.isa.as_deref())?;
    check_resources(args)?;
    let order = Order {
        pieces: args.extent.pieces,
        per_side: args.extent.per_side,
        out: (!args.count_only).then(|| args.out.clone()),
        isa,
        distances: args.distances.then_some(args.least_distance),
    };
    let bar = bar(1);
    let done = in_pool(args.threads, || {
        build::build(&order, |progress, event| {
            bar.set_length(progress.of);
            bar.set_position(progress.positions);
            match event {
                Event::Solving(slices) => bar.set_message(format!("solving {}", slices[0])),
                Event::Written(slice, _) => bar.set_message(format!("wrote {slice}")),
                Event::Solved(solved) if args.json => {
                    let mut object = progress_object(progress);
                    object["solved"] = solved_object(solved);
                    println!("{object}");
                }
                Event::Solved(solved) if args.count_only => print_counts(solved),
                Event::Solved(_) => bar.set_message("writing"),
            }
        })
    })??;
    bar.finish_and_clear();
    if args.json {
        let mut object = progress_object(&done);
        object["pieces"] = json!(order.pieces);
        object["isa"] = json!(isa.to_string());
        object["seconds_verify"] = json!(null);
        object["peak_bytes"] = json!(system::peak_memory());
        object["checked"] = json!(null);
        object["errors"] = json!(null);
        println!("{object}");
    } else {
        println!(
            "{} positions in {:.1} s ({:.1} million a second, {isa}, {} threads)",
            done.positions,
            done.seconds_generate,
            done.positions as f64 / 1e6 / done.seconds_generate.max(1e-9),
            threads(args.threads),
        );
        if !args.count_only {
            println!(
                "coded in {:.1} s: {} bytes in {}",
                done.seconds_compress,
                done.bytes,
                args.out.display()
            );
        }
    }
    Ok(true)
}

fn run_verify(args: &Verify) -> anyhow::Result<bool> {
    let pieces = match args.pieces {
        Some(pieces) => pieces,
        None => stats::most_pieces(&args.dir)?,
    };
    let order = verify::Order {
        folder: args.dir.clone(),
        pieces,
        per_side: args.per_side,
        complete: args.complete,
        every: args.every,
        work: args.work.clone(),
    };
    let started = Instant::now();
    let report = in_pool(args.threads, || {
        verify::verify(&order, |slice, report| {
            if args.json {
                println!(
                    "{}",
                    json!({"slice": slice.to_string(), "checked": report.checked, "errors": report.errors.len()})
                );
            } else {
                eprintln!("{slice}: {} stored values compared so far", report.checked);
            }
        })
    })??;
    let seconds = started.elapsed().as_secs_f64();
    for error in &report.errors {
        eprintln!("tablebase-gen: {error}");
    }
    if args.json {
        println!(
            "{}",
            json!({
                "pieces": pieces,
                "positions": report.visited,
                "seconds_verify": seconds,
                "checked": report.checked,
                "proved": report.proved,
                "distances": report.distances,
                "errors": report.errors.len(),
                "peak_bytes": system::peak_memory(),
            })
        );
    } else {
        println!(
            "{} positions, {} stored values compared, {} wins and losses proved again, {} distances found again, {} errors in {seconds:.1} s",
            report.visited,
            report.checked,
            report.proved,
            report.distances,
            report.errors.len()
        );
    }
    Ok(report.errors.is_empty())
}

fn run_stats(args: &Stats) -> anyhow::Result<bool> {
    let rows = stats::stats(&args.dir)?;
    for row in &rows {
        if args.json {
            println!("{}", serde_json::to_string(row)?);
        } else {
            println!("{row}");
        }
    }
    if !args.json {
        println!("{}", stats::total(&rows));
    }
    Ok(true)
}

fn run_plan(args: &Plan) {
    let Extent { pieces, per_side } = args.extent;
    let steps = plan::plan(pieces, per_side, threads(args.threads) as u64);
    println!("slices          positions     tables MB   resident MB");
    for step in &steps {
        println!(
            "{:8} {:>16} {:>13.1} {:>13.1}",
            step.slices[0],
            step.positions,
            step.table_bytes as f64 / 1e6,
            step.resident_bytes as f64 / 1e6
        );
    }
    let positions: u64 = steps.iter().map(|step| step.positions).sum();
    println!(
        "{positions} positions, at most {:.2} GB in memory",
        gigabytes(plan::peak_bytes(&steps))
    );
}

fn run_pack(args: &Pack) -> anyhow::Result<bool> {
    let pack = if args.distances {
        stats::pack_distances
    } else {
        stats::pack
    };
    let bytes = pack(&args.dir, args.pieces)?;
    fs::write(&args.out, &bytes).with_context(|| format!("cannot write {}", args.out.display()))?;
    println!("{} bytes in {}", bytes.len(), args.out.display());
    Ok(true)
}

fn run_unpack(args: &Unpack) -> anyhow::Result<bool> {
    let started = Instant::now();
    let bytes = in_pool(args.threads, || {
        plain::unpack(&args.dir, args.pieces, |slice, bytes| {
            eprintln!("{slice}: {bytes} bytes");
        })
    })??;
    let seconds = started.elapsed().as_secs_f64();
    println!("{bytes} bytes in {} in {seconds:.1} s", args.dir.display());
    Ok(true)
}
