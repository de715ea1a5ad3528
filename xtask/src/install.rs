//! Brings lavapipe, Mesa's software Vulkan device, or says why it cannot and what a person can do.

use std::fmt;

use crate::command::{Step, answer};
use crate::vulkan::Survey;

/// Debian's names, which its derivatives share.
const PACKAGES: [&str; 2] = ["mesa-vulkan-drivers", "libvulkan1"];

const BY_HAND: &str = "\
Install it and run this again:
  Debian, Ubuntu   apt-get install mesa-vulkan-drivers libvulkan1
  Fedora, RHEL     dnf install mesa-vulkan-drivers vulkan-loader
  Arch             pacman -S vulkan-swrast vulkan-icd-loader
  openSUSE         zypper install libvulkan_lvp libvulkan1
  Alpine           apk add mesa-vulkan-swrast vulkan-loader
Or test the host alone: CUBEFOLD_TEST_DEVICES=host cargo xtask test";

/// Why lavapipe is not there. Its text is the whole message for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The variable restricts the loader to other drivers: no package would change that.
    Pinned(&'static str),
    /// Not a Debian-like system.
    NoAptGet,
    /// A plain user, and sudo is absent or asks for a password.
    NotRoot,
    /// The package manager failed with this exit code.
    Failed(i32),
    /// The packages are installed, yet the loader or the driver's manifest is not where it belongs.
    StillMissing,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lavapipe, the software Vulkan device that the tests use, is not on this machine, and ")?;
        match self {
            Self::Pinned(variable) => write!(
                f,
                "{variable} restricts Vulkan to other drivers.\nUnset {variable} and run this again, \
                 or test the host alone: CUBEFOLD_TEST_DEVICES=host cargo xtask test"
            ),
            Self::NoAptGet => write!(f, "there is no apt-get to install it with.\n{BY_HAND}"),
            Self::NotRoot => write!(f, "only root or sudo without a password may install it.\n{BY_HAND}"),
            Self::Failed(code) => write!(f, "apt-get failed to install it (exit code {code}).\n{BY_HAND}"),
            Self::StillMissing => write!(
                f,
                "installing {} did not bring it: no libvulkan.so.1, or no lvp_icd*.json in vulkan/icd.d.\n{BY_HAND}",
                PACKAGES.join(" and ")
            ),
        }
    }
}

/// Who may install packages here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Right {
    Root,
    Sudo,
}

/// Installs lavapipe and looks whether it is there.
pub fn lavapipe(machine: Survey) -> Result<(), Refusal> {
    let right = right(machine, answer)?;
    // A stale list of packages is the usual reason for an install to fail; a failed update is not one yet.
    apt_get(right, &["update"]).run();
    let install = ["install", "--yes", "--no-install-recommends", PACKAGES[0], PACKAGES[1]];
    match apt_get(right, &install).run() {
        0 if Survey::of_this_machine().has_lavapipe() => Ok(()),
        0 => Err(Refusal::StillMissing),
        code => Err(Refusal::Failed(code)),
    }
}

/// Whether packages may be installed, and as whom. `ask` runs a program that changes nothing.
fn right(machine: Survey, ask: impl Fn(&str, &[&str]) -> Option<String>) -> Result<Right, Refusal> {
    if let Some(variable) = machine.pinned_by {
        return Err(Refusal::Pinned(variable));
    }
    ask("apt-get", &["--version"]).ok_or(Refusal::NoAptGet)?;
    if ask("id", &["-u"]).is_some_and(|user| user.trim() == "0") {
        return Ok(Right::Root);
    }
    ask("sudo", &["-n", "true"]).map(|_| Right::Sudo).ok_or(Refusal::NotRoot)
}

/// An apt-get that asks no question and waits for another one to finish.
fn apt_get(right: Right, arguments: &[&str]) -> Step {
    let quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"];
    let step = match right {
        Right::Root => Step::new(quiet[0], &quiet[1..]),
        Right::Sudo => Step::new("sudo", &["-n"]).args(&quiet),
    };
    step.args(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine on which only these programs exist, with these answers.
    fn machine(programs: &'static [(&str, &str)]) -> impl Fn(&str, &[&str]) -> Option<String> {
        move |program, _| programs.iter().find(|(name, _)| *name == program).map(|(_, said)| said.to_string())
    }

    #[test]
    fn root_and_sudo_without_a_password_may_install() {
        let root = machine(&[("apt-get", "apt"), ("id", "0\n")]);
        assert_eq!(right(Survey::default(), root), Ok(Right::Root));
        let sudo = machine(&[("apt-get", "apt"), ("id", "1000\n"), ("sudo", "")]);
        assert_eq!(right(Survey::default(), sudo), Ok(Right::Sudo));
    }

    #[test]
    fn others_are_told_what_stands_in_the_way() {
        let plain = machine(&[("apt-get", "apt"), ("id", "1000\n")]);
        assert_eq!(right(Survey::default(), plain), Err(Refusal::NotRoot));
        let fedora = machine(&[("id", "0\n")]);
        assert_eq!(right(Survey::default(), fedora), Err(Refusal::NoAptGet));
        let pinned = Survey { pinned_by: Some("VK_DRIVER_FILES"), ..Survey::default() };
        let root = machine(&[("apt-get", "apt"), ("id", "0\n")]);
        assert_eq!(right(pinned, root), Err(Refusal::Pinned("VK_DRIVER_FILES")));
    }

    #[test]
    fn every_refusal_names_a_remedy() {
        for refusal in [Refusal::NoAptGet, Refusal::NotRoot, Refusal::Failed(100), Refusal::StillMissing] {
            let message = refusal.to_string();
            for family in ["Debian", "Fedora", "Arch", "openSUSE", "Alpine", "CUBEFOLD_TEST_DEVICES=host"] {
                assert!(message.contains(family), "{family} in {message}");
            }
        }
        assert!(Refusal::Pinned("VK_DRIVER_FILES").to_string().contains("Unset VK_DRIVER_FILES"));
    }

    #[test]
    fn installing_asks_no_question() {
        let shown = apt_get(Right::Sudo, &["update"]).to_string();
        assert_eq!(shown, "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 update");
    }
}
