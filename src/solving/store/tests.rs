use super::*;
use base::limits::Limits;
use base::random::Random;
use kernel::{Context, Diagram, Node, union};
use std::path::Path;
use std::sync::Arc;

const LEVELS: usize = 12;
const ID: Checksum = [7; 32];

fn context() -> Context {
    Context::new(Arc::new(Limits::unlimited()), 1)
}

fn assignment(number: usize) -> Vec<bool> {
    (0..LEVELS).map(|level| number >> level & 1 == 1).collect()
}

fn random_set(random: &mut Random, context: &Context) -> (Vec<usize>, Diagram) {
    let numbers: Vec<usize> = (0..1 + random.below(200)).map(|_| random.below(1 << LEVELS)).collect();
    let singles: Vec<Diagram> =
        numbers.iter().map(|&number| Diagram::single(LEVELS as u32, &assignment(number))).collect();
    (numbers, union(&singles.iter().collect::<Vec<_>>(), context).unwrap())
}

fn write(folder: &Path, kind: Kind, diagram: &Diagram, context: &Context) -> manifest::FileRecord {
    write_layer(folder, kind, 3, &diagram.pack(context).unwrap(), ID).unwrap().0
}

fn open(
    folder: &Path,
    record: &manifest::FileRecord,
    kind: Kind,
    layer: u32,
    id: Option<Checksum>,
) -> Result<Mapped, StoreError> {
    Mapped::new(StoredFile { folder: folder.to_owned(), record: record.clone(), kind, layer, id }.open()?)
}

#[test]
fn files_are_read_as_they_were_written() {
    let (folder, context, mut random) = (tempfile::tempdir().unwrap(), context(), Random::new(5));
    for _ in 0..40 {
        let (numbers, set) = random_set(&mut random, &context);
        let record = write(folder.path(), Kind::States, &set, &context);
        assert_eq!((record.name.as_str(), record.nodes), ("layer-00003.states", set.node_count()));
        let mapped = open(folder.path(), &record, Kind::States, 3, Some(ID)).unwrap();
        assert_eq!(hex(&mapped.file().check_sum().unwrap()), record.sha256);
        assert_eq!((mapped.levels(), mapped.node_count()), (set.levels(), set.node_count()));
        for number in 0..1 << LEVELS {
            assert_eq!(mapped.contains(&assignment(number)).unwrap(), numbers.contains(&number));
        }
        let read = mapped.diagram(context.limits()).unwrap();
        assert_eq!(read, set);
        // Read as values, the same nodes stand for another function.
        let record = write(folder.path(), Kind::Values, &set, &context);
        let mapped = open(folder.path(), &record, Kind::Values, 3, Some(ID)).unwrap();
        for number in 0..1 << LEVELS {
            assert_eq!(mapped.value_at(&assignment(number)).unwrap(), set.value_at(&assignment(number)));
        }
    }
}

#[test]
fn every_flipped_byte_is_found_and_none_is_dangerous() {
    let (folder, context, mut random) = (tempfile::tempdir().unwrap(), context(), Random::new(9));
    let (_, set) = random_set(&mut random, &context);
    let record = write(folder.path(), Kind::States, &set, &context);
    let path = folder.path().join(&record.name);
    let bytes = std::fs::read(&path).unwrap();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << random.below(8);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, &damaged).unwrap();
        let Ok(mapped) = Mapped::open(&path) else { continue };
        assert!(matches!(mapped.file().check_sum(), Err(StoreError::Damaged { .. })), "{place}");
        for _ in 0..20 {
            let assignment = assignment(random.below(1 << LEVELS));
            drop((mapped.contains(&assignment), mapped.value_at(&assignment), mapped.contains(&[])));
        }
        drop([Node::ZERO, Node::inner(0), Node::inner(1 << 31)].map(|node| mapped.children(node)));
    }
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(
            Mapped::open(&path).is_ok_and(|mapped| mapped.file().check_sum().is_err()) || Mapped::open(&path).is_err()
        );
    }
}

#[test]
fn a_file_must_be_the_one_that_is_recorded() {
    let (folder, context, mut random) = (tempfile::tempdir().unwrap(), context(), Random::new(11));
    let (_, set) = random_set(&mut random, &context);
    let record = write(folder.path(), Kind::States, &set, &context);
    let open = |record: &manifest::FileRecord, kind, layer| open(folder.path(), record, kind, layer, Some(ID));
    assert!(open(&record, Kind::States, 3).is_ok());
    assert!(matches!(open(&record, Kind::Values, 3), Err(StoreError::Damaged { .. })));
    assert!(matches!(open(&record, Kind::States, 4), Err(StoreError::Damaged { .. })));
    for id in [None, Some([8; 32])] {
        let error = super::tests::open(folder.path(), &record, Kind::States, 3, id).unwrap_err();
        assert!(error.to_string().contains("another solution"), "{error}");
    }
    let longer = manifest::FileRecord { bytes: record.bytes + 1, ..record.clone() };
    assert!(matches!(open(&longer, Kind::States, 3), Err(StoreError::Damaged { .. })));
    let path = folder.path().join(&record.name);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8] = 9;
    std::fs::write(&path, bytes).unwrap();
    let error = open(&record, Kind::States, 3).unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }) && error.to_string().contains("version 9"), "{error}");
}
