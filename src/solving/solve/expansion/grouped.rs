//! Images under relations that remain apart, all at once or by groups.
//!
//! If many relations overlap, the lists of choices of an image are long. Images under groups of the relations have
//! shorter lists, and often hardly more of them; their union is one more sweep. Both ways lead to the same diagram. So
//! some images are made both ways, each much larger than the one before, until groups take fewer words of requests;
//! then all further images are made by groups. Only words are counted, so that the choice is deterministic.

use base::limits::LimitReached;
use kernel::{self, Context, Diagram, Kind, RelationId, Relations};
use std::cell::Cell;

const GROUPS: usize = 4;
/// The first image with this number of words of requests (some 20 ms) is made both ways.
const FIRST: u64 = 1 << 19;
/// Later ones have this many times as many words, so that trials take a small part of the time.
const GROWTH: u64 = 8;
/// Larger images (of some seconds) are not made both ways.
const LARGEST: u64 = 1 << 26;

#[derive(Debug)]
pub struct Grouped {
    /// The number of words from which on an image is made both ways; `None`: images are made by groups.
    trial: Cell<Option<u64>>,
}

impl Default for Grouped {
    fn default() -> Grouped {
        Grouped { trial: Cell::new(Some(FIRST)) }
    }
}

impl Grouped {
    /// All images are made at once.
    pub fn never() -> Grouped {
        Grouped { trial: Cell::new(Some(u64::MAX)) }
    }

    pub fn image(
        &self,
        states: &Diagram,
        relations: &Relations,
        roots: &[RelationId],
        context: &Context,
    ) -> Result<Diagram, LimitReached> {
        let Some(enough) = self.trial.get() else { return by_groups(states, relations, roots, context) };
        let before = words(context);
        let image = kernel::image(states, relations, roots, context)?;
        let at_once = words(context) - before;
        if roots.len() > 1 && (enough..=LARGEST).contains(&at_once) {
            // The trial has statistics of its own: they are not those of a further layer.
            let apart = context.anew();
            let image_by_groups = apart.within_words(at_once, || by_groups(states, relations, roots, &apart));
            let is_better = match image_by_groups {
                Ok(_) => words(&apart) < at_once,
                Err(limit) if limit.ends_all() => return Err(limit),
                Err(_) => false,
            };
            tracing::debug!(at_once, by_groups = words(&apart), "words of an image");
            self.trial.set((!is_better).then(|| at_once.saturating_mul(GROWTH)));
        }
        Ok(image)
    }
}

fn by_groups(
    states: &Diagram,
    relations: &Relations,
    roots: &[RelationId],
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let groups = roots.chunks(roots.len().div_ceil(GROUPS).max(1));
    let images: Vec<Diagram> =
        groups.map(|group| kernel::image(states, relations, group, context)).collect::<Result<_, _>>()?;
    match &images[..] {
        [] => kernel::image(states, relations, roots, context),
        images => kernel::union(&images.iter().collect::<Vec<_>>(), context),
    }
}

/// Words of the requests of images and unions so far, including a word for the node of each request.
fn words(context: &Context) -> u64 {
    let of_kind = |kind| context.statistics(kind).key_words + context.statistics(kind).requests;
    [Kind::Pairs, Kind::Determinise, Kind::Combine].into_iter().map(of_kind).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::encode::{Analysis, SymbolicGame};
    use game::ground::{GroundOptions, ground};
    use game::mutex;
    use game::rules::Language;
    use std::sync::Arc;

    #[test]
    fn images_by_groups_are_the_same_and_chosen_by_words() {
        let text = include_str!("../../../../games/quixo_3.gdl");
        let (program, _) = Language::Gdl.program(&Source::new("rules", text.as_bytes()));
        let game = ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
        let limits = Arc::new(Limits::unlimited());
        let groups = mutex::groups(&game, &mutex::Effort::default(), &limits).unwrap();
        let analysis = Analysis::new(&game, &groups, &limits).unwrap();
        let order: Vec<usize> = (0..groups.len()).collect();
        let SymbolicGame { relations, moves, initial, .. } = SymbolicGame::new(&analysis, &order, &limits).unwrap();
        assert!(moves.roots.len() > GROUPS, "{} relations remain apart", moves.roots.len());
        let context = Context::new(limits, 1);
        let mut states = Diagram::single(initial.len() as u32, &initial);
        for _ in 0..8 {
            let grouped = Grouped { trial: Cell::new(Some(1)) };
            let at_once = context.anew();
            let image = grouped.image(&states, &relations, &moves.roots, &at_once).unwrap();
            let apart = context.anew();
            let by_groups = by_groups(&states, &relations, &moves.roots, &apart).unwrap();
            assert!(image == by_groups);
            assert_eq!(grouped.trial.get().is_none(), words(&apart) < words(&at_once));
            grouped.trial.set(None);
            assert!(grouped.image(&states, &relations, &moves.roots, &context).unwrap() == image);
            let never = Grouped::never();
            assert!(never.image(&states, &relations, &moves.roots, &context).unwrap() == image);
            assert!(never.trial.get().is_some());
            states = image;
        }
    }
}
