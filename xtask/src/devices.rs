//! Which devices a test run must not skip: (system, what was named, what the machine has) -> choice.

use crate::vulkan::Survey;

/// The variable that names them, for this program and for the tests.
pub const VARIABLE: &str = "CUBEFOLD_TEST_DEVICES";

/// What to do before the tests.
#[derive(Debug, PartialEq, Eq)]
pub enum Choice {
    /// Run them now.
    Run(Devices),
    /// Lavapipe has to be brought first. `named` is the user's own list, where it asks for lavapipe.
    Bring { named: Option<String> },
}

/// The devices whose tests fail where they cannot run, and what the run leaves out.
#[derive(Debug, PartialEq, Eq)]
pub struct Devices {
    /// Comma-separated names, as `--device` takes them.
    pub names: String,
    /// Said before and after the tests.
    pub not_covered: Option<String>,
}

impl Devices {
    /// These, with nothing left out.
    pub fn all(names: &str) -> Self {
        Self { names: names.to_string(), not_covered: None }
    }

    /// The host executor alone.
    pub fn host_only(not_covered: &str) -> Self {
        Self { names: "host".to_string(), not_covered: Some(not_covered.to_string()) }
    }
}

/// Chooses on Linux. A list of the user's own is kept as it is; without one the devices are the host
/// and lavapipe, or a GPU where only that is installed.
pub fn on_linux(named: Option<String>, machine: Survey) -> Choice {
    match named {
        Some(names) if names_lavapipe(&names) && !machine.has_lavapipe() => Choice::Bring { named: Some(names) },
        Some(names) => Choice::Run(Devices::all(&names)),
        None if machine.has_lavapipe() => Choice::Run(Devices::all("host,lavapipe")),
        None if machine.has_gpu() => Choice::Run(Devices::all("host,wgpu")),
        None => Choice::Bring { named: None },
    }
}

/// Chooses where no software Vulkan device is brought.
pub fn elsewhere(named: Option<String>, system: &str) -> Devices {
    match (named, system) {
        (Some(names), _) => Devices::all(&names),
        (None, "macos") => Devices::host_only(
            "on macOS only the host's tests must pass. Tests of Metal through wgpu run where a device opens; \
             CUBEFOLD_TEST_DEVICES=host,wgpu makes them obligatory. Lavapipe, Vulkan, CUDA and HIP are left out.",
        ),
        (None, "windows") => Devices::host_only(
            "on Windows only the host's tests must pass. Tests of a GPU through wgpu run where a device opens; \
             CUBEFOLD_TEST_DEVICES=host,wgpu makes them obligatory. Lavapipe is left out.",
        ),
        (None, _) => Devices::host_only(
            "on this system only the host's tests must pass. CUBEFOLD_TEST_DEVICES=host,wgpu makes those of a \
             GPU obligatory.",
        ),
    }
}

/// `lavapipe` or `lavapipe:N` is in the list.
fn names_lavapipe(names: &str) -> bool {
    names.split(',').any(|name| name.split(':').next().is_some_and(|name| name.trim() == "lavapipe"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Survey = Survey { loader: false, software_driver: false, gpu: false, pinned_by: None };
    const LAVAPIPE: Survey = Survey { loader: true, software_driver: true, ..NOTHING };
    const GPU: Survey = Survey { loader: true, gpu: true, ..NOTHING };

    fn names(choice: Choice) -> String {
        match choice {
            Choice::Run(devices) => devices.names,
            Choice::Bring { named } => format!("bring for {named:?}"),
        }
    }

    #[test]
    fn without_a_list_the_machine_decides() {
        assert_eq!(names(on_linux(None, LAVAPIPE)), "host,lavapipe");
        assert_eq!(names(on_linux(None, GPU)), "host,wgpu");
        assert_eq!(names(on_linux(None, Survey { gpu: true, ..LAVAPIPE })), "host,lavapipe");
        assert_eq!(names(on_linux(None, NOTHING)), "bring for None");
        assert_eq!(names(on_linux(None, Survey { loader: false, ..LAVAPIPE })), "bring for None");
    }

    #[test]
    fn a_list_of_the_users_own_is_kept() {
        let own = |names: &str| Some(names.to_string());
        assert_eq!(names(on_linux(own("host"), NOTHING)), "host");
        assert_eq!(names(on_linux(own("wgpu,cuda:1"), NOTHING)), "wgpu,cuda:1");
        assert_eq!(names(on_linux(own("lavapipe"), LAVAPIPE)), "lavapipe");
        assert_eq!(elsewhere(own("host,wgpu"), "macos"), Devices::all("host,wgpu"));
    }

    #[test]
    fn a_named_lavapipe_is_brought_even_beside_a_gpu() {
        for list in ["host,lavapipe", "wgpu, lavapipe:0"] {
            let choice = on_linux(Some(list.to_string()), GPU);
            assert_eq!(choice, Choice::Bring { named: Some(list.to_string()) });
        }
    }

    #[test]
    fn other_systems_say_what_is_left_out() {
        for system in ["macos", "windows", "freebsd"] {
            let devices = elsewhere(None, system);
            assert_eq!(devices.names, "host");
            assert!(devices.not_covered.is_some());
        }
    }
}
