//! Launches as they happen, so that a test can tell which strategy ran, and where.

use std::sync::Mutex;

/// One launch of a kernel, or one run of the host executor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Launch {
    /// The kernel, such as `reduce::fold`, or `host` for the host executor.
    pub kernel: &'static str,
    /// The strategy that asked for it.
    pub strategy: &'static str,
    /// Cubes launched; 0 on the host.
    pub cubes: u64,
    /// Units of a cube; 0 on the host.
    pub units: u32,
}

/// Called at every launch.
pub type Observer = Box<dyn Fn(&Launch) + Send + Sync>;

#[derive(Default)]
pub struct Observers(Mutex<Vec<Observer>>);

impl Observers {
    pub fn add(&self, observer: Observer) {
        self.list().push(observer);
    }

    pub fn notify(&self, launch: &Launch) {
        tracing::trace!(kernel = launch.kernel, strategy = launch.strategy, cubes = launch.cubes, "launch");
        self.list().iter().for_each(|observer| observer(launch));
    }

    fn list(&self) -> std::sync::MutexGuard<'_, Vec<Observer>> {
        // An observer that panicked has not damaged the list.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
