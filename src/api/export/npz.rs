//! Arrays of NumPy in a zip file, for `numpy.load`.
//!
//! An array starts with its number of rows, and the arrays of a zip file follow each other. So each array grows in a
//! temporary file beside the zip file until the number of rows is known.

use super::rows::RowValue;
use super::{Columns, ExportError, Row, Table};
use game::propositional::FluentId;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The number for a missing value: endless play, no mover, no distance.
const NONE: i8 = -1;
/// Entries of the archive with at least this number of bytes are written with sizes of 64 bits. Sizes of 32 bits
/// suffice below it, even if compression makes an entry larger.
const LARGE: u64 = 3 << 30;
/// The length of the head of an array is a multiple of this number of bytes.
const ALIGNED: usize = 64;
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

pub struct Npz<'t, W: Write + Seek> {
    columns: &'t Columns<'t>,
    file: W,
    arrays: Vec<Array>,
    /// Exact values as texts, one per line, and the length of the longest text.
    texts: Option<(BufWriter<File>, usize)>,
    rows: u64,
}

/// Writes up to the first failure and reports the failure once; then it discards everything. An archive that is dropped
/// tries to write its end, and would print that this fails, too.
struct Until<W> {
    file: W,
    failed: bool,
    /// The position that the writer would have without the failure.
    position: u64,
}

impl<W> Until<W> {
    fn failure(file: W) -> Until<W> {
        Until { file, failed: false, position: 0 }
    }

    fn tell<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.failed |= done.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        done
    }
}

impl<W: Write> Write for Until<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failed {
            self.position += bytes.len() as u64;
            return Ok(bytes.len());
        }
        let done = self.file.write(bytes);
        self.tell(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        let done = self.file.flush();
        self.tell(done)
    }
}

impl<W: Seek> Seek for Until<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.failed {
            if let SeekFrom::Start(position) = to {
                self.position = position;
            }
            return Ok(self.position);
        }
        let done = self.file.seek(to);
        self.tell(done)
    }
}

struct Array {
    name: &'static str,
    kind: &'static str,
    shape: Vec<usize>,
    bytes: Bytes,
    data: BufWriter<File>,
}

/// The bytes of a row in an array.
type Bytes = fn(&Columns, &Row) -> Vec<u8>;

impl<'t, W: Write + Seek> Npz<'t, W> {
    pub fn new(columns: &'t Columns<'t>, file: W, path: &Path) -> Result<Self, ExportError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = || tempfile::tempfile_in(folder).map(BufWriter::new).map_err(ExportError::Write);
        let array = |(name, kind, shape, bytes)| Ok(Array { name, kind, shape, bytes, data: temporary()? });
        let arrays = arrays(columns).into_iter().map(array).collect::<Result<_, ExportError>>()?;
        let texts = columns.source.is_exact().then(|| temporary().map(|lines| (lines, 1))).transpose()?;
        Ok(Npz { columns, file, arrays, texts, rows: 0 })
    }

    fn row(&mut self, row: &Row) -> io::Result<()> {
        for array in &mut self.arrays {
            array.data.write_all(&(array.bytes)(self.columns, row))?;
        }
        if let (RowValue::Exact(value), Some((lines, longest))) = (&row.worth, &mut self.texts) {
            for number in value.numbers() {
                let text = number.to_string();
                *longest = text.len().max(*longest);
                writeln!(lines, "{text}")?;
            }
        }
        Ok(())
    }
}

/// The name, kind and shape of each array, without the number of rows, and the bytes of a row.
fn arrays(columns: &Columns) -> Vec<(&'static str, &'static str, Vec<usize>, Bytes)> {
    let (players, moves) = (vec![columns.players.len()], vec![columns.metadata.moves.len()]);
    let mut arrays: Vec<(_, _, _, Bytes)> = vec![
        ("layer", "<u4", vec![], |_, row| row.position.layer.to_le_bytes().into()),
        ("fluents", "|b1", vec![columns.fluents.len()], fluents),
    ];
    if let Some(board) = &columns.metadata.board {
        arrays.push(("planes", "|b1", vec![board.contents.len(), board.rows.len(), board.columns.len()], planes));
    }
    let value = if columns.source.is_exact() { "<f8" } else { "<i2" };
    arrays.extend::<[(_, _, _, Bytes); 3]>([
        ("mover", "<i2", vec![], |_, row| row.mover.map_or(NONE.into(), |role| role as i16).to_le_bytes().into()),
        ("terminal", "|b1", vec![], |_, row| vec![row.terminal.into()]),
        ("value", value, players, worth),
    ]);
    if columns.plies {
        let bytes: Bytes = |_, row| row.plies.map_or(NONE.into(), |plies| plies as i32).to_le_bytes().into();
        arrays.push(("plies", "<i4", vec![], bytes));
    }
    arrays.push(("legal", "|b1", moves.clone(), |columns, row| flags(columns, row, false)));
    arrays.push(("best", "|b1", moves, |columns, row| flags(columns, row, true)));
    arrays
}

fn fluents(columns: &Columns, row: &Row) -> Vec<u8> {
    let holds = |fluent| row.position.state.contains(FluentId(fluent)).into();
    (0..columns.fluents.len() as u32).map(holds).collect()
}

fn planes(columns: &Columns, row: &Row) -> Vec<u8> {
    let Some(board) = &columns.metadata.board else { return Vec::new() };
    let mut cells = vec![0; board.contents.len() * board.rows.len() * board.columns.len()];
    let mut put = |[plane, line, column]: [usize; 3]| {
        cells[(plane * board.rows.len() + line) * board.columns.len() + column] = 1;
    };
    board.fixed.iter().for_each(|&place| put(place));
    let held = board.fluents.iter().filter(|place| row.position.state.contains(FluentId(place[0] as u32)));
    held.for_each(|&[_, plane, line, column]| put([plane, line, column]));
    cells
}

fn worth(columns: &Columns, row: &Row) -> Vec<u8> {
    match &row.worth {
        RowValue::Rewards(None) => i16::from(NONE).to_le_bytes().repeat(columns.players.len()),
        RowValue::Rewards(Some(rewards)) => {
            rewards.iter().flat_map(|&reward| i16::from(reward).to_le_bytes()).collect()
        }
        RowValue::Exact(value) => value.floats().into_iter().flat_map(f64::to_le_bytes).collect(),
    }
}

fn flags(columns: &Columns, row: &Row, best: bool) -> Vec<u8> {
    let mut flags = vec![0; columns.metadata.moves.len()];
    row.chosen(best).flat_map(|choice| &choice.moves).for_each(|id| flags[id.index()] = 1);
    flags
}

impl<W: Write + Seek> Table for Npz<'_, W> {
    fn add(&mut self, rows: &[Row]) -> Result<(), ExportError> {
        self.rows += rows.len() as u64;
        rows.iter().try_for_each(|row| self.row(row)).map_err(ExportError::Write)
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        let Npz { columns, file, arrays, texts, rows } = *self;
        let mut archive = ZipWriter::new(Until::failure(file));
        let finished = || -> io::Result<()> {
            for Array { name, kind, shape, data, .. } in arrays {
                let (mut data, bytes) = whole(data)?;
                begin(&mut archive, name, kind, &shape_text(Some(rows), &shape), bytes)?;
                io::copy(&mut data, &mut archive)?;
            }
            if let Some((lines, longest)) = texts {
                let players = columns.players.len();
                let bytes = rows * (players * longest * size_of::<u32>()) as u64;
                let shape = shape_text(Some(rows), &[players]);
                begin(&mut archive, "value_text", &format!("<U{longest}"), &shape, bytes)?;
                for line in BufReader::new(whole(lines)?.0).lines() {
                    archive.write_all(&unicode(&line?, longest))?;
                }
            }
            let metadata = columns.json();
            let length = metadata.chars().count();
            let bytes = (length * size_of::<u32>()) as u64;
            begin(&mut archive, "metadata", &format!("<U{length}"), &shape_text(None, &[]), bytes)?;
            archive.write_all(&unicode(&metadata, length))
        };
        finished().map_err(ExportError::Write)?;
        archive.finish().map_err(|error| ExportError::Write(error.into()))?;
        Ok(())
    }
}

fn whole(data: BufWriter<File>) -> io::Result<(File, u64)> {
    let mut file = data.into_inner().map_err(io::IntoInnerError::into_error)?;
    let bytes = file.stream_position()?;
    file.rewind()?;
    Ok((file, bytes))
}

fn begin(
    archive: &mut ZipWriter<impl Write + Seek>,
    name: &str,
    kind: &str,
    shape: &str,
    bytes: u64,
) -> io::Result<()> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    archive.start_file(format!("{name}.npy"), options.large_file(bytes > LARGE))?;
    archive.write_all(&head(kind, shape))
}

fn head(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = MAGIC.len() + size_of::<u16>() + text.len() + 1;
    text.push_str(&" ".repeat(length.next_multiple_of(ALIGNED) - length));
    text.push('\n');
    [MAGIC, &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
}

fn shape_text(rows: Option<u64>, others: &[usize]) -> String {
    let sizes = rows.map(|rows| rows.to_string()).into_iter().chain(others.iter().map(usize::to_string));
    let sizes: Vec<String> = sizes.map(|size| format!("{size},")).collect();
    format!("({})", sizes.join(" "))
}

/// The characters of a text as numbers, followed by zeros up to a length.
fn unicode(text: &str, length: usize) -> Vec<u8> {
    let numbers = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(length);
    numbers.flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_aligned_and_name_the_shape() {
        for rows in [0, 9, 99, 123_456_789_012] {
            let head = head("<i2", &shape_text(Some(rows), &[2]));
            assert_eq!(head.len() % ALIGNED, 0);
            let length = u16::from_le_bytes([head[8], head[9]]) as usize;
            assert_eq!(head.len(), 10 + length);
            let text = String::from_utf8(head[10..].to_vec()).unwrap();
            assert!(text.contains(&format!("'shape': ({rows}, 2,)")) && text.ends_with('\n'), "{text}");
        }
        assert_eq!((shape_text(None, &[]), shape_text(Some(3), &[])), ("()".to_owned(), "(3,)".to_owned()));
        assert_eq!(unicode("é", 2), [0xe9, 0, 0, 0, 0, 0, 0, 0]);
    }
}
