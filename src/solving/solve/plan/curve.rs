//! Positive figures by layer, from the layers in which they were measured: between two of them the logarithm is taken to be
//! linear, beyond them it stays as it was.
//!
//! Programs of layers in which different players move differ, so even layers are told from even ones and odd layers from odd
//! ones ([`Curve`]). Values are known in the last layers alone; from the first layer, where they are assumed, a curve leads
//! there that bends toward how they change from layer to layer there ([`Bridge`], [`Descent`]).

/// Measured figures.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// By parity: layers, ascending, and the logarithms of their figures.
    points: [Vec<(usize, f64)>; 2],
}

impl Curve {
    /// Figures that are not positive are left out; a later one of a layer takes the place of an earlier one.
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

    /// With a figure for the first even and the first odd layer, where others of their parity were measured but not they.
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

    /// The figure of a layer; `None` if nothing was measured.
    pub fn at(&self, layer: usize) -> Option<f64> {
        let [same, other] = [layer, layer + 1].map(|layer| &self.points[layer % 2]);
        let points = if same.is_empty() { other } else { same };
        line(points, layer).map(f64::exp)
    }
}

/// A figure that is known of the first layer, and measured in the last ones.
#[derive(Debug, Clone)]
pub struct Bridge {
    first: f64,
    /// Layers, ascending, and the logarithms of their figures.
    points: Vec<(usize, f64)>,
}

/// The change at the end of a bridge is told from this many measured layers.
const SLOPE: usize = 4;

impl Bridge {
    /// Figures that are not positive are left out, and so is that of layer 0.
    pub fn new(first: f64, figures: impl IntoIterator<Item = (usize, f64)>) -> Bridge {
        Bridge { first: first.ln(), points: points(figures) }
    }

    /// The figure of a layer: that of the first one if nothing was measured.
    pub fn at(&self, layer: usize) -> f64 {
        let Some(&(end, figure)) = self.points.first() else { return self.first.exp() };
        if layer >= end {
            return line(&self.points, layer).unwrap_or(figure).exp();
        }
        let length = end as f64;
        let chord = (figure - self.first) / length;
        let told = self.points[(SLOPE - 1).min(self.points.len() - 1)];
        let slope = if told.0 > end { (told.1 - figure) / (told.0 - end) as f64 } else { chord };
        // A cubic with the slope of the chord where it begins, and half way between that and the measured one where it ends.
        let slope = (chord + slope) / 2.0;
        let t = layer as f64 / length;
        let (square, cube) = (t * t, t * t * t);
        let from = (2.0 * cube - 3.0 * square + 1.0) * self.first + (cube - 2.0 * square + t) * length * chord;
        let to = (3.0 * square - 2.0 * cube) * figure + (cube - square) * length * slope;
        (from + to).exp()
    }
}

/// A figure that is known of the first layer and falls from there to the last layers, where it is measured.
///
/// Its logarithm falls evenly at first and ever less toward the end: going back from the measured layers it follows the
/// parabola through them, up to the layer whose tangent leads to the first figure, and that tangent from there on.
/// Nodes of values for each state are such a figure: hardly any two states of the first layers are alike.
#[derive(Debug, Clone)]
pub struct Descent {
    first: f64,
    /// Layers, ascending, and the logarithms of their figures.
    points: Vec<(usize, f64)>,
    /// The parabola: the slope at the first point, and by how much it changes from layer to layer.
    slope: f64,
    bend: f64,
    /// The layer up to which the figure follows the line from the first one.
    touch: f64,
}

/// As many measured layers tell the parabola.
const BENT: usize = 6;

impl Descent {
    /// Figures that are not positive are left out, and so is that of layer 0.
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
            // The measured layers bend too little for that, or the other way: the parabola with their slope that leads there.
            false => descent.bend = 2.0 * turn / end,
        }
        descent
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The figure of a layer: that of the first one if nothing was measured.
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

/// The slope and the second derivative at 0 of the parabola through the origin that is nearest to some points; straight
/// through one point, and through none level.
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

/// Positive figures of layers but the first one, by layer: their logarithms.
fn points(figures: impl IntoIterator<Item = (usize, f64)>) -> Vec<(usize, f64)> {
    let figures = figures.into_iter().filter(|(layer, figure)| *layer > 0 && *figure > 0.0 && figure.is_finite());
    let mut points: Vec<(usize, f64)> = figures.map(|(layer, figure)| (layer, figure.ln())).collect();
    points.sort_by_key(|(layer, _)| *layer);
    points.dedup_by_key(|(layer, _)| *layer);
    points
}

/// The logarithm at a layer, by points in ascending order.
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
        // From 1 it falls by 0.2 in the logarithm up to layer 20, then by 0.02 less from layer to layer.
        let bent = |layer: f64| -0.2 * layer + f64::max(layer - 20.0, 0.0).powi(2) * 0.01;
        let figure = |layer: usize| bent(layer as f64).exp();
        let descent = Descent::new(1.0, (24..31).map(|layer| (layer, figure(layer))));
        for layer in 0..31 {
            assert!((descent.at(layer) / figure(layer) - 1.0).abs() < 1e-6, "{layer}: {}", descent.at(layer));
        }
        assert!((descent.at(40) / figure(30) - 1.0).abs() < 1e-9, "as the last one");
        // Level at the end, and bent the other way: it falls ever less, and meets both ends.
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
        // Flat from layer 25 on: the bridge is below the straight line, and meets both ends.
        let flat = Bridge::new(0.5, (25..30).map(|layer| (layer, figure(25))));
        assert!((5..24).all(|layer| flat.at(layer) < figure(layer) && flat.at(layer) > flat.at(layer + 1)));
        for (layer, wanted) in [(0, 0.5), (25, figure(25)), (40, figure(25))] {
            assert!((flat.at(layer) / wanted - 1.0).abs() < 1e-9, "{layer}");
        }
        assert!((Bridge::new(0.5, [(9, 0.0)]).at(7) - 0.5).abs() < 1e-9, "nothing was measured");
    }
}
