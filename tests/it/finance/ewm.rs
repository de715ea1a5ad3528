//! Exponentially weighted figures against pandas and polars; `loops.rs` has those of a plain loop.

use cubefold::Device;
use cubefold::finance::{Decay, Ewm, FinanceError, Init, Missing, Table, bundled_prices};

use super::{assert_alike, rejects, series, table, tolerance};
use crate::devices::devices;
use answers::{Answer, Figure, PANDAS, POLARS, X, Y};

mod answers;
mod loops;

const NA: f64 = f64::NAN;

fn figure(device: &Device, ewm: &Ewm, figure: Figure) -> Vec<f64> {
    let (x, y) = (series(&X), series(&Y));
    let found = match figure {
        Figure::Mean => ewm.mean(device, &x),
        Figure::Sum => ewm.sum(device, &x),
        Figure::Var => ewm.var(device, &x),
        Figure::Std => ewm.std(device, &x),
        Figure::Cov => ewm.cov(device, &x, &y),
        Figure::Corr => ewm.corr(device, &x, &y),
    };
    found.unwrap().values
}

#[test]
fn pandas_answers_come_out_for_every_option() {
    for (name, device) in devices() {
        for &(what, adjust, ignore_na, min_periods, bias, expected) in PANDAS {
            let ewm = Ewm { adjust, ignore_na, min_periods, bias, ..Ewm::new(Decay::Alpha(0.3)) };
            let case = format!("{name}, {what:?}, {ewm:?}");
            assert_alike(&figure(device, &ewm, what), &expected, tolerance(device), &case);
        }
    }
}

#[test]
fn polars_answers_come_out_where_missing_values_are_preserved() {
    for (name, device) in devices() {
        let x = series(&X[..10]);
        for &(adjust, ignore_na, mean, var, std) in POLARS {
            let missing = Missing::Preserve;
            let ewm = Ewm { adjust, ignore_na, missing, ..Ewm::new(Decay::Alpha(0.3)) };
            let case = format!("{name}, adjust {adjust}, ignore_nulls {ignore_na}");
            assert_alike(&ewm.mean(device, &x).unwrap().values, &mean, tolerance(device), &case);
            assert_alike(&ewm.var(device, &x).unwrap().values, &var, tolerance(device), &case);
            let biased = Ewm { bias: true, ..ewm };
            assert_alike(&biased.std(device, &x).unwrap().values, &std, tolerance(device), &case);
        }
        // B5.
        let preserved = |decay, items: &[f64]| {
            let ewm = Ewm { missing: Missing::Preserve, ..Ewm::new(decay) };
            ewm.mean(device, &series(items)).unwrap().values
        };
        let found = preserved(Decay::Span(3.0), &[1.0, 2.0, 3.0, NA, 5.0]);
        let expected = [1.0, 1.6666666666666665, 2.4285714285714284, NA, 4.217391304347826];
        assert_alike(&found, &expected, tolerance(device), name);
        let found = preserved(Decay::Alpha(0.9), &[1.0, 4.0, NA, 3.0]);
        assert_alike(&found, &[1.0, 3.727272727272727, NA, 3.0079129574678536], tolerance(device), name);
    }
}

#[test]
fn the_comparison_with_pandas_rejects_another_option() {
    let host = Device::host();
    let rejected = |&(what, adjust, ignore_na, min_periods, bias, expected): &Answer| {
        let ewm = Ewm { adjust, ignore_na, min_periods, bias, ..Ewm::new(Decay::Alpha(0.3)) };
        let wrong = [
            Ewm { adjust: !adjust, ..ewm.clone() },
            Ewm { ignore_na: !ignore_na, ..ewm.clone() },
            Ewm { min_periods: min_periods + 2, ..ewm.clone() },
            Ewm { missing: Missing::Preserve, ..ewm.clone() },
            Ewm { decays: vec![Decay::Alpha(0.30001)], ..ewm },
        ];
        wrong
            .iter()
            .filter(|ewm| ewm.adjust || what != Figure::Sum)
            .all(|ewm| rejects(|| assert_alike(&figure(&host, ewm, what), &expected, 1e-6, "")))
    };
    // The adjusted mean of one value is that of the recurrence as well; every option moves some later row.
    assert!(PANDAS.iter().filter(|answer| answer.0 == Figure::Mean && answer.3 == 0).all(rejected));
}

#[test]
fn the_figures_of_the_reports_come_out() {
    let gaps = series(&[0.0, 1.0, 2.0, NA, 4.0]);
    for (name, device) in devices() {
        let close = |ewm: Ewm, items: &Table, expected: &[f64]| {
            let found = ewm.mean(device, items).unwrap().values;
            assert_alike(&found, expected, tolerance(device), &format!("{name}, {ewm:?}"));
        };
        // O15; O16 with B2's weights: documented as 2.839506, computed as 3.650794.
        let powers = series(&[1.0, 2.0, 4.0, 8.0]);
        let com = |com, adjust, ignore_na| Ewm { adjust, ignore_na, ..Ewm::new(Decay::Com(com)) };
        close(com(2.0, true, false), &powers, &[1.0, 1.6, 2.736842105263158, 4.923076923076923]);
        close(com(2.0, false, false), &powers, &[1.0, 4.0 / 3.0, 20.0 / 9.0, 112.0 / 27.0]);
        let adjusted = [0.0, 0.75, 1.6153846153846152, 1.6153846153846152];
        let recursive = [0.0, 2.0 / 3.0, 14.0 / 9.0, 14.0 / 9.0];
        close(com(0.5, true, false), &gaps, &[&adjusted[..], &[3.670212765957447]].concat());
        close(com(0.5, true, true), &gaps, &[&adjusted[..], &[3.225]].concat());
        close(com(0.5, false, false), &gaps, &[&recursive[..], &[3.6507936507936507]].concat());
        close(com(0.5, false, true), &gaps, &[&recursive[..], &[3.185185185185185]].concat());
        // O18.
        let sums = series(&[10.0, 0.0, NA, 10.0]);
        for (ignore_na, expected) in [(false, [10.0, 5.0, 2.5, 11.25]), (true, [10.0, 5.0, 5.0, 12.5])] {
            let ewm = Ewm { ignore_na, ..Ewm::new(Decay::Alpha(0.5)) };
            assert_alike(&ewm.sum(device, &sums).unwrap().values, &expected, tolerance(device), name);
        }
        // B1: no jump at com = 1, and even times are rows. B4: leading gaps poison nothing.
        for step in [1.0, 1.0 - 1e-7, 1.0 + 1e-7] {
            close(com(step, false, false), &series(&[1.0, NA, 5.0]), &[1.0, 1.0, 11.0 / 3.0]);
        }
        let daily = Ewm { times: Some(vec![3.0, 4.0, 5.0]), adjust: false, ..Ewm::new(Decay::HalfLife(1.0)) };
        close(daily, &series(&[1.0, NA, 5.0]), &[1.0, 1.0, 11.0 / 3.0]);
        close(com(3.0, false, false), &series(&[NA, 1.0, NA, 1.0, 1.0]), &[NA, 1.0, 1.0, 1.0, 1.0]);
    }
}

#[test]
fn uneven_times_decay_by_their_half_life() {
    // 1, 3, 10, 15 and 17 January, in days; half-life 4 days.
    let ewm = Ewm { times: Some(vec![0.0, 2.0, 9.0, 14.0, 16.0]), ..Ewm::new(Decay::HalfLife(4.0)) };
    for (name, device) in devices() {
        let close = |ewm: &Ewm, items: &[f64], expected: &[f64]| {
            let found = ewm.mean(device, &series(items)).unwrap().values;
            assert_alike(&found, expected, tolerance(device), &format!("{name}, {ewm:?}"));
        };
        // O16, pandas 3.1.1.
        let gaps = [0.0, 1.0, 2.0, NA, 4.0];
        close(&ewm, &gaps, &[0.0, 0.585786437626905, 1.52388878049859, 1.52388878049859, 3.2336858398518338]);
        let ignoring = Ewm { ignore_na: true, ..ewm.clone() };
        close(&ignoring, &gaps, &[0.0, 0.585786437626905, 1.52388878049859, 1.52388878049859, 2.722404299954275]);
        // polars 2.1.0, `ewm_mean_by`, and pandas with adjust=False.
        let recursive = Ewm { adjust: false, ..ewm.clone() };
        let expected = [0.0, 0.2928932188134524, 1.4924741174358913, 2.3661634447248243, 2.844703092414454];
        close(&recursive, &[0.0, 1.0, 2.0, 3.0, 4.0], &expected);
    }
}

#[test]
fn even_times_are_rows_for_every_figure() {
    let times = (0..12).map(|row| 1e9 + 3600.0 * f64::from(row)).collect();
    let host = Device::host();
    for adjust in [true, false] {
        for ignore_na in [true, false] {
            let rows = Ewm { adjust, ignore_na, ..Ewm::new(Decay::HalfLife(2.0)) };
            let timed = Ewm { times: Some(Vec::clone(&times)), decays: vec![Decay::HalfLife(7200.0)], ..rows.clone() };
            for what in [Figure::Mean, Figure::Var, Figure::Cov, Figure::Corr] {
                let expected = figure(&host, &rows, what);
                assert_alike(&figure(&host, &timed, what), &expected, 1e-9, &format!("{what:?}, {adjust}"));
            }
        }
    }
}

#[test]
fn real_prices_have_the_figures_of_pandas() {
    let prices = bundled_prices().select(&["AAPL", "XOM"]).unwrap();
    let (last, [apple, exxon]) = (prices.rows() - 1, [0, 1]);
    let swapped = prices.select(&["XOM", "AAPL"]).unwrap();
    for (name, device) in devices() {
        let span = Ewm::new(Decay::Span(20.0));
        let com = Ewm::new(Decay::Com(9.0));
        let found = [
            span.mean(device, &prices).unwrap().value(last, apple),
            Ewm::new(Decay::HalfLife(10.0)).mean(device, &prices).unwrap().value(100, exxon),
            com.var(device, &prices).unwrap().value(last, exxon),
            com.std(device, &prices).unwrap().value(last, exxon),
            span.cov(device, &prices, &swapped).unwrap().value(last, apple),
            span.corr(device, &prices, &swapped).unwrap().value(last, exxon),
        ];
        let expected = [
            136.76833528599346,
            61.20176879413567,
            7.329636723465491,
            2.707330183680131,
            2.512221656240578,
            0.11961548953757044,
        ];
        assert_alike(&found, &expected, tolerance(device), name);
    }
}

#[test]
fn a_constant_series_has_its_own_mean_no_variance_and_no_correlation() {
    let mut items = vec![0.7; 3000];
    items[5..30].fill(NA);
    for (name, device) in devices() {
        let held = if device.is_host() { 0.7 } else { f64::from(0.7f32) };
        for (alpha, adjust) in [(1e-5, true), (1e-5, false), (0.3, true), (0.3, false)] {
            let ewm = Ewm { adjust, ..Ewm::new(Decay::Alpha(alpha)) };
            let all = |found: Table, value: f64| found.values[1..].iter().all(|&found| found == value);
            assert!(all(ewm.mean(device, &series(&items)).unwrap(), held), "{name}, {alpha}, {adjust}: mean");
            assert!(all(ewm.var(device, &series(&items)).unwrap(), 0.0), "{name}, {alpha}, {adjust}: variance");
            let corr = ewm.corr(device, &series(&items), &series(&vec![1.0; 3000])).unwrap();
            assert!(corr.values.iter().all(|value| value.is_nan()), "{name}, {alpha}, {adjust}: correlation");
        }
    }
}

#[test]
fn long_gaps_wear_nothing_down() {
    // What 5,000 missing rows leave of a weight at α = 0.5 is below every float.
    let mut items = vec![NA; 5003];
    (items[0], items[1], items[5002]) = (2.0, 4.0, 8.0);
    for (name, device) in devices() {
        for adjust in [true, false] {
            let ewm = Ewm { adjust, bias: true, ..Ewm::new(Decay::Alpha(0.5)) };
            let [mean, var] = [ewm.mean(device, &series(&items)), ewm.var(device, &series(&items))];
            let (mean, var) = (mean.unwrap().values, var.unwrap().values);
            assert!(mean[1..5002].iter().all(|&held| held == mean[1]), "{name}, adjust {adjust}: {}", mean[5001]);
            assert!(var[1..5002].iter().all(|&held| held == var[1]), "{name}, adjust {adjust}: {}", var[5001]);
            assert_eq!((mean[5002], var[5002]), (8.0, 0.0), "{name}, adjust {adjust}");
        }
    }
}

#[test]
fn the_first_values_mean_starts_the_average_where_that_is_asked_for() {
    // TA-Lib's EMA(3): the mean of 3, 1, 4, then α = 1/2.
    let items = series(&[3.0, 1.0, 4.0, 1.0, 5.0, 9.0]);
    let mean = 8.0 / 3.0;
    let expected = [NA, NA, mean, mean / 2.0 + 0.5, mean / 4.0 + 2.75, mean / 8.0 + 5.875];
    for (name, device) in devices() {
        for init in [Init::Sma, Init::SmaOver(3)] {
            let ewm = Ewm { adjust: false, init, ..Ewm::new(Decay::Span(3.0)) };
            let found = ewm.mean(device, &items).unwrap();
            assert_alike(&found.values, &expected, tolerance(device), &format!("{name}, {init:?}"));
        }
        let gaps = series(&[NA, 3.0, NA, 1.0, 4.0, NA]);
        let ewm = Ewm { adjust: false, init: Init::Sma, ..Ewm::new(Decay::Span(3.0)) };
        let found = ewm.mean(device, &gaps).unwrap();
        assert_alike(&found.values, &[NA, NA, NA, NA, mean, mean], tolerance(device), name);
    }
}

#[test]
fn a_longer_history_moves_the_average_only_by_what_its_start_still_weighs() {
    // B6. pandas 3.1.1 on the last 126, 252 and all rows of AAPL.
    let apple = bundled_prices().select(&["AAPL"]).unwrap().values;
    let host = Device::host();
    let last = |rows: usize, adjust| {
        let ewm = Ewm { adjust, ..Ewm::new(Decay::Span(20.0)) };
        *ewm.mean(&host, &series(&apple[apple.len() - rows..])).unwrap().values.last().unwrap()
    };
    let found = [last(126, false), last(252, false), last(apple.len(), false)];
    assert_alike(&found, &[136.7683250275527, 136.76833528607716, 136.76833528599343], 1e-12, "half a year and more");
    let found = [last(20, false), last(20, true), last(40, false), last(40, true)];
    let expected = [136.952170620049, 135.2888111386148, 136.82169166079743, 136.57732327245995];
    assert_alike(&found, &expected, 1e-12, "a month or two");
}

#[test]
fn every_column_may_decay_by_its_own_rate() {
    let prices = table(["A", "B"], &[[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]]);
    let ewm = Ewm { adjust: false, ..Ewm::new(Decay::Alpha(0.5)) };
    let each = Ewm { decays: vec![Decay::Alpha(0.5), Decay::Com(0.0)], ..ewm.clone() };
    let found = each.mean(&Device::host(), &prices).unwrap();
    assert_eq!((found.column(0), found.column(1)), (vec![1.0, 1.5, 2.75], vec![1.0, 2.0, 4.0]));
    let three = Ewm { decays: vec![Decay::Alpha(0.5); 3], ..ewm };
    let refused = three.mean(&Device::host(), &prices).unwrap_err();
    assert!(matches!(refused, FinanceError::DecayCount { given: 3, columns: 2 }), "{refused}");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let prices = series(&[1.0, 2.0, 3.0]);
    let host = Device::host();
    let refuses = |ewm: Ewm| ewm.mean(&host, &prices).unwrap_err();
    let ewm = Ewm::new(Decay::HalfLife(1.0));
    for init in [Init::Zero, Init::Sma, Init::SmaOver(3)] {
        assert!(matches!(refuses(Ewm { init, ..ewm.clone() }), FinanceError::AdjustedStart));
    }
    let recursive = Ewm { adjust: false, ..ewm.clone() };
    assert!(matches!(refuses(Ewm { init: Init::SmaOver(0), ..recursive.clone() }), FinanceError::Zero { .. }));
    assert!(matches!(recursive.sum(&host, &prices).unwrap_err(), FinanceError::RecursiveSum));
    let timed = |times: &[f64]| Ewm { times: Some(times.to_vec()), ..ewm.clone() };
    assert!(timed(&[1.0, 1.0, 2.0]).mean(&host, &prices).is_ok());
    let refused = refuses(timed(&[1.0, 2.0, 2.0f64.next_down()]));
    assert!(matches!(refused, FinanceError::TimesDecrease { line: 4, .. }), "{refused}");
    assert!(matches!(refuses(timed(&[1.0, 2.0])), FinanceError::TimesCount { times: 2, rows: 3 }));
    assert!(matches!(refuses(timed(&[1.0, NA, 2.0])), FinanceError::NotFinite { .. }));
    let span = Ewm { decays: vec![Decay::Span(3.0)], ..timed(&[1.0, 2.0, 3.0]) };
    assert!(matches!(refuses(span), FinanceError::TimesWithoutHalfLife));
    let zero = Ewm { adjust: false, init: Init::Zero, ..timed(&[1.0, 2.0, 3.0]) };
    assert!(matches!(refuses(zero), FinanceError::TimesFromZero));
    let refused = ewm.cov(&host, &prices, &series(&[1.0])).unwrap_err();
    assert!(matches!(refused, FinanceError::Shapes { left: (3, 1), right: (1, 1) }), "{refused}");
}

#[test]
fn a_start_at_zero_is_a_row_of_zero_before_the_first() {
    let items = [3.0, 1.0, NA, 4.0, 1.0, 5.0];
    let padded: Vec<f64> = std::iter::once(0.0).chain(items).collect();
    for (name, device) in devices() {
        let zero = Ewm { adjust: false, init: Init::Zero, ..Ewm::new(Decay::Alpha(0.2)) };
        let first = Ewm { init: Init::First, ignore_na: true, ..zero.clone() };
        for bias in [true, false] {
            let [zero, first] = [&zero, &first].map(|ewm| Ewm { bias, ..ewm.clone() });
            let found = zero.var(device, &series(&items)).unwrap().values;
            let expected = first.var(device, &series(&padded)).unwrap().values;
            assert_alike(&found, &expected[1..], tolerance(device), name);
        }
        let found = zero.mean(device, &series(&items)).unwrap().values;
        assert_alike(&found, &first.mean(device, &series(&padded)).unwrap().values[1..], tolerance(device), name);
    }
}
