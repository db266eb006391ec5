//! A positive figure by layer, from the layers in which it was measured: between two of them its logarithm is taken to be
//! linear, beyond them it stays as it was.
//!
//! Layers in which different players move differ, so even layers are told from even ones and odd layers from odd ones.

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

    pub fn is_empty(&self) -> bool {
        self.points.iter().all(Vec::is_empty)
    }

    /// The figure of a layer; `None` if nothing was measured.
    pub fn at(&self, layer: usize) -> Option<f64> {
        let [same, other] = [layer, layer + 1].map(|layer| &self.points[layer % 2]);
        let points = if same.is_empty() { other } else { same };
        let after = points.partition_point(|(at, _)| *at < layer);
        let logarithm = match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
            (None, None) => return None,
            (Some((_, figure)), None) | (None, Some(&(_, figure))) => figure,
            (Some((start, from)), Some(&(end, to))) => {
                from + (to - from) * (layer - start) as f64 / (end - start) as f64
            }
        };
        Some(logarithm.exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_evenly_is_found_from_both_ends() {
        let figure = |layer: usize| 3.0 * (0.2 * layer as f64).exp() * if layer % 2 == 0 { 1.0 } else { 1.5 };
        let curve = Curve::new([0, 1, 2, 20, 21].map(|layer| (layer, figure(layer))));
        for layer in 0..=21 {
            let found = curve.at(layer).unwrap();
            assert!((found / figure(layer) - 1.0).abs() < 1e-9, "{layer}: {found}");
        }
        assert!((curve.at(30).unwrap() / figure(20) - 1.0).abs() < 1e-9, "as the last even one");
        assert!((curve.at(31).unwrap() / figure(21) - 1.0).abs() < 1e-9, "as the last odd one");
    }

    #[test]
    fn what_was_measured_is_kept_and_nothing_comes_of_nothing() {
        let curve = Curve::new([(4, 2.0), (4, 5.0), (7, 0.0)]);
        assert!([3, 4, 9].iter().all(|&layer| (curve.at(layer).unwrap() - 5.0).abs() < 1e-9));
        assert!(Curve::new([(1, -1.0), (2, f64::NAN)]).is_empty());
        assert_eq!(Curve::default().at(3), None);
    }
}
