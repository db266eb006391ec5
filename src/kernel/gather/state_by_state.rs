//! Computes values state by state, by several threads.

use super::orders::{Plan, Run};
use super::output::Writer;
use super::{Cost, Layers, Retrograde, Unsolved, walk};
use crate::threads::share;
use crate::{Bitvector, Context};
use base::limits::LimitReached;
use std::sync::Mutex;
use std::time::Instant;

const LEAST: u64 = 1 << 12;
const PIECES: u64 = 64;

pub fn run(layers: &Layers, next: &Bitvector, plan: &Plan, context: &Context) -> Result<Retrograde, LimitReached> {
    let begin = Instant::now();
    let states = layers.labels.states(layers.labels.root());
    let result = Bitvector::new(states, plan.values.clone(), context.limits())?;
    let run = Run::new(plan, next, context);
    let planes: Vec<usize> = (0..result.plane_count()).collect();
    let most = (states / (PIECES * context.threads() as u64)).max(LEAST);
    let outcome = Mutex::new(Ok(true));
    let note = |done: Result<bool, LimitReached>| {
        let mut outcome = outcome.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !matches!(done, Ok(true)) && matches!(*outcome, Ok(true)) {
            *outcome = done;
        }
    };
    let mut threads = vec![(); context.threads()];
    share(context.pool(), &layers.cut(most), &mut threads, |_, part, ()| {
        // SAFETY: pieces of work have disjoint ranges of ranks within the bitvector.
        let mut writer = unsafe { Writer::new(&result, &planes, part.start, part.start + part.states) };
        note(walk::run(layers, part, &run, &mut writer));
        writer.finish();
    });
    match outcome.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)? {
        true => {
            let cost = Cost { run: begin.elapsed().as_nanos() as u64, ..Cost::default() };
            Ok(Ok((result, cost)))
        }
        false => Ok(Err(Unsolved::DeadEnd)),
    }
}
