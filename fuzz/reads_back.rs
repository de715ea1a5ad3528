//! What holds of the CSV reader on any bytes; the fuzz target and a test of the other workspace share it.

use cubefold_finance::Table;

/// The reader refuses with one line, or gives a table that is sound and reads back equal.
pub fn check(bytes: &[u8]) {
    let table = match Table::from_reader("fuzz.csv", bytes) {
        Ok(table) => table,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && !message.contains(['\n', '\r']), "{message:?}");
            return;
        }
    };
    assert_eq!(table.values.len(), table.rows() * table.width());
    assert!(table.rows() > 0 && table.values.iter().all(|value| !value.is_infinite()));
    let mut written = Vec::new();
    table.write_csv(&mut written).expect("memory can be written");
    let again = Table::from_reader("fuzz.csv", &written[..]).expect("what was written is read");
    assert!(table == again, "{table:?} is not {again:?}");
    // Any index may be asked for times.
    let _ = table.times();
}
