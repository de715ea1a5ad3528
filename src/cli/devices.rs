//! `cubefold devices`: what can compute here, and why the rest cannot.

use cubefold::device::{self, Availability};
use serde::Serialize;

use super::error::CliError;
use super::output::{Answer, csv_bytes};
use super::session::Session;
use crate::report::table::{Side, TextTable};

/// The devices and the one that `--device` gives.
#[derive(Debug, Serialize)]
struct DevicesAnswer {
    chosen: String,
    devices: Vec<DeviceRow>,
}

/// One device that was looked for.
#[derive(Debug, Serialize)]
struct DeviceRow {
    name: String,
    usable: bool,
    /// What it is.
    description: Option<String>,
    /// Why it is not usable.
    reason: Option<String>,
}

impl From<Availability> for DeviceRow {
    fn from(availability: Availability) -> Self {
        let (description, reason) = match availability.state {
            Ok(description) => (Some(description), None),
            Err(refusal) => (None, Some(refusal.reason.to_string())),
        };
        DeviceRow { name: availability.name, usable: reason.is_none(), description, reason }
    }
}

impl DeviceRow {
    fn cells(&self) -> [&str; 3] {
        let told = self.description.as_deref().or(self.reason.as_deref());
        [&self.name, if self.usable { "yes" } else { "no" }, told.unwrap_or_default()]
    }
}

impl Answer for DevicesAnswer {
    const NAME: &'static str = "devices";

    fn table(&self) -> String {
        let mut table =
            TextTable::new([("name", Side::Left), ("usable", Side::Left), ("what it is, or why not", Side::Left)]);
        self.devices.iter().for_each(|row| table.row(row.cells()));
        table.render()
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = ["name", "usable", "description_or_reason"];
        csv_bytes(std::iter::once(header).chain(self.devices.iter().map(DeviceRow::cells)))
    }
}

/// Lists every device that this build knows.
///
/// # Errors
/// A device named by `--device` that cannot be used; output that cannot be written.
pub fn run(session: &Session) -> Result<(), CliError> {
    let chosen = session.choose()?;
    let devices = device::available().into_iter().map(DeviceRow::from).collect();
    session.print(&DevicesAnswer { chosen: chosen.label(), devices })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold::device::{Reason, Refusal};

    #[test]
    fn a_refused_device_gives_its_reason() {
        let refusal = Refusal { name: "cuda".to_owned(), reason: Reason::NotThere { available: 0 } };
        let reason = refusal.reason.to_string();
        let row = DeviceRow::from(Availability { name: "cuda".to_owned(), state: Err(refusal) });
        assert_eq!(row.cells(), ["cuda", "no", &reason]);
    }
}
