use super::*;
use crate::store::manifest::FileRecord;
use crate::store::{Checksum, StoredFile, write_layer};
use base::random::Random;
use base::scratch::Space;
use kernel::{Bitvector, Codes, Context, Diagram, Ranking, SetBuilder, true_levels};
use std::path::Path;

const ID: Checksum = [7; 32];

fn context(threads: usize) -> Context {
    Context::new(Arc::new(Limits::unlimited()), threads)
}

/// The set of the numbers that `keep` accepts, as assignments of bits from the top level.
fn set(levels: u32, context: &Context, mut keep: impl FnMut(u32) -> bool) -> Diagram {
    let mut builder = SetBuilder::new(levels, context.limits());
    for bits in (0..1u32 << levels).filter(|&bits| keep(bits)) {
        builder.push(&true_levels(levels, bits), 1).unwrap();
    }
    builder.finish().unwrap()
}

/// `k` different values, some of them rare and some in runs.
fn values(random: &mut Random, states: u64, k: usize, context: &Context) -> Bitvector {
    let mut index = random.below(k);
    let indices: Vec<usize> = (0..states)
        .map(|_| {
            index = if random.below(3) == 0 { random.below(k) } else { index };
            index
        })
        .collect();
    let ids = (0..k as u32).map(|index| 1 + 3 * index).rev().collect();
    Bitvector::from_fn(states, ids, |rank| indices[rank as usize], context.limits()).unwrap()
}

fn file(folder: &Path, record: &FileRecord, kind: Kind) -> StoredFile {
    StoredFile { folder: folder.to_owned(), record: record.clone(), kind, layer: 3, id: Some(ID) }
}

fn write(folder: &Path, set: &Diagram, values: &Bitvector, context: &Context) -> (Mapped, Ranked, FileRecord) {
    let (states, _) = write_layer(folder, Kind::States, 3, &set.pack(context).unwrap(), ID).unwrap();
    let (record, _) = write_ranked(
        folder,
        &Space::unbounded(),
        3,
        &set.pack_counts(context).unwrap(),
        &mut Codes::new(values),
        ID,
        context,
    )
    .unwrap();
    assert_eq!((record.name.as_str(), record.kind()), ("layer-00003.ranked", Some(Kind::Ranked)));
    let states = Mapped::new(file(folder, &states, Kind::States).open().unwrap()).unwrap();
    (states, file(folder, &record, Kind::Ranked).ranked().unwrap(), record)
}

fn assignment(levels: u32, bits: u32) -> Vec<bool> {
    (0..levels).map(|level| bits >> (levels - 1 - level) & 1 == 1).collect()
}

#[test]
fn values_come_back_for_every_number_of_values() {
    let (folder, context, mut random) = (tempfile::tempdir().unwrap(), context(1), Random::new(1));
    for k in 1..=20 {
        let levels = 1 + random.below(11) as u32;
        let set = set(levels, &context, |bits| bits == 0 || random.below(3) == 0);
        let ranking = Ranking::new(&set, context.limits()).unwrap();
        let values = values(&mut random, ranking.elements(), k, &context);
        let (states, ranked, record) = write(folder.path(), &set, &values, &context);
        ranked.file().check_recorded(&record).unwrap();
        ranked.check_parts().unwrap();
        for bits in 0..1 << levels {
            let state = assignment(levels, bits);
            let rank = ranked.rank(&states, &state).unwrap();
            assert_eq!(rank, ranking.rank(&state));
            let value = rank.map(|rank| ranked.value(rank).unwrap());
            assert_eq!(value, ranking.rank(&state).map(|rank| values.value(rank)));
        }
        let back = ranked.bitvector(&context).unwrap();
        assert!((0..ranking.elements()).all(|rank| back.value(rank) == values.value(rank)));
    }
}

#[test]
fn many_blocks_and_threads_give_the_same_bytes() {
    let (folder, alone, shared, mut random) = (tempfile::tempdir().unwrap(), context(1), context(3), Random::new(8));
    let set = set(20, &alone, |_| random.below(2) == 0);
    let ranking = Ranking::new(&set, alone.limits()).unwrap();
    for k in [1, 2, 3, 6] {
        let values = values(&mut random, ranking.elements(), k, &alone);
        let (_, ranked, one) = write(folder.path(), &set, &values, &alone);
        assert_eq!(ranked.blocks(), ranking.elements().div_ceil(ranked.block_states()));
        let (states, ranked, other) = write(folder.path(), &set, &values, &shared);
        assert_eq!(one, other);
        let numbered = kernel::Numbered::new(states.diagram(alone.limits()).unwrap(), alone.limits()).unwrap();
        for _ in 0..2_000 {
            let rank = random.below(ranking.elements() as usize) as u64;
            let state = numbered.element(&rank.into()).unwrap();
            assert_eq!(ranked.rank(&states, &state).unwrap(), Some(rank));
            assert_eq!(ranked.value(rank).unwrap(), values.value(rank));
        }
        let back = ranked.bitvector(&shared).unwrap();
        assert!((0..ranking.elements()).all(|rank| back.value(rank) == values.value(rank)));
        assert_eq!(write(folder.path(), &set, &back, &alone).2, one);
    }
}

#[test]
fn every_flipped_byte_is_found_and_none_is_dangerous() {
    let (folder, context, mut random) = (tempfile::tempdir().unwrap(), context(1), Random::new(5));
    let set = set(9, &context, |bits| bits % 3 > 0);
    let ranking = Ranking::new(&set, context.limits()).unwrap();
    let values = values(&mut random, ranking.elements(), 5, &context);
    let (states, _, record) = write(folder.path(), &set, &values, &context);
    let path = folder.path().join(&record.name);
    let bytes = std::fs::read(&path).unwrap();
    let look = |ranked: &Ranked, random: &mut Random| {
        drop((ranked.check_parts(), ranked.bitvector(&context)));
        for _ in 0..20 {
            drop(ranked.rank(&states, &assignment(9, random.below(1 << 9) as u32)));
            drop(ranked.value(random.below(400) as u64));
        }
        drop((ranked.rank(&states, &[]), ranked.count(0), ranked.count(u64::MAX), ranked.value(u64::MAX)));
        drop(ranked.open_block(u64::MAX / 16, &mut Opener::default(), &mut Vec::new()));
    };
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << random.below(8);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, &damaged).unwrap();
        let Ok(file) = LayerFile::open(&path) else { continue };
        assert!(matches!(file.check_sum(), Err(StoreError::Damaged { .. })), "{place}");
        if let Ok(ranked) = Ranked::new(file) {
            look(&ranked, &mut random);
        }
    }
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        if let Ok(ranked) = LayerFile::open(&path).and_then(Ranked::new) {
            assert!(ranked.file().check_sum().is_err());
            look(&ranked, &mut random);
        }
    }
}

#[test]
fn writing_keeps_the_limit_and_stops_when_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let roomy = context(1);
    let set = set(8, &roomy, |_| true);
    let values = Bitvector::new(256, vec![1, 2], roomy.limits()).unwrap();
    let counts = set.pack_counts(&roomy).unwrap();
    let small = Context::new(Arc::new(Limits::new(100_000)), 1);
    let error =
        write_ranked(folder.path(), &Space::unbounded(), 0, &counts, &mut Codes::new(&values), ID, &small).unwrap_err();
    assert!(matches!(error, StoreError::Limit(_)), "{error}");
    assert_eq!(small.limits().used(), 0);
    roomy.limits().interrupt();
    let used = roomy.limits().used();
    let error =
        write_ranked(folder.path(), &Space::unbounded(), 0, &counts, &mut Codes::new(&values), ID, &roomy).unwrap_err();
    assert!(matches!(error, StoreError::Limit(base::limits::LimitReached::Interrupted)), "{error}");
    assert_eq!((roomy.limits().used(), std::fs::read_dir(folder.path()).unwrap().count()), (used, 0));
}

#[test]
fn numbers_come_back_however_many_there_are() {
    let (folder, context, mut random) = (tempfile::tempdir().unwrap(), context(2), Random::new(4));
    // Codes without bits, codes of whole bytes, codes across ends of blocks, and more values than terminals.
    for (levels, count) in [(3, 1), (9, 2), (9, 256), (17, 300), (17, 70_000)] {
        let set = set(levels, &context, |bits| bits % 3 != 1);
        let ranking = Ranking::new(&set, context.limits()).unwrap();
        let states = ranking.elements();
        let mut codes: Vec<u32> = (0..states).map(|_| random.below(count) as u32).collect();
        codes.iter_mut().zip(0..count as u32).for_each(|(code, number)| *code = number);
        random.shuffle(&mut codes);
        let counts = set.pack_counts(&context).unwrap();
        let mut numbered = Numbered { count: count as u32, codes: &codes };
        let (record, _) =
            write_ranked(folder.path(), &Space::unbounded(), 3, &counts, &mut numbered, ID, &context).unwrap();
        let ranked = file(folder.path(), &record, Kind::Ranked).ranked().unwrap();
        ranked.file().check_recorded(&record).unwrap();
        let (read, account) = ranked.numbers(context.limits()).unwrap();
        assert_eq!(account.reserved(), 4 * states, "as long as they are kept");
        assert!(read.iter().zip(&codes).all(|(number, code)| *number == code + 1), "{count}");
        let fits = ranked.bitvector(&context).map(|values| values.states());
        assert_eq!(fits.ok(), (count < kernel::TERMINALS as usize).then_some(states));
        for _ in 0..100 {
            let rank = random.below(states as usize);
            assert_eq!(ranked.value(rank as u64).unwrap(), codes[rank] + 1);
        }
    }
}
