//! Scripts by which shells complete the command line.

use super::{Folder, Outcome};

/// The script for a shell; nothing is told on standard error, as no device is chosen.
fn script(shell: &str) -> String {
    let Outcome { code, stdout, stderr, .. } = Folder::new().run_bare(&["completions", shell]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{shell}");
    stdout
}

#[test]
fn every_shell_has_a_script_that_names_every_subcommand() {
    let commands =
        ["devices", "price", "ema", "rolling", "drawdown", "cov", "frontier", "market", "bench", "demo", "completions"];
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = script(shell);
        for command in commands {
            assert!(script.contains(command), "{shell}: {command}");
        }
        assert!(script.contains("explain"), "{shell}: the flags of a subcommand");
    }
}

#[test]
fn bash_zsh_and_fish_complete_the_names_of_devices() {
    let names = ["auto", "host", "wgpu", "vulkan", "cuda", "hip", "metal", "cpu", "lavapipe"];
    let of_devices = |line: &&str| names.iter().all(|name| line.contains(name));
    for shell in ["bash", "zsh"] {
        assert!(script(shell).lines().any(|line| of_devices(&line)), "{shell}");
    }
    let fish = script("fish");
    // Fish lists a flag's values a line each, below the flag.
    let text = fish.lines().skip_while(|line| !line.contains("-l device")).take(names.len()).collect::<String>();
    assert!(of_devices(&text.as_str()), "{text}");
}

#[test]
fn the_second_device_of_a_kind_can_still_be_named_and_no_other_shell() {
    let outcome = Folder::new().run_bare(&["completions", "bash", "--device", "cuda:1"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let folder = Folder::new();
    for line in [&["completions"][..], &["completions", "cmd"], &["completions", "bash", "--device", "cuda:1:2"]] {
        folder.run_bare(line).refused();
    }
    let message = folder.run_bare(&["devices", "--device", "nosuch"]).refused();
    assert!(message.contains("nosuch"), "{message}");
}
