//! `cubefold demo`: the five jobs on real prices, with a table and a page to look at.

use std::path::{Path, PathBuf};

use clap::Args;
use cubefold::Device;
use serde::Serialize;

use super::error::CliError;
use super::output::{self, Answer, cell, csv_bytes};
use super::price::converge;
use super::session::{Progress, Session};
use crate::report::comparison::{self, Inputs, JOBS, Line};
use crate::report::page::{self, Figure, Page};
use crate::report::story;
use crate::report::table::{Side, TextTable, duration};

/// The page's file.
const PAGE: &str = "report.html";
/// The pictures' files; demo.svg, the times, is one of the answer's three.
const PICTURES: [&str; 5] = ["ema.svg", "cov.svg", "frontier.svg", "market.svg", "price.svg"];

/// Flags of `cubefold demo`.
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// Where report.html, its pictures and the table are written
    #[arg(short = 'o', long = "output", value_name = "DIR", default_value = "./cubefold-demo")]
    output: PathBuf,
}

/// The comparison as it is printed.
#[derive(Debug, Serialize)]
struct DemoAnswer {
    version: &'static str,
    host: String,
    device: Option<String>,
    jobs: Vec<Line>,
    report: String,
}

/// Header of the table; the page shows the same one.
const HEADER: [&str; 6] = ["job", "answer", "host", "device, first call", "device, later call", "difference"];

impl DemoAnswer {
    fn rows(&self) -> Vec<Vec<String>> {
        let time = |seconds: Option<f64>| seconds.map(duration).unwrap_or_default();
        let row = |line: &Line| {
            let measured = line.measured;
            vec![
                line.job.to_owned(),
                line.answer.clone(),
                duration(measured.host_seconds),
                time(measured.device_seconds_cold),
                time(measured.device_seconds_warm),
                measured.relative_difference.map(|difference| format!("{difference:.1e}")).unwrap_or_default(),
            ]
        };
        self.jobs.iter().map(row).collect()
    }

    /// What the columns mean, or why they are empty.
    fn remark(&self) -> &'static str {
        match self.device {
            Some(_) => "difference: largest difference between host and device over the largest magnitude.",
            None => "No GPU was used, so the device columns are empty; cubefold devices tells why.",
        }
    }

    fn page(&self, inputs: &Inputs, figures: Vec<Figure>) -> Page {
        let index = &inputs.prices.index;
        let days = index.first().zip(index.last()).map(|(first, last)| format!("{first} to {last}"));
        let device = self.device.as_deref().unwrap_or("none");
        Page {
            title: "Cubefold demo".to_owned(),
            summary: format!(
                "Five jobs on {} stocks, {}: each is a composition of reduce, scan and tiled GEMM, run from the same source on \
                 the host and on the device.",
                inputs.prices.width(),
                days.unwrap_or_default(),
            ),
            header: HEADER.to_vec(),
            rows: self.rows(),
            remark: self.remark().to_owned(),
            figures,
            foot: format!("cubefold {} · host: {} · device: {device}", self.version, self.host),
        }
    }
}

impl Answer for DemoAnswer {
    const NAME: &'static str = "demo";

    fn table(&self) -> String {
        let sides = [Side::Left, Side::Left, Side::Right, Side::Right, Side::Right, Side::Right];
        let mut table = TextTable::new(HEADER.into_iter().zip(sides));
        self.rows().into_iter().for_each(|row| table.row(row));
        format!("{}{}\nreport: {}\n", table.render(), self.remark(), self.report)
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = "job,answer,host_seconds,device_seconds_cold,device_seconds_warm,relative_difference";
        let header = header.split(',').map(str::to_owned).collect();
        let number = |value: Option<f64>| value.map(cell).unwrap_or_default();
        let row = |line: &Line| {
            let measured = line.measured;
            vec![
                line.job.to_owned(),
                line.answer.clone(),
                cell(measured.host_seconds),
                number(measured.device_seconds_cold),
                number(measured.device_seconds_warm),
                number(measured.relative_difference),
            ]
        };
        csv_bytes(std::iter::once(header).chain(self.jobs.iter().map(row)))
    }
}

/// Runs the jobs on the host and, unless that is the device itself, on the device; writes the page and prints the table.
///
/// # Errors
/// A device or output that cannot be used.
pub fn run(arguments: &DemoArgs, session: &Session) -> Result<(), CliError> {
    let directory = arguments.output.as_path();
    output::prepare::<DemoAnswer>(Some(directory))?;
    output::prepare_directory(directory, PICTURES.into_iter().chain([PAGE]))?;
    let inputs = Inputs::bundled()?;
    let (answer, figures) = session.run(JOBS + 1, |device, progress| {
        let (mut answer, figures) = compute(&inputs, device, progress)?;
        answer.report = directory.join(PAGE).display().to_string();
        Ok((answer, figures))
    })?;
    let times = write_pictures(&figures, directory)?;
    let html = page::render(&answer.page(&inputs, figures));
    output::write_file(&directory.join(PAGE), html.as_bytes())?;
    session.finish(&answer, Some(directory), &times)
}

/// The comparison and its figures.
fn compute(inputs: &Inputs, device: &Device, progress: &Progress) -> Result<(DemoAnswer, Vec<Figure>), CliError> {
    let host = Device::host();
    let other = (!device.is_host()).then_some(device);
    progress.say("jobs done");
    let (jobs, results) = comparison::compare(inputs, &host, other, || progress.step())?;
    progress.say("drawing");
    let option = &inputs.option;
    let (instrument, model) = (option.instrument(), option.model());
    let estimates = converge(device, &instrument, &model, &inputs.engine, &results.estimate)?;
    let figures = story::figures(inputs, &results, &estimates, &jobs)?;
    progress.step();
    let answer = DemoAnswer {
        version: env!("CARGO_PKG_VERSION"),
        host: host.label(),
        device: other.map(Device::label),
        jobs,
        report: String::new(),
    };
    Ok((answer, figures))
}

/// Writes the figures but the times into files of their own and gives the times' picture.
fn write_pictures(figures: &[Figure], directory: &Path) -> Result<String, CliError> {
    let mut times = String::new();
    for figure in figures {
        if figure.name == DemoAnswer::NAME {
            times.clone_from(&figure.svg);
        } else {
            output::write_file(&output::file_in(directory, figure.name, "svg"), figure.svg.as_bytes())?;
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::comparison::Measured;

    #[test]
    fn without_a_device_its_columns_are_empty_and_the_table_says_why() {
        let measured = Measured {
            host_seconds: 0.5,
            device_seconds_cold: None,
            device_seconds_warm: None,
            relative_difference: None,
        };
        let answer = DemoAnswer {
            version: "0",
            host: "host".to_owned(),
            device: None,
            jobs: vec![Line { job: "price", answer: "10.45".to_owned(), measured }],
            report: "report.html".to_owned(),
        };
        assert!(answer.csv().expect("equal lengths").ends_with(b"price,10.45,0.5,,,\n"));
        assert!(answer.table().contains("No GPU was used"));
        let json = serde_json::to_string(&answer).expect("numbers are JSON");
        assert!(json.contains("\"host_seconds\":0.5,\"device_seconds_cold\":null"), "{json}");
    }
}
