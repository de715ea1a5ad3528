//! What people look at: text tables, SVG pictures and the HTML page.
//!
//! A picture is a function from numbers to a string of SVG; it knows no device and no file. All pictures share the
//! [`canvas`], so that they read alike: dark ink on white, told apart by lightness, width and shape rather than by hue.
//! For the demo, [`comparison`] runs the jobs, [`story`] makes the figures of their results, [`page`] the page of these.

pub mod answers;
pub mod bars;
pub mod canvas;
pub mod comparison;
pub mod convergence;
pub mod frontier;
pub mod heat_map;
pub mod labels;
pub mod lines;
pub mod map;
pub mod market;
pub mod market_details;
pub mod moving_average;
pub mod page;
pub mod story;
pub mod table;
pub mod throughput;
pub mod timing;

pub use canvas::PlotError;
