//! Sweeps of several processes, which are threads here, against those of one.

use super::sets::{Random, assert_same, bytes, diagram, leapfrog, random_moves, set_of_mask};
use base::limits::{LimitReached, Limits};
use base::scratch::Scratch;
use kernel::{
    Automaton, Context, Diagram, Exchange, Level, Outcome, RelationId, Relations, classify, image, image_together,
    select_together,
};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

type Letter = Result<Vec<u32>, LimitReached>;

/// Channels from and to each process.
struct Local {
    number: usize,
    to: Vec<Sender<Letter>>,
    from: Vec<Mutex<Receiver<Letter>>>,
}

impl Exchange for Local {
    fn size(&self) -> usize {
        self.to.len()
    }

    fn number(&self) -> usize {
        self.number
    }

    fn exchange(&self, messages: Result<Vec<Vec<u32>>, LimitReached>) -> Result<Vec<Vec<u32>>, LimitReached> {
        for (other, to) in self.to.iter().enumerate() {
            to.send(messages.as_ref().map(|messages| messages[other].clone()).map_err(Clone::clone)).unwrap();
        }
        let letters: Vec<Letter> = self.from.iter().map(|from| from.lock().unwrap().recv().unwrap()).collect();
        letters.into_iter().collect()
    }
}

/// The results of all processes; `body` is given the number and the context of each.
fn on_processes<T: Send>(
    contexts: Vec<Context>,
    body: impl Fn(usize, &Context) -> Result<T, LimitReached> + Sync,
) -> Vec<Result<T, LimitReached>> {
    let size = contexts.len();
    let mut to: Vec<Vec<Sender<Letter>>> = vec![Vec::new(); size];
    let mut from: Vec<Vec<Mutex<Receiver<Letter>>>> = (0..size).map(|_| Vec::new()).collect();
    for to in &mut to {
        for from in &mut from {
            let (sender, receiver) = channel();
            to.push(sender);
            from.push(Mutex::new(receiver));
        }
    }
    let body = &body;
    std::thread::scope(|threads| {
        let processes: Vec<_> = (contexts.into_iter().zip(to).zip(from).enumerate())
            .map(|(number, ((context, to), from))| {
                threads.spawn(move || {
                    let limits = Arc::clone(context.limits());
                    let result = body(number, &context.with_peers(Arc::new(Local { number, to, from })));
                    drop(context);
                    (result, limits)
                })
            })
            .collect();
        let results = processes.into_iter().map(|process| process.join().unwrap());
        results.map(|(result, _)| result).collect()
    })
}

/// The contexts of some processes, each of some threads: with large partitions, or with small ones and all that can
/// wait on disk.
fn contexts(processes: usize, threads: usize, small: bool) -> Vec<Context> {
    let context = |_| {
        let limits = Arc::new(Limits::unlimited());
        Context::new(Arc::clone(&limits), threads).with(|manner| {
            manner.shared_from = Some(1);
            if small {
                manner.partition = Some(2);
                manner.scratch = Some(Scratch::new(&std::env::temp_dir(), &limits));
                manner.spilling = true;
            }
        })
    };
    (0..processes).map(context).collect()
}

/// The image by all processes. Each makes the same calls, and process 0 gives and gets the sets.
fn step(
    set: Option<&Diagram>,
    moves: (&Relations, &[RelationId]),
    context: &Context,
) -> Result<Option<Diagram>, LimitReached> {
    image_together(set, moves.0, moves.1, context)
}

/// Of so many sets, one is looked at.
const SOME: usize = 9;

#[test]
fn images_of_random_sets_are_those_of_one_process() {
    let one = Context::new(Arc::new(Limits::unlimited()), 1);
    let all: Vec<Diagram> = (0..256).map(|mask| diagram(3, &set_of_mask(mask), &one)).collect();
    for (processes, threads, small) in [(1, 1, false), (2, 1, false), (3, 2, true), (5, 1, true)] {
        let mut random = Random(13);
        for _ in 0..4 {
            let mut store = Relations::new();
            let (roots, _) = random_moves(3, &mut random, &mut store);
            let (store, roots) = store.compact(&roots);
            let found = on_processes(contexts(processes, threads, small), |number, context| {
                let given = |set| if number == 0 { Some(set) } else { None };
                let some = all.iter().step_by(SOME);
                some.map(|set| step(given(set), (&store, &roots), context)).collect::<Result<Vec<_>, _>>()
            });
            let mut found = found.into_iter().map(Result::unwrap);
            for (mask, (source, image_of)) in all.iter().step_by(SOME).zip(found.next().unwrap()).enumerate() {
                let expected = image(source, &store, &roots, &one).unwrap();
                assert_same(&image_of.unwrap(), &expected, &format!("{mask} of {processes}"));
            }
            assert!(found.flatten().all(|image| image.is_none()), "process 0 has the images");
        }
    }
}

/// The layers of a walk by several processes.
fn walk(levels: u32, steps: usize, number: usize, context: &Context) -> Result<Vec<Diagram>, LimitReached> {
    let (start, store, all) = leapfrog(levels);
    let mut layers = vec![start];
    for _ in 0..steps {
        let set = (number == 0).then(|| &layers[layers.len() - 1]);
        layers.extend(step(set, (&store, &[all]), context)?);
    }
    Ok(layers)
}

/// The layers of a walk by one process.
fn alone(steps: usize) -> Vec<Diagram> {
    let context = Context::new(Arc::new(Limits::unlimited()), 1);
    let (start, store, all) = leapfrog(20);
    let mut layers = vec![start];
    for _ in 0..steps {
        layers.push(image(&layers[layers.len() - 1], &store, &[all], &context).unwrap());
    }
    layers
}

#[test]
fn processes_change_no_byte() {
    let one = alone(12);
    for (processes, threads, small) in [(1, 1, false), (2, 1, false), (2, 3, true), (3, 1, true), (4, 2, false)] {
        let found = on_processes(contexts(processes, threads, small), |number, context| {
            let layers = walk(20, 12, number, context)?;
            let reached: u64 = kernel::KINDS.iter().map(|&kind| context.statistics(kind).requests).sum();
            Ok((layers, reached, Arc::clone(context.limits())))
        });
        let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
        let layers = &found[0].0;
        assert_eq!(layers.len(), one.len());
        for (a, b) in one.iter().zip(layers) {
            assert_same(a, b, "layer");
            assert_eq!(bytes(a), bytes(b));
        }
        let all: u64 = found.iter().map(|(_, requests, _)| requests).sum();
        if !small && processes > 1 {
            assert!(found.iter().all(|&(_, requests, _)| requests < all / processes as u64 * 3 / 2), "work is divided");
        }
        let limits: Vec<Arc<Limits>> = found.iter().map(|(_, _, limits)| Arc::clone(limits)).collect();
        drop(found);
        assert!(limits.iter().all(|limits| limits.used() == 0), "everything released");
    }
}

/// The limits of each context.
fn limits_of(contexts: &[Context]) -> Vec<Arc<Limits>> {
    contexts.iter().map(|context| Arc::clone(context.limits())).collect()
}

#[test]
fn memory_of_a_process_falls_with_their_number() {
    let peaks = |processes: usize| {
        let context = |_| Context::new(Arc::new(Limits::unlimited()), 1);
        let contexts: Vec<Context> = (0..processes).map(context).collect();
        let limits = limits_of(&contexts);
        let found = on_processes(contexts, |number, context| walk(32, 24, number, context).map(drop));
        assert!(found.iter().all(Result::is_ok));
        limits.iter().map(|limits| limits.peak()).collect::<Vec<_>>()
    };
    let [alone, four] = [1, 4].map(peaks);
    assert!(four[1..].iter().all(|&peak| peak < alone[0] / 2), "{alone:?} {four:?}");
}

#[test]
fn a_limit_of_one_process_ends_the_sweep_of_all() {
    let peaks = {
        let contexts = contexts(3, 1, false);
        let limits = limits_of(&contexts);
        let found = on_processes(contexts, |number, context| walk(20, 12, number, context).map(drop));
        assert!(found.iter().all(Result::is_ok));
        limits.iter().map(|limits| limits.peak()).collect::<Vec<_>>()
    };
    let mut refused = 0;
    for victim in 0..3 {
        for part in 1..8 {
            let contexts: Vec<Context> = (0..3)
                .map(|number| {
                    let bytes = if number == victim { peaks[number] * part / 8 } else { u64::MAX };
                    Context::new(Arc::new(Limits::new(bytes)), 1).with(|manner| manner.shared_from = Some(1))
                })
                .collect();
            let limits = limits_of(&contexts);
            let found = on_processes(contexts, |number, context| walk(20, 12, number, context).map(drop));
            let failed = found.iter().filter(|result| matches!(result, Err(LimitReached::Memory { .. }))).count();
            assert!(failed == 0 || failed == 3, "{found:?}");
            refused += failed / 3;
            assert!(limits.iter().all(|limits| limits.used() == 0), "everything released");
        }
    }
    assert!(refused >= 15, "{refused}");
}

/// An automaton that has read some levels, and counts how often two neighbours are true up to three times, then
/// decides. States are made as they are asked for.
struct Neighbours {
    levels: u32,
    states: Mutex<Vec<(u32, bool, u32)>>,
}

impl Neighbours {
    fn number(&self, state: (u32, bool, u32)) -> u32 {
        let mut states = self.states.lock().unwrap();
        let known = states.iter().position(|&known| known == state);
        known.unwrap_or_else(|| {
            states.push(state);
            states.len() - 1
        }) as u32
    }

    fn state(&self, number: u32) -> (u32, bool, u32) {
        self.states.lock().unwrap()[number as usize]
    }
}

impl Automaton for Neighbours {
    fn level(&self, state: u32) -> Level {
        Level::new(self.state(state).0)
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        let (level, last, pairs) = self.state(state);
        // Every third level does not matter.
        let step = if level % 3 == 1 { 2 } else { 1 };
        Ok(self.number((level + step, bit, pairs + u32::from(last && bit))))
    }

    fn outcome(&self, state: u32) -> Outcome {
        let (level, _, pairs) = self.state(state);
        match level >= self.levels || pairs > 3 {
            true => Outcome::Decided(u32::from(pairs == 2 || pairs > 3)),
            false => Outcome::Undecided,
        }
    }
}

#[test]
fn selections_are_those_of_one_process() {
    let layers = alone(12);
    let one = Context::new(Arc::new(Limits::unlimited()), 1);
    let automaton = || {
        let automaton = Neighbours { levels: 20, states: Mutex::default() };
        automaton.number((0, false, 0));
        automaton
    };
    for (processes, threads, small) in [(1, 1, false), (2, 1, false), (3, 2, true), (4, 1, false)] {
        let found = on_processes(contexts(processes, threads, small), |number, context| {
            let automaton = automaton();
            let given = |layer| (number == 0).then_some((layer, &automaton, 0));
            layers.iter().map(|layer| select_together(given(layer), context)).collect::<Result<Vec<_>, _>>()
        });
        let mut found = found.into_iter().map(Result::unwrap);
        let (mut some, mut less) = (0, 0);
        for (layer, selection) in layers.iter().zip(found.next().unwrap()) {
            let expected = classify(layer, &automaton(), 0, &one).unwrap();
            assert_eq!(bytes(&selection.unwrap()), bytes(&expected), "{processes}");
            some += usize::from(!expected.is_empty());
            less += usize::from(!expected.equals(layer, &one).unwrap());
        }
        assert!(some > 5 && less > 5, "{some} {less}");
        assert!(found.flatten().all(|selection| selection.is_none()), "process 0 has the selections");
    }
}

#[test]
fn processes_go_on_together_after_a_limit() {
    let one = alone(9);
    let contexts = contexts(3, 1, false);
    let (_, store, all) = leapfrog(20);
    let found = on_processes(contexts, |number, context| {
        let given = |layer: usize| (number == 0).then(|| &one[layer]);
        let stopped =
            context.within_words(if number == 1 { 10 } else { u64::MAX }, || step(given(7), (&store, &[all]), context));
        assert!(matches!(stopped, Err(LimitReached::Work { limit: 10 })), "{stopped:?}");
        step(given(8), (&store, &[all]), context)
    });
    assert_same(found.into_iter().next().unwrap().unwrap().as_ref().unwrap(), &one[9], "after the limit");
}
