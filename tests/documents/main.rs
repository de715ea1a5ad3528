//! What documents say: the examples run on every device, and the README's figures have been measured.

#![allow(clippy::unwrap_used)] // a test that cannot go on fails

#[allow(dead_code)] // what other tests ask of devices
#[path = "../it/devices.rs"]
mod devices;
mod features;
mod figures;

/// One module and one test an example, so that all of them cost one link; a file of the folder that is missing here fails the last test.
macro_rules! examples {
    ($($path:literal $name:ident),* $(,)?) => {
        $(
            #[allow(dead_code)] // its main
            #[path = $path]
            mod $name;

            #[test]
            fn $name() {
                for (name, device) in devices::devices() {
                    $name::run(device).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
            }
        )*

        const EXAMPLES: &[&str] = &[$(stringify!($name)),*];
    };
}

examples! {
    "../../examples/automaton.rs" automaton,
    "../../examples/best_stretch.rs" best_stretch,
    "../../examples/daily_swing.rs" daily_swing,
    "../../examples/first_operator.rs" first_operator,
    "../../examples/increasing_run.rs" increasing_run,
    "../../examples/k_means.rs" k_means,
    "../../examples/lcg_jump.rs" lcg_jump,
    "../../examples/ledger.rs" ledger,
    "../../examples/membrane_helices.rs" membrane_helices,
    "../../examples/polynomial_hash.rs" polynomial_hash,
    "../../examples/power_average.rs" power_average,
    "../../examples/reservoir.rs" reservoir,
    "../../examples/shortest_paths.rs" shortest_paths,
    "../../examples/viterbi.rs" viterbi,
}

/// Lines that an example may have at most.
const LINES: usize = 79;

#[test]
fn every_example_is_run_here_and_fits_on_a_page() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(EXAMPLES.contains(&name), "{name} is not run");
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= LINES, "{name} has {lines} lines");
    }
}
