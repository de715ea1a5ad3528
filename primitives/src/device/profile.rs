//! [`Profile`]: what a device can do, as data. Plans are made from it without a device.

use cubecl::client::Client;
use cubecl::features::{AtomicUsage, MmaConfig, Plane};
use cubecl::ir::{ElemType, FloatKind, IntKind, Type, UIntKind};
use cubecl::prelude::Scalar;

use crate::{Feature, State, WideFields};

/// The facts of a device that plans depend on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Profile {
    /// Units of a plane, where plane operations exist and the size is certain.
    pub plane: Option<u32>,
    /// Units a cube may have.
    pub max_units: u32,
    /// Bytes of shared memory a cube may have.
    pub shared_bytes: usize,
    /// Cubes along x, y and z in one launch.
    pub max_cubes: (u32, u32, u32),
    /// Bytes of the largest buffer that can be bound.
    pub max_binding: u64,
    /// Bytes of memory the device reports, where it does.
    pub max_memory: Option<u64>,
    /// Atomic loads, stores and additions of `u32`.
    pub atomic_u32: bool,
    /// Atomic loads and stores of `u64`.
    pub atomic_u64: bool,
    /// A device-wide barrier orders one cube's writes before another's reads.
    pub memory_scope: bool,
    /// Launches are recorded by the runtime itself, apart from other threads' work. CUDA's driver records too, but another thread's
    /// allocation ends that.
    pub recordings: bool,
    /// Matrix units that multiply 16 × 8 by 8 × 16 elements of TF32 into sums of `f32`.
    pub tf32: bool,
    /// 64-bit scalars that are there.
    pub wide: WideFieldsSupport,
    /// Streaming multiprocessors, where known.
    pub multiprocessors: Option<u32>,
    /// Iterations that the loops of a unit may take in all.
    pub max_loop: u32,
}

/// What matrix units must be able to do for products of TF32.
const TF32: MmaConfig = MmaConfig {
    a_type: ElemType::Float(FloatKind::TF32),
    b_type: ElemType::Float(FloatKind::TF32),
    cd_type: ElemType::Float(FloatKind::F32),
    m: 16,
    n: 16,
    k: 8,
};

/// Mesa's llvmpipe silently ends every loop of a unit after 65,535 iterations in all; some are left for look-back.
const LLVMPIPE_LOOP: u32 = 1 << 15;

/// The 64-bit scalars of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct WideFieldsSupport {
    /// `f64` arithmetic.
    pub f64: bool,
    /// `i64` arithmetic.
    pub i64: bool,
    /// `u64` arithmetic.
    pub u64: bool,
}

impl Profile {
    /// For tests of plans: WebGPU's usual limits, and no planes.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Profile {
            plane: None,
            max_units: 1024,
            shared_bytes: 32768,
            max_cubes: (65535, 65535, 65535),
            max_binding: 1 << 27,
            max_memory: None,
            atomic_u32: true,
            atomic_u64: false,
            memory_scope: false,
            recordings: true,
            tf32: false,
            wide: WideFieldsSupport::default(),
            multiprocessors: None,
            max_loop: u32::MAX,
        }
    }

    /// Asks CubeCL.
    pub fn of(client: &Client) -> Self {
        let properties = client.properties();
        let features = client.features();
        let hardware = &properties.hardware;
        // A wgpu client in a build with SPIR-V reports SPIR-V's features even where it compiles to WGSL, which has not all.
        let native = !client.name().contains("wgpu");
        let even = hardware.plane_size_min == hardware.plane_size_max && hardware.plane_size_min > 1;
        let planes = even && features.plane.contains(Plane::Ops);
        let atomic = |elem: ElemType, wanted: &[AtomicUsage]| {
            let usage = features.atomic_type_usage(Type::atomic(elem));
            wanted.iter().all(|&each| usage.contains(each))
        };
        let arithmetic = |elem: ElemType| features.type_usage(elem).contains(cubecl::features::TypeUsage::Arithmetic);
        Profile {
            plane: planes.then_some(hardware.plane_size_min),
            max_units: hardware.max_units_per_cube,
            shared_bytes: hardware.max_shared_memory_size,
            max_cubes: hardware.max_cube_count,
            // Whole vectors of four words: buffers are padded to them.
            max_binding: properties.memory.max_page_size / 16 * 16,
            max_memory: properties.memory.max_memory(),
            atomic_u32: atomic(u32::elem_type_native(), &[AtomicUsage::LoadStore, AtomicUsage::Add]),
            atomic_u64: native && atomic(u64::elem_type_native(), &[AtomicUsage::LoadStore]),
            memory_scope: native && features.device_memory_scope,
            recordings: !native,
            tf32: features.matmul.cmma.contains(&TF32),
            wide: WideFieldsSupport {
                // CubeCL 0.11.3's NVPTX compiler stores the low word of an f64 as its integer part.
                f64: arithmetic(ElemType::Float(FloatKind::F64)) && !client.name().contains("cuda"),
                i64: arithmetic(ElemType::Int(IntKind::I64)),
                u64: arithmetic(ElemType::UInt(UIntKind::U64)),
            },
            multiprocessors: hardware.num_streaming_multiprocessors,
            max_loop: if properties.identity.name.contains("llvmpipe") { LLVMPIPE_LOOP } else { u32::MAX },
        }
    }

    /// The first 64-bit scalar of `S` that the device lacks.
    pub fn lacks<S: State>(&self) -> Option<Feature> {
        let mut needed = WideFields::default();
        S::wide_fields(&mut needed);
        // Two words are joined through a u64, whatever they stand for.
        let any = needed.f64 || needed.i64 || needed.u64;
        [
            (needed.f64 && !self.wide.f64, Feature::Float64),
            (needed.i64 && !self.wide.i64, Feature::Int64),
            (any && !self.wide.u64, Feature::UInt64),
        ]
        .into_iter()
        .find_map(|(missing, feature)| missing.then_some(feature))
    }
}
