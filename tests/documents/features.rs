//! README: a crate without the finance layer takes the dependencies as a clone has compiled them. So the features asked of them are the
//! same.

use std::collections::BTreeSet;
use std::process::Command;

/// Every package with its features, as cargo resolves them.
fn resolved(features: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args("tree --locked --package cubefold --prefix none --no-dedupe --edges no-dev --format".split(' '))
        .arg("{p} {f}")
        .args(features)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn dependencies_have_the_same_features_without_finance() {
    let (all, without) = (resolved(&[]), resolved(&["--no-default-features", "--features", "wgpu"]));
    assert!(without.len() > 100 && without.len() < all.len(), "{} and {}", without.len(), all.len());
    let others: Vec<_> = without.difference(&all).filter(|package| !package.starts_with("cubefold v")).collect();
    assert!(others.is_empty(), "compiled again: {others:#?}");
}
