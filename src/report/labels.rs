//! Names beside points, moved so that they do not run into each other.

/// A rectangle in drawing units: left, top, right, bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Left edge.
    pub left: i32,
    /// Top edge.
    pub top: i32,
    /// Right edge.
    pub right: i32,
    /// Bottom edge.
    pub bottom: i32,
}

impl Place {
    /// Left edge and vertical centre, where the text is anchored.
    pub fn anchor(self) -> (i32, i32) {
        (self.left, (self.top + self.bottom) / 2)
    }

    /// The point of the rectangle that is nearest to `(x, y)`.
    pub fn nearest(self, (x, y): (i32, i32)) -> (i32, i32) {
        (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom))
    }

    /// Area shared with `other`.
    fn overlap(self, other: Place) -> i64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        i64::from(width.max(0)) * i64::from(height.max(0))
    }

    /// Area that lies outside `bounds`.
    fn outside(self, bounds: Place) -> i64 {
        let area = i64::from(self.right - self.left) * i64::from(self.bottom - self.top);
        area - self.overlap(bounds)
    }
}

/// Places names one after the other, each where it covers least of what is there already.
#[derive(Debug, Clone)]
pub struct Labels {
    bounds: Place,
    taken: Vec<Place>,
    height: i32,
}

/// What a step away from the point costs, in units of covered area.
const FAR: i64 = 120;

/// Candidates at one distance.
const AROUND: usize = 8;

impl Labels {
    /// Labels of text `height` within `bounds`.
    pub fn new(bounds: Place, height: i32) -> Self {
        Labels { bounds, taken: Vec::new(), height }
    }

    /// Marks a square of `reach` around `point` as taken.
    pub fn take(&mut self, point: (i32, i32), reach: i32) {
        let (x, y) = point;
        self.taken.push(Place { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach });
    }

    /// The place of `name` beside `point`, which is taken from now on.
    pub fn place(&mut self, name: &str, point: (i32, i32), gap: i32) -> Place {
        // 0.7 em is the mean width of capitals in the usual sans-serif fonts.
        let width = (name.chars().count() as f64 * f64::from(self.height) * 0.7).ceil() as i32;
        let near = Self::candidates(point, (width, self.height), gap).into_iter().enumerate();
        let costs = near.map(|(rank, place)| (self.cost(place) + FAR * (rank / AROUND) as i64, place));
        let (_, place) = costs.min_by_key(|(cost, _)| *cost).expect("there is at least one candidate");
        self.taken.push(place);
        place
    }

    fn cost(&self, place: Place) -> i64 {
        let covered: i64 = self.taken.iter().map(|taken| taken.overlap(place)).sum();
        covered + 100 * place.outside(self.bounds)
    }

    /// Right, left, above, below and the corners, [`AROUND`] of them at each distance; near ones before far ones.
    fn candidates((x, y): (i32, i32), (width, height): (i32, i32), gap: i32) -> Vec<Place> {
        let half = height / 2;
        let around = |far: i32| {
            let (reach, rise) = (gap * far, gap * far + half);
            let centres: [(i32, i32); AROUND] = [
                (x + reach, y),
                (x - reach - width, y),
                (x - width / 2, y - rise),
                (x - width / 2, y + rise),
                (x + reach, y - rise),
                (x + reach, y + rise),
                (x - reach - width, y - rise),
                (x - reach - width, y + rise),
            ];
            let place = |(left, middle)| Place { left, top: middle - half, right: left + width, bottom: middle + half };
            centres.map(place)
        };
        [1, 2, 3, 4].into_iter().flat_map(around).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: Place = Place { left: 0, top: 0, right: 400, bottom: 300 };

    #[test]
    fn a_second_name_at_the_same_point_moves_aside() {
        let mut labels = Labels::new(SHEET, 20);
        let first = labels.place("AAPL", (200, 150), 10);
        let second = labels.place("MSFT", (200, 150), 10);
        assert_eq!((first.left, first.top), (210, 140));
        assert_eq!(first.overlap(second), 0);
    }

    #[test]
    fn names_stay_on_the_sheet() {
        let mut labels = Labels::new(SHEET, 20);
        let place = labels.place("MSFT", (395, 5), 10);
        assert_eq!(place.outside(SHEET), 0, "{place:?}");
    }
}
