//! Segmented scan: the running balance of every account in one scan of all bookings, and the closing balances.
//!
//! `cargo run --example ledger`
//!
//! Accounts have from none to many thousand bookings. One flat scan does not care: no unit waits for the longest account.

use cubefold::ScanOptions;
use cubefold::ops::Sum;
use cubefold::prelude::*;

const ACCOUNTS: u32 = 5_000;

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    // Bookings in cents, sorted by account. Every hundredth account is a busy one, every seventh has none.
    let bookings_of = |account: u32| if account % 100 == 0 { 1500 } else { account % 7 };
    let (mut offsets, mut accounts, mut cents) = (vec![0u32], Vec::new(), Vec::new());
    for account in 0..ACCOUNTS {
        for booking in 0..bookings_of(account) {
            accounts.push(account);
            cents.push(((account * 31 + booking * 7919) % 20_001) as i32 - 10_000);
        }
        offsets.push(cents.len() as u32);
    }
    let (sum, options) = (Sum::<i32>::new(), ScanOptions::default());
    // Three ways to say where an account begins: the accounts themselves, or the offsets of their first bookings.
    let balances = device.scan_by_key(&accounts, &cents, &sum, &options)?.to_vec()?;
    assert_eq!(device.scan_segments(&cents, &offsets, &sum, &options)?.to_vec()?, balances);
    let closing = device.reduce_segments(&cents, &offsets, &sum)?.to_vec()?;

    let (mut account, mut balance) = (u32::MAX, 0);
    for (booking, &amount) in cents.iter().enumerate() {
        balance = if accounts[booking] == account { balance + amount } else { amount };
        account = accounts[booking];
        assert_eq!(balances[booking], balance, "booking {booking}");
    }
    for account in 0..ACCOUNTS as usize {
        let [start, end] = [offsets[account], offsets[account + 1]].map(|offset| offset as usize);
        assert_eq!(closing[account], cents[start..end].iter().sum::<i32>(), "account {account}");
    }
    let overdrawn = closing.iter().filter(|&&balance| balance < 0).count();
    let ever =
        offsets.windows(2).filter(|ends| balances[ends[0] as usize..ends[1] as usize].iter().any(|&b| b < 0)).count();
    println!("{}: {} bookings of {ACCOUNTS} accounts", device.label(), cents.len());
    println!("  {overdrawn} accounts close overdrawn, {ever} were so at some time");
    assert!(ever >= overdrawn);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
