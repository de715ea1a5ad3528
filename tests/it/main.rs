use cubefold_primitives::{ops::*, *};
use cubecl_server::runtime::Runtime;
#[test]
fn first_light() {
    let dev = cubecl::device::WgpuDevice::new(cubecl::device::WgpuDeviceKind::Cpu);
    let client = cubecl_wgpu::WgpuRuntime::<cubecl_wgpu::WgslCompiler>::client(&dev);
    let d = Device::from_client(client, "lavapipe");
    println!("{:?}", d.profile());
    for n in [0usize, 1, 2, 255, 256, 4095, 4096, 4097, 1 << 20] {
        let v: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2654435761)).collect();
        let r = d.reduce(&v, &Sum::<u32>::new()).unwrap().get(0).unwrap();
        assert_eq!(r, v.iter().fold(0u32, |a, b| a.wrapping_add(*b)), "{n}");
        assert_eq!(r, Device::host().reduce(&v, &Sum::<u32>::new()).unwrap().get(0).unwrap());
    }
}
