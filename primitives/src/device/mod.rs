//! [`Device`]: where primitives run, the host or a CubeCL client.

mod buffer;
mod captured;
mod observe;
mod profile;
mod scratch;

use std::sync::Arc;

use cubecl::client::Client;
use cubecl::server::Handle;

pub use buffer::Buffer;
pub(crate) use buffer::Storage;
pub(crate) use buffer::{argument, elements};
pub use captured::Captured;
pub use observe::{Launch, Observer};
pub use profile::{Profile, WideFieldsSupport};
pub(crate) use scratch::{Scratch, Use};

use crate::{Error, State};
use observe::Observers;

/// The host, or a device behind a CubeCL client. Cheap to clone; many threads may use one.
///
/// Every primitive is a method here and gives the same type on every device.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    label: String,
    executor: Executor,
    observers: Observers,
}

enum Executor {
    Host,
    Gpu(Box<Gpu>),
}

/// The CubeCL side of a device.
pub(crate) struct Gpu {
    pub client: Client,
    pub profile: Profile,
    pub scratch: Scratch,
}

impl Gpu {
    /// New memory of so many words, all 0.
    pub fn zeros(&self, words: u64) -> Handle {
        self.client.create_from_slice(&vec![0; words as usize * 4])
    }

    /// This thread's counter that deals tiles to cubes; 0 between launches.
    pub fn ticket(&self) -> Handle {
        self.scratch.piece(Use::Ticket, 1, |words| self.zeros(words), |piece| piece.handle.clone())
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Device").field(&self.0.label).finish()
    }
}

impl Device {
    /// The host: rayon on all its threads.
    pub fn host() -> Self {
        let label = format!("host ({} threads)", rayon::current_num_threads());
        Device(Arc::new(Inner { label, executor: Executor::Host, observers: Observers::default() }))
    }

    /// Wraps an existing CubeCL client, under the name that messages will show.
    pub fn from_client(client: Client, label: impl Into<String>) -> Self {
        let profile = Profile::of(&client);
        Self::with_profile(client, label, profile)
    }

    /// Wraps a client under other facts than it reports; for testing a path that its features would not choose.
    pub fn with_profile(client: Client, label: impl Into<String>, profile: Profile) -> Self {
        let gpu = Gpu { client, profile, scratch: Scratch::default() };
        let executor = Executor::Gpu(Box::new(gpu));
        Device(Arc::new(Inner { label: label.into(), executor, observers: Observers::default() }))
    }

    /// The name that messages show.
    pub fn label(&self) -> String {
        self.0.label.clone()
    }

    /// Whether this is the host.
    pub fn is_host(&self) -> bool {
        matches!(self.0.executor, Executor::Host)
    }

    /// The facts that plans are made from; none for the host.
    pub fn profile(&self) -> Option<&Profile> {
        self.gpu().map(|gpu| &gpu.profile)
    }

    /// The CubeCL client; none for the host.
    pub fn client(&self) -> Option<&Client> {
        self.gpu().map(|gpu| &gpu.client)
    }

    /// How many device buffers this device has allocated so far: outputs, uploads and scratch.
    pub fn allocations(&self) -> u64 {
        self.gpu().map_or(0, |gpu| gpu.scratch.allocations())
    }

    /// Calls `observer` at every launch from now on, also at the host's.
    pub fn observe(&self, observer: impl Fn(&Launch) + Send + Sync + 'static) {
        self.0.observers.add(Box::new(observer));
    }

    /// Waits until all work of this thread on the device has ended.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`], or what else the runtime reports.
    pub fn synchronize(&self) -> Result<(), Error> {
        match self.gpu() {
            None => Ok(()),
            Some(gpu) => {
                cubecl::future::block_on(gpu.client.sync()).map_err(|error| Error::from_server(&self.0.label, &error))
            }
        }
    }

    /// Copies host items into a new buffer.
    ///
    /// # Errors
    ///
    /// A buffer that the device cannot bind, or an element type that it lacks.
    pub fn upload<T: State>(&self, items: &[T]) -> Result<Buffer<T>, Error> {
        buffer::upload(self, items)
    }

    pub(crate) fn gpu(&self) -> Option<&Gpu> {
        match &self.0.executor {
            Executor::Host => None,
            Executor::Gpu(gpu) => Some(gpu),
        }
    }

    pub(crate) fn same(&self, other: &Device) -> bool {
        match (self.gpu(), other.gpu()) {
            (None, None) => true,
            (Some(left), Some(right)) => left.client.service_id() == right.client.service_id(),
            _ => false,
        }
    }

    /// Waits where results went into memory that another thread made: CubeCL orders the work of two threads by the thread
    /// that made the memory, and knows of no other that writes there.
    pub(crate) fn settle(&self, memory: Option<&Handle>) -> Result<(), Error> {
        match (self.gpu(), memory) {
            (Some(gpu), Some(memory)) if memory.stream != gpu.ticket().stream => self.synchronize(),
            _ => Ok(()),
        }
    }

    pub(crate) fn notify(&self, launch: &Launch) {
        self.0.observers.notify(launch);
    }

    /// A new, uninitialised buffer of `len` items.
    pub(crate) fn allocate<T: State>(&self, gpu: &Gpu, len: usize) -> Result<Handle, Error> {
        let bytes = self.fitting::<T>(gpu, len as u64)?;
        gpu.scratch.count_allocation();
        // Whole vectors of four words, so that kernels can move 16 bytes at once.
        Ok(gpu.client.empty(bytes.next_multiple_of(16) as usize))
    }

    /// Whether the host has room for `len` items. Asks for the memory and gives it back: nothing else knows.
    pub(crate) fn check_host_memory<T>(&self, len: u64) -> Result<(), Error> {
        let out_of_memory =
            || Error::OutOfMemory { device: self.label(), bytes: len.saturating_mul(size_of::<T>() as u64) };
        let len = usize::try_from(len).map_err(|_| out_of_memory())?;
        Vec::<T>::new().try_reserve_exact(len).map_err(|_| out_of_memory())
    }

    /// The bytes of `len` items, if the device can hold and bind them.
    pub(crate) fn fitting<T: State>(&self, gpu: &Gpu, len: u64) -> Result<u64, Error> {
        if let Some(feature) = gpu.profile.lacks::<T>() {
            return Err(Error::Unsupported { device: self.label(), feature });
        }
        let words = len.saturating_mul(T::WORDS as u64);
        let bytes = words.saturating_mul(4).max(4);
        // Kernels index words with u32.
        let limit = gpu.profile.max_binding.min(u64::from(u32::MAX) * 4);
        if bytes > limit {
            return Err(Error::BindingTooLarge { device: self.label(), bytes, limit });
        }
        match gpu.profile.max_memory {
            Some(memory) if bytes > memory => Err(Error::OutOfMemory { device: self.label(), bytes }),
            _ => Ok(bytes),
        }
    }
}
