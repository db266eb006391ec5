//! Computes values state by state, by several threads.

use super::orders::{Plan, Run};
use super::output::Writer;
use super::{Cost, Layers, Retrograde, Unsolved, walk};
use crate::threads::share;
use crate::{Bitvector, Context};
use base::limits::LimitReached;
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
    // For each thread, whether every state so far has a value.
    let mut threads: Vec<Result<bool, LimitReached>> = vec![Ok(true); context.threads()];
    share(context.pool(), &layers.cut(most), &mut threads, |_, part, outcome| {
        if !matches!(outcome, Ok(true)) {
            return;
        }
        // SAFETY: pieces of work have disjoint ranges of ranks within the bitvector.
        let mut writer = unsafe { Writer::new(&result, &planes, part.start, part.start + part.states) };
        *outcome = walk::run(layers, part, &run, &mut writer);
        writer.finish();
    });
    for outcome in threads {
        if !outcome? {
            return Ok(Err(Unsolved::DeadEnd));
        }
    }
    let cost = Cost { run: begin.elapsed().as_nanos() as u64, ..Cost::default() };
    Ok(Ok((result, cost)))
}
