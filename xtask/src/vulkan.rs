//! Which kinds of Vulkan device a Linux machine has, told from its files alone.
//!
//! A Vulkan program needs the loader (`libvulkan.so.1`) and a driver, which a JSON manifest in one of
//! the loader's folders announces. Lavapipe's manifest is a device on any machine; a GPU driver's is
//! one only where the kernel shows a GPU. The folders and variables are those of the Vulkan loader's
//! interface document ("Driver discovery on Linux").

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::answer;

const LOADER: &str = "libvulkan.so.1";

/// Searched too, since not every system's `ldconfig` can list what it knows.
const USUAL_LIBRARIES: [&str; 5] = ["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib"];

/// What a look at the machine found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The Vulkan loader is installed.
    pub loader: bool,
    /// Mesa's software driver announces itself.
    pub software_driver: bool,
    /// A GPU driver announces itself and the kernel shows a GPU.
    pub gpu: bool,
    /// The variable that replaces the loader's folders, where one is set.
    pub pinned_by: Option<&'static str>,
}

impl Survey {
    /// Lavapipe can be opened.
    pub fn has_lavapipe(&self) -> bool {
        self.loader && self.software_driver
    }

    /// A hardware device can be opened.
    pub fn has_gpu(&self) -> bool {
        self.loader && self.gpu
    }

    /// Looks at this machine.
    pub fn of_this_machine() -> Self {
        Places::from_environment(|name| env::var_os(name)).survey(&loader_cache())
    }
}

/// Where to look.
struct Places {
    /// Manifest files, or folders of them.
    manifests: Vec<PathBuf>,
    libraries: Vec<PathBuf>,
    /// The kernel's device files.
    kernel: PathBuf,
    pinned_by: Option<&'static str>,
}

impl Places {
    /// The loader's places, with each variable that changes them.
    fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let listed = |name: &str| set(name).map(|value| env::split_paths(&value).collect());
        let pinned_by = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].into_iter().find(|&name| set(name).is_some());
        let manifests: Vec<PathBuf> = match pinned_by.and_then(listed) {
            Some(pinned) => pinned,
            None => {
                let roots = data_roots(set).into_iter();
                let mut manifests: Vec<_> = roots.map(|root| root.join("vulkan/icd.d")).collect();
                manifests.extend(listed("VK_ADD_DRIVER_FILES").unwrap_or_default());
                manifests
            }
        };
        let mut libraries: Vec<PathBuf> = listed("LD_LIBRARY_PATH").unwrap_or_default();
        libraries.extend(USUAL_LIBRARIES.map(PathBuf::from));
        let kernel = PathBuf::from("/dev");
        Self { manifests, libraries, kernel, pinned_by }
    }

    /// Looks there. `loader_cache` lists the libraries known to the dynamic linker.
    fn survey(&self, loader_cache: &str) -> Survey {
        let in_a_folder = || self.libraries.iter().any(|folder| folder.join(LOADER).exists());
        let drivers: Vec<Driver> = self.manifests.iter().flat_map(|place| drivers(place)).collect();
        let (nvidia, render) = kernel_gpus(&self.kernel);
        Survey {
            loader: loader_cache.contains(LOADER) || in_a_folder(),
            software_driver: drivers.contains(&Driver::Lavapipe),
            gpu: (nvidia && drivers.contains(&Driver::Nvidia)) || (render && drivers.contains(&Driver::OtherGpu)),
            pinned_by: self.pinned_by,
        }
    }
}

/// The folders that hold `vulkan/icd.d`: the user's own, then the system's.
fn data_roots(set: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for (own, below_home) in [("XDG_CONFIG_HOME", ".config"), ("XDG_DATA_HOME", ".local/share")] {
        let home = || set("HOME").map(|home| PathBuf::from(home).join(below_home));
        roots.extend(set(own).map(PathBuf::from).or_else(home));
    }
    for (shared, usual) in [("XDG_CONFIG_DIRS", "/etc/xdg"), ("XDG_DATA_DIRS", "/usr/local/share:/usr/share")] {
        let list = set(shared).unwrap_or_else(|| usual.into());
        roots.extend(env::split_paths(&list));
    }
    roots.extend(["/etc", "/run/opengl-driver/share"].map(PathBuf::from));
    roots
}

/// What a manifest announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Driver {
    Lavapipe,
    /// NVIDIA's own driver, which has device files of its own.
    Nvidia,
    OtherGpu,
}

impl Driver {
    /// Told from the library, since a manifest may have any name; `None` for what the tests cannot use.
    fn of(name: &str, text: &str) -> Option<Self> {
        let foreign = cfg!(target_pointer_width = "64")
            && ["i386", "i586", "i686"].iter().any(|architecture| name.contains(architecture));
        if foreign || text.contains("swiftshader") {
            None
        } else if text.contains("libvulkan_lvp") {
            Some(Self::Lavapipe)
        } else if text.contains("nvidia") {
            Some(Self::Nvidia)
        } else {
            Some(Self::OtherGpu)
        }
    }
}

/// The drivers of the manifests that are `place` or lie directly in it.
fn drivers(place: &Path) -> Vec<Driver> {
    let manifests = match fs::read_dir(place) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => vec![place.to_path_buf()],
    };
    let driver = |manifest: &PathBuf| {
        let name = manifest.file_name()?.to_str()?.strip_suffix(".json")?;
        Driver::of(name, &fs::read_to_string(manifest).ok()?)
    };
    manifests.iter().filter_map(driver).collect()
}

/// Whether the kernel shows a GPU of NVIDIA's own driver, and one with a render node.
fn kernel_gpus(kernel: &Path) -> (bool, bool) {
    let has = |folder: &Path, prefix: &str| {
        let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter_map(|name| name.into_string().ok()).any(|name| {
            name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        })
    };
    (has(kernel, "nvidia"), has(&kernel.join("dri"), "renderD"))
}

/// `ldconfig -p`, also where the path of a plain user leaves `/sbin` out.
fn loader_cache() -> String {
    let programs = ["ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"];
    programs.iter().find_map(|program| answer(program, &["-p"])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CACHE: &str = "\tlibvulkan.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libvulkan.so.1\n";

    const LVP: &str = r#"{"ICD": {"library_path": "/usr/lib/libvulkan_lvp.so"}}"#;
    const NVIDIA: &str = r#"{"ICD": {"library_path": "libGLX_nvidia.so.0"}}"#;
    const RADEON: &str = r#"{"ICD": {"library_path": "/usr/lib/libvulkan_radeon.so"}}"#;
    const SWIFTSHADER: &str = r#"{"ICD": {"library_path": "./libvk_swiftshader.so"}}"#;

    /// A made-up machine: a folder with these files in it, removed when dropped.
    struct Machine(PathBuf);

    impl Machine {
        fn with(name: &str, files: &[(&str, &str)]) -> Self {
            let root = env::temp_dir().join(format!("xtask-{}-{name}", std::process::id()));
            for (file, text) in files {
                let path = root.join(file);
                let folder = path.parent().expect("a file lies in a folder");
                fs::create_dir_all(folder).expect("the folder can be made");
                fs::write(path, text).expect("the file can be written");
            }
            Self(root)
        }

        fn survey(&self, cache: &str) -> Survey {
            let places = Places {
                manifests: vec![self.0.join("icd.d"), self.0.join("absent"), self.0.join("own.json")],
                libraries: vec![self.0.join("lib")],
                kernel: self.0.join("dev"),
                pinned_by: None,
            };
            places.survey(cache)
        }
    }

    impl Drop for Machine {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn an_empty_machine_has_no_device() {
        assert_eq!(Machine::with("empty", &[]).survey(""), Survey::default());
    }

    #[test]
    fn lavapipe_needs_its_manifest_and_the_loader() {
        for manifest in ["icd.d/lvp_icd.x86_64.json", "icd.d/lvp_icd.json", "own.json"] {
            let machine = Machine::with("lavapipe", &[(manifest, LVP)]);
            assert!(machine.survey(CACHE).has_lavapipe(), "{manifest}");
            assert!(!machine.survey("").has_lavapipe());
            assert!(!machine.survey(CACHE).has_gpu());
        }
        let files = [("icd.d/lvp_icd.json", LVP), ("lib/libvulkan.so.1", "")];
        assert!(Machine::with("folder", &files).survey("").has_lavapipe());
        let not_a_manifest = [("icd.d/lvp_icd.json.dpkg-old", LVP)];
        assert!(!Machine::with("old", &not_a_manifest).survey(CACHE).has_lavapipe());
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_32_bit_lavapipe_does_not_count() {
        let machine = Machine::with("i686", &[("icd.d/lvp_icd.i686.json", LVP)]);
        assert!(!machine.survey(CACHE).has_lavapipe());
    }

    #[test]
    fn a_gpu_needs_its_driver_and_the_kernel_to_show_it() {
        let (render, nvidia) = (("dev/dri/renderD128", ""), ("dev/nvidia0", ""));
        let absent: [(&str, &[(&str, &str)]); 4] = [
            ("driver", &[("icd.d/a.json", RADEON), ("icd.d/b.json", NVIDIA), ("dev/nvidiactl", "")]),
            ("kernel", &[render, nvidia]),
            ("vendor", &[("icd.d/b.json", NVIDIA), render]),
            ("software", &[("icd.d/c.json", LVP), ("icd.d/d.json", SWIFTSHADER), render, nvidia]),
        ];
        for (name, files) in absent {
            assert!(!Machine::with(name, files).survey(CACHE).has_gpu(), "{name}");
        }
        let present = [[("icd.d/a.json", RADEON), render], [("icd.d/b.json", NVIDIA), nvidia]];
        for files in present {
            assert!(Machine::with("gpu", &files).survey(CACHE).has_gpu(), "{files:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_variables_of_the_loader_change_where_it_looks() {
        let usual = Places::from_environment(|_| None);
        assert!(usual.manifests.contains(&PathBuf::from("/usr/share/vulkan/icd.d")));
        assert!(usual.manifests.contains(&PathBuf::from("/etc/vulkan/icd.d")));
        assert_eq!(usual.pinned_by, None);

        let added = |name: &str| (name == "VK_ADD_DRIVER_FILES").then(|| "/more".into());
        let added = Places::from_environment(added);
        assert_eq!(added.manifests.len(), usual.manifests.len() + 1);

        let pinned = |name: &str| (name == "VK_ICD_FILENAMES").then(|| "/a.json:/b".into());
        let pinned = Places::from_environment(pinned);
        assert_eq!(pinned.manifests, [PathBuf::from("/a.json"), PathBuf::from("/b")]);
        assert_eq!(pinned.pinned_by, Some("VK_ICD_FILENAMES"));
    }
}
