//! Interpolates positive figures from the layers in which they were measured. Between two measured layers the logarithm
//! is linear; beyond the measured layers the figure is constant.
//!
//! Programs of one player's layers differ from those of the other's, so even and odd layers are interpolated separately
//! ([`Curve`]). Figures of values are measured in the last layers only, and assumed for the first layer. The curve
//! between them bends toward the change from layer to layer at its end ([`Bridge`], [`Descent`]).

#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// For even and odd layers: the layers, ascending, and the logarithms of their figures.
    points: [Vec<(usize, f64)>; 2],
}

impl Curve {
    /// Figures that are not positive are left out. Of two figures of a layer, the later one counts.
    pub fn new(figures: impl IntoIterator<Item = (usize, f64)>) -> Curve {
        let mut curve = Curve::default();
        for (layer, figure) in figures.into_iter().filter(|(_, figure)| *figure > 0.0 && figure.is_finite()) {
            let points = &mut curve.points[layer % 2];
            points.retain(|(other, _)| *other != layer);
            points.push((layer, figure.ln()));
        }
        curve.points.iter_mut().for_each(|points| points.sort_by_key(|(layer, _)| *layer));
        curve
    }

    /// Adds a figure for layers 0 and 1, except for a layer that was measured or of whose parity no layer was measured.
    pub fn with_first(mut self, figure: f64) -> Curve {
        for (layer, points) in self.points.iter_mut().enumerate() {
            if points.first().is_some_and(|first| first.0 > layer) {
                points.insert(0, (layer, figure.ln()));
            }
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        self.points.iter().all(Vec::is_empty)
    }

    pub fn at(&self, layer: usize) -> Option<f64> {
        let [same, other] = [layer, layer + 1].map(|layer| &self.points[layer % 2]);
        let points = if same.is_empty() { other } else { same };
        line(points, layer).map(f64::exp)
    }
}

/// A figure that is assumed for the first layer and measured in the last ones.
#[derive(Debug, Clone)]
pub struct Bridge {
    first: f64,
    /// The measured layers, ascending, and the logarithms of their figures.
    points: Vec<(usize, f64)>,
}

/// Number of measured layers that give the slope at the end of a bridge.
const SLOPE: usize = 4;

impl Bridge {
    /// Figures of layer 0, and figures that are not positive, are left out.
    pub fn new(first: f64, figures: impl IntoIterator<Item = (usize, f64)>) -> Bridge {
        Bridge { first: first.ln(), points: points(figures) }
    }

    pub fn at(&self, layer: usize) -> f64 {
        let Some(&(end, figure)) = self.points.first() else { return self.first.exp() };
        if layer >= end {
            return line(&self.points, layer).unwrap_or(figure).exp();
        }
        let length = end as f64;
        let chord = (figure - self.first) / length;
        let told = self.points[(SLOPE - 1).min(self.points.len() - 1)];
        let slope = if told.0 > end { (told.1 - figure) / (told.0 - end) as f64 } else { chord };
        // A cubic. Its first slope is that of the chord, its last slope the mean of the chord's and the measured slope.
        let slope = (chord + slope) / 2.0;
        let t = layer as f64 / length;
        let (square, cube) = (t * t, t * t * t);
        let from = (2.0 * cube - 3.0 * square + 1.0) * self.first + (cube - 2.0 * square + t) * length * chord;
        let to = (3.0 * square - 2.0 * cube) * figure + (cube - square) * length * slope;
        (from + to).exp()
    }
}

/// A figure that is assumed for the first layer and falls from there to the last layers, where it is measured.
///
/// Its logarithm falls at a constant rate at first and ever less toward the end: along a line from the first figure
/// that is a tangent of the parabola through the measured layers, and then along this parabola. An example is the
/// number of value nodes per state, because hardly any two states of the first layers are alike.
#[derive(Debug, Clone)]
pub struct Descent {
    first: f64,
    /// The measured layers, ascending, and the logarithms of their figures.
    points: Vec<(usize, f64)>,
    /// The slope of the parabola at the first point.
    slope: f64,
    /// The change of the slope from layer to layer.
    bend: f64,
    /// The layer at which the tangent from the first layer touches the parabola.
    touch: f64,
}

/// Number of measured layers that determine the parabola.
const BENT: usize = 6;

impl Descent {
    /// Figures of layer 0, and figures that are not positive, are left out.
    pub fn new(first: f64, figures: impl IntoIterator<Item = (usize, f64)>) -> Descent {
        let points = points(figures);
        let mut descent = Descent { first: first.ln(), points, slope: 0.0, bend: 0.0, touch: 0.0 };
        let Some(&(end, figure)) = descent.points.first() else { return descent };
        let near = &descent.points[..descent.points.len().min(BENT)];
        let near = near[1..].iter().map(|&(layer, other)| ((layer - end) as f64, other - figure));
        (descent.slope, descent.bend) = through_origin(near);
        let end = end as f64;
        let turn = descent.slope - (figure - descent.first) / end;
        // The tangent at a layer meets layer 0 at figure - slope * end + bend / 2 * (end^2 - layer^2).
        let square = end * end - 2.0 * end * turn / descent.bend;
        match (0.0..=end * end).contains(&square) {
            true => descent.touch = square.sqrt(),
            // The measured layers do not bend enough, or they bend the other way. This parabola has their slope and
            // leads to the first figure.
            false => descent.bend = 2.0 * turn / end,
        }
        descent
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    pub fn at(&self, layer: usize) -> f64 {
        let Some(&(end, figure)) = self.points.first() else { return self.first.exp() };
        if layer >= end {
            return line(&self.points, layer).unwrap_or(figure).exp();
        }
        let bent = |layer: f64| {
            let before = layer - end as f64;
            figure + self.slope * before + self.bend / 2.0 * before * before
        };
        let layer = layer as f64;
        let at = match layer >= self.touch {
            true => bent(layer),
            false => self.first + (bent(self.touch) - self.first) * layer / self.touch,
        };
        at.exp()
    }
}

/// Slope and second derivative at 0 of the parabola through the origin that fits some points best: a line for one
/// point, both 0 for none.
fn through_origin(points: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64) {
    let sum = |of: fn(f64, f64) -> f64| points.clone().map(|(x, y)| of(x, y)).sum::<f64>();
    let [two, three, four] = [sum(|x, _| x * x), sum(|x, _| x.powi(3)), sum(|x, _| x.powi(4))];
    let [one, square] = [sum(|x, y| x * y), sum(|x, y| x * x * y)];
    match points.count() {
        0 => (0.0, 0.0),
        1 => (one / two, 0.0),
        _ => {
            let determinant = two * four - three * three;
            ((one * four - square * three) / determinant, 2.0 * (square * two - one * three) / determinant)
        }
    }
}

/// The layers with a positive figure except the first layer, with the logarithm of the figure.
fn points(figures: impl IntoIterator<Item = (usize, f64)>) -> Vec<(usize, f64)> {
    let figures = figures.into_iter().filter(|(layer, figure)| *layer > 0 && *figure > 0.0 && figure.is_finite());
    let mut points: Vec<(usize, f64)> = figures.map(|(layer, figure)| (layer, figure.ln())).collect();
    points.sort_by_key(|(layer, _)| *layer);
    points.dedup_by_key(|(layer, _)| *layer);
    points
}

/// The logarithm at a layer, interpolated between points in ascending order.
fn line(points: &[(usize, f64)], layer: usize) -> Option<f64> {
    let after = points.partition_point(|(at, _)| *at < layer);
    match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
        (None, None) => None,
        (Some((_, figure)), None) | (None, Some(&(_, figure))) => Some(figure),
        (Some((start, from)), Some(&(end, to))) => {
            Some(from + (to - from) * (layer - start) as f64 / (end - start) as f64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_evenly_is_found_from_both_ends() {
        let figure = |layer: usize| 3.0 * (0.2 * layer as f64).exp() * if layer.is_multiple_of(2) { 1.0 } else { 1.5 };
        let curve = Curve::new([0, 1, 2, 20, 21].map(|layer| (layer, figure(layer))));
        for layer in 0..=21 {
            let found = curve.at(layer).unwrap();
            assert!((found / figure(layer) - 1.0).abs() < 1e-9, "{layer}: {found}");
        }
        assert!((curve.at(30).unwrap() / figure(20) - 1.0).abs() < 1e-9, "as the last even one");
        assert!((curve.at(31).unwrap() / figure(21) - 1.0).abs() < 1e-9, "as the last odd one");
    }

    #[test]
    fn a_first_figure_stands_where_nothing_was_measured() {
        let curve = Curve::new([(1, 8.0), (20, 4.0), (21, 2.0)]).with_first(1.0);
        let odd = Curve::new([(5, 2.0)]).with_first(1.0);
        assert!(odd.at(0) == odd.at(1) && (odd.at(3).unwrap() - 2.0_f64.sqrt()).abs() < 1e-9);
        let expected = [(0, 1.0), (1, 8.0), (10, 2.0), (11, 4.0), (20, 4.0), (21, 2.0)];
        assert!(expected.iter().all(|&(layer, figure)| (curve.at(layer).unwrap() - figure).abs() < 1e-9));
    }

    #[test]
    fn what_was_measured_is_kept_and_nothing_comes_of_nothing() {
        let curve = Curve::new([(4, 2.0), (4, 5.0), (7, 0.0)]);
        assert!([3, 4, 9].iter().all(|&layer| (curve.at(layer).unwrap() - 5.0).abs() < 1e-9));
        assert!(Curve::new([(1, -1.0), (2, f64::NAN)]).is_empty());
        assert_eq!(Curve::default().at(3), None);
    }

    #[test]
    fn a_descent_goes_straight_to_the_first_figure_from_where_the_parabola_points_there() {
        // The logarithm falls by 0.2 from layer to layer up to layer 20, and then by 0.02 less for each layer.
        let bent = |layer: f64| -0.2 * layer + f64::max(layer - 20.0, 0.0).powi(2) * 0.01;
        let figure = |layer: usize| bent(layer as f64).exp();
        let descent = Descent::new(1.0, (24..31).map(|layer| (layer, figure(layer))));
        for layer in 0..31 {
            assert!((descent.at(layer) / figure(layer) - 1.0).abs() < 1e-6, "{layer}: {}", descent.at(layer));
        }
        assert!((descent.at(40) / figure(30) - 1.0).abs() < 1e-9, "as the last one");
        // The curve is level at the end, or bends the other way. It still falls ever less and meets both ends.
        for bend in [0.0, -0.001] {
            let end = |layer: usize| (-5.0 + bend * (layer as f64 - 25.0).powi(2)).exp();
            let level = Descent::new(1.0, (25..31).map(|layer| (layer, end(layer))));
            assert!((level.at(0) - 1.0).abs() < 1e-9 && (level.at(25) / end(25) - 1.0).abs() < 1e-9);
            let falls: Vec<f64> = (1..=25).map(|layer| (level.at(layer - 1) / level.at(layer)).ln()).collect();
            assert!(falls.iter().all(|fall| *fall > 0.0) && falls.is_sorted_by(|one, next| one > next), "{falls:?}");
        }
        let one = Descent::new(1.0, [(10, 0.5)]);
        assert!(one.at(0) > one.at(5) && one.at(5) > 0.5 && (one.at(12) - 0.5).abs() < 1e-9);
        assert!((Descent::new(0.5, [(9, 0.0)]).at(7) - 0.5).abs() < 1e-9, "nothing was measured");
    }

    #[test]
    fn a_bridge_is_straight_where_all_is_and_bends_where_its_end_does() {
        let figure = |layer: usize| 0.5 * (-0.15 * layer as f64).exp();
        let straight = Bridge::new(0.5, (25..30).map(|layer| (layer, figure(layer))));
        assert!((0..30).all(|layer| (straight.at(layer) / figure(layer) - 1.0).abs() < 1e-9));
        // Constant from layer 25 on: the bridge is below the straight line, and meets both ends.
        let flat = Bridge::new(0.5, (25..30).map(|layer| (layer, figure(25))));
        assert!((5..24).all(|layer| flat.at(layer) < figure(layer) && flat.at(layer) > flat.at(layer + 1)));
        for (layer, wanted) in [(0, 0.5), (25, figure(25)), (40, figure(25))] {
            assert!((flat.at(layer) / wanted - 1.0).abs() < 1e-9, "{layer}");
        }
        assert!((Bridge::new(0.5, [(9, 0.0)]).at(7) - 0.5).abs() < 1e-9, "nothing was measured");
    }
}
