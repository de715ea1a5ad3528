//! Where answers go: standard output in three formats, and the files of `-o`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::ser::SerializeMap;

use super::args::Format;
use super::error::CliError;

/// What a subcommand found, in the three forms it is printed in. `Serialize` gives the JSON object.
pub trait Answer: Serialize {
    /// Stem of the files that `-o` writes.
    const NAME: &'static str;

    /// Aligned text for people, ending with a line break.
    fn table(&self) -> String;

    /// The bytes of a CSV file with a header.
    ///
    /// # Errors
    /// Records that do not form a CSV file.
    fn csv(&self) -> Result<Vec<u8>, CliError>;

    /// Writes the same bytes to `out`, whose errors `told` puts into words. A long answer does so without holding all of them.
    ///
    /// # Errors
    /// As [`csv`](Answer::csv), and what `told` gives.
    fn write_csv(&self, out: &mut dyn Write, told: &dyn Fn(io::Error) -> CliError) -> Result<(), CliError> {
        out.write_all(&self.csv()?).map_err(told)
    }
}

/// Prints `answer` on standard output.
///
/// # Errors
/// [`CliError::StandardOutput`]; a reader that left is told by [`CliError::is_broken_pipe`].
pub fn print(answer: &impl Answer, format: Format) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    match format {
        Format::Table => stdout.write_all(answer.table().as_bytes()).map_err(CliError::StandardOutput),
        Format::Json => stdout.write_all(&json_line(answer)?).map_err(CliError::StandardOutput),
        Format::Csv => answer.write_csv(&mut stdout, &CliError::StandardOutput),
    }?;
    stdout.flush().map_err(CliError::StandardOutput)
}

/// Writes NAME.json, NAME.csv and, of a picture, NAME.svg of `answer` into `directory`, which [`prepare_directory`] has made.
///
/// # Errors
/// [`CliError::Write`] with the file's path.
pub fn save<A: Answer>(answer: &A, directory: &Path, picture: &str) -> Result<(), CliError> {
    write_file(&file_in(directory, A::NAME, "json"), &json_line(answer)?)?;
    write_csv_file(&file_in(directory, A::NAME, "csv"), answer)?;
    if picture.is_empty() {
        return Ok(());
    }
    write_file(&file_in(directory, A::NAME, "svg"), picture.as_bytes())
}

/// Writes one file.
///
/// # Errors
/// [`CliError::Write`] with the path.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    fs::write(path, bytes).map_err(|source| CliError::Write { path: path.to_owned(), source })
}

/// Writes the CSV file of an answer.
///
/// # Errors
/// [`CliError::Write`] with the path.
pub fn write_csv_file(path: &Path, answer: &impl Answer) -> Result<(), CliError> {
    let told = |source| CliError::Write { path: path.to_owned(), source };
    let mut out = BufWriter::new(File::create(path).map_err(told)?);
    answer.write_csv(&mut out, &told)?;
    out.flush().map_err(told)
}

/// Makes `directory` and makes sure that `names` can be written in it, before any work is done for them.
///
/// # Errors
/// [`CliError::MakeDirectory`] or [`CliError::Write`].
pub fn prepare_directory<'a>(directory: &Path, names: impl IntoIterator<Item = &'a str>) -> Result<(), CliError> {
    fs::create_dir_all(directory).map_err(|source| CliError::MakeDirectory { path: directory.to_owned(), source })?;
    names.into_iter().try_for_each(|name| prepare_file(&directory.join(name)))
}

/// [`prepare_directory`] for the three files of the answer `A`, where a directory is asked for.
///
/// # Errors
/// As [`prepare_directory`].
pub fn prepare<A: Answer>(directory: Option<&Path>) -> Result<(), CliError> {
    let Some(directory) = directory else {
        return Ok(());
    };
    let names = ["json", "csv", "svg"].map(|extension| format!("{}.{extension}", A::NAME));
    prepare_directory(directory, names.iter().map(String::as_str))
}

/// Makes sure that `path` can be written; a file that is there keeps its content, none is left behind where none was.
///
/// # Errors
/// [`CliError::Write`] with the path.
pub fn prepare_file(path: &Path) -> Result<(), CliError> {
    let was_there = path.exists();
    let refused = |source| CliError::Write { path: path.to_owned(), source };
    OpenOptions::new().append(true).create(true).open(path).map_err(refused)?;
    if was_there { Ok(()) } else { fs::remove_file(path).map_err(refused) }
}

/// `directory/name.extension`.
pub fn file_in(directory: &Path, name: &str, extension: &str) -> PathBuf {
    directory.join(format!("{name}.{extension}"))
}

/// A CSV file of `records`, the first of which is the header.
///
/// # Errors
/// [`CliError::Csv`] when the records differ in length.
pub fn csv_bytes<R, F>(records: impl IntoIterator<Item = R>) -> Result<Vec<u8>, CliError>
where
    R: IntoIterator<Item = F>,
    F: AsRef<[u8]>,
{
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.write_record(record)?;
    }
    writer.into_inner().map_err(|error| CliError::Csv(error.into_error().into()))
}

/// A CSV cell: the shortest text that reads back as `value`, empty where it is missing.
pub fn cell(value: f64) -> String {
    if value.is_nan() { String::new() } else { format!("{value:?}") }
}

/// An object whose keys keep the order of `names`.
#[derive(Debug, Clone)]
pub struct Named<T> {
    /// The keys.
    pub names: Vec<String>,
    /// One value a key.
    pub values: Vec<T>,
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.names.len()))?;
        for (name, value) in self.names.iter().zip(&self.values) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// `answer` as one line of JSON; serde_json writes NaN and infinities as null.
fn json_line(answer: &impl Serialize) -> Result<Vec<u8>, CliError> {
    let mut bytes = serde_json::to_vec(answer)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_values_keep_their_order_and_nan_is_null() {
        let named = Named { names: vec!["b".to_owned(), "a".to_owned()], values: vec![1.5, f64::NAN] };
        let text = String::from_utf8(json_line(&named).expect("numbers are JSON")).expect("JSON is text");
        assert_eq!(text, "{\"b\":1.5,\"a\":null}\n");
    }

    #[test]
    fn cells_read_back_as_the_same_number_and_missing_is_empty() {
        assert_eq!(cell(f64::NAN), "");
        for value in [0.1, -1e-300, 1e300, 1.0 / 3.0, 0.0] {
            assert_eq!(cell(value).parse(), Ok(value));
        }
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let bytes = csv_bytes([["a", "b,c"], ["1", "2"]]).expect("equal lengths");
        assert_eq!(bytes, b"a,\"b,c\"\n1,2\n");
    }

    #[test]
    fn preparing_a_file_leaves_nothing_behind_and_a_missing_folder_is_told() {
        let path = std::env::temp_dir().join(format!("cubefold-prepare-{}", std::process::id()));
        prepare_file(&path).expect("the temporary folder can be written");
        assert!(!path.exists());
        let refused = prepare_file(&path.join("no-folder.csv")).expect_err("its folder is missing");
        assert!(matches!(refused, CliError::Write { .. }));
    }
}
