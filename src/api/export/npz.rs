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
    arrays: Arrays,
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

struct Arrays {
    layer: Array,
    fluents: Array,
    planes: Option<Array>,
    mover: Array,
    terminal: Array,
    value: Array,
    plies: Option<Array>,
    legal: Array,
    best: Array,
    /// Exact values as texts, one per line, and the length of the longest text.
    texts: Option<(BufWriter<File>, usize)>,
}

/// The whole contents of [`Arrays`].
struct Whole {
    arrays: Vec<Array<File>>,
    texts: Option<(File, usize)>,
}

struct Array<F = BufWriter<File>> {
    name: &'static str,
    kind: &'static str,
    shape: Vec<usize>,
    data: F,
}

impl<'t, W: Write + Seek> Npz<'t, W> {
    pub fn new(columns: &'t Columns<'t>, file: W, path: &Path) -> Result<Self, ExportError> {
        let arrays = Arrays::new(columns, path).map_err(ExportError::Write)?;
        Ok(Npz { columns, file, arrays, rows: 0 })
    }
}

impl Arrays {
    fn new(columns: &Columns, path: &Path) -> io::Result<Arrays> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = || tempfile::tempfile_in(folder).map(BufWriter::new);
        let array = |name, kind, shape: &[usize]| {
            Ok::<_, io::Error>(Array { name, kind, shape: shape.to_vec(), data: file()? })
        };
        let (players, moves) = (columns.players.len(), columns.metadata.moves.len());
        let exact = columns.source.is_exact();
        let board = columns.metadata.board.as_ref();
        let planes = board.map(|board| [board.contents.len(), board.rows.len(), board.columns.len()]);
        Ok(Arrays {
            layer: array("layer", "<u4", &[])?,
            fluents: array("fluents", "|b1", &[columns.fluents.len()])?,
            planes: planes.map(|shape| array("planes", "|b1", &shape)).transpose()?,
            mover: array("mover", "<i2", &[])?,
            terminal: array("terminal", "|b1", &[])?,
            value: array("value", if exact { "<f8" } else { "<i2" }, &[players])?,
            plies: columns.plies.then(|| array("plies", "<i4", &[])).transpose()?,
            legal: array("legal", "|b1", &[moves])?,
            best: array("best", "|b1", &[moves])?,
            texts: exact.then(|| Ok::<_, io::Error>((file()?, 1))).transpose()?,
        })
    }

    fn add(&mut self, columns: &Columns, row: &Row) -> io::Result<()> {
        let state = &row.position.state;
        self.layer.data.write_all(&row.position.layer.to_le_bytes())?;
        let holds = |fluent| u8::from(state.contains(FluentId(fluent)));
        self.fluents.data.write_all(&(0..columns.fluents.len() as u32).map(holds).collect::<Vec<u8>>())?;
        if let (Some(planes), Some(board)) = (&mut self.planes, &columns.metadata.board) {
            let mut cells = vec![0u8; planes.shape.iter().product()];
            let mut put = |[plane, line, column]: [usize; 3]| {
                cells[(plane * board.rows.len() + line) * board.columns.len() + column] = 1;
            };
            board.fixed.iter().for_each(|&place| put(place));
            let held = board.fluents.iter().filter(|place| state.contains(FluentId(place[0] as u32)));
            held.for_each(|&[_, plane, line, column]| put([plane, line, column]));
            planes.data.write_all(&cells)?;
        }
        self.mover.data.write_all(&row.mover.map_or(i16::from(NONE), |role| role as i16).to_le_bytes())?;
        self.terminal.data.write_all(&[u8::from(row.terminal)])?;
        self.value(columns, &row.worth)?;
        if let Some(plies) = &mut self.plies {
            plies.data.write_all(&row.plies.map_or(i32::from(NONE), |plies| plies as i32).to_le_bytes())?;
        }
        for (array, best) in [(&mut self.legal, false), (&mut self.best, true)] {
            let mut flags = vec![0u8; columns.metadata.moves.len()];
            let choices = row.choices.iter().filter(|choice| choice.best || !best);
            choices.flat_map(|choice| &choice.moves).for_each(|id| flags[id.index()] = 1);
            array.data.write_all(&flags)?;
        }
        Ok(())
    }

    fn value(&mut self, columns: &Columns, worth: &RowValue) -> io::Result<()> {
        match worth {
            RowValue::Rewards(rewards) => {
                for player in 0..columns.players.len() {
                    let reward = rewards.as_ref().map_or(i16::from(NONE), |rewards| rewards[player].into());
                    self.value.data.write_all(&reward.to_le_bytes())?;
                }
            }
            RowValue::Exact(value) => {
                for (number, float) in value.numbers().iter().zip(value.floats()) {
                    self.value.data.write_all(&float.to_le_bytes())?;
                    let Some((lines, longest)) = &mut self.texts else { continue };
                    let text = number.to_string();
                    *longest = text.len().max(*longest);
                    writeln!(lines, "{text}")?;
                }
            }
        }
        Ok(())
    }

    fn whole(self) -> io::Result<Whole> {
        let Arrays { layer, fluents, planes, mover, terminal, value, plies, legal, best, texts } = self;
        let arrays = [Some(layer), Some(fluents), planes, Some(mover), Some(terminal), Some(value), plies, Some(legal)];
        let arrays = arrays.into_iter().chain([Some(best)]).flatten();
        let arrays =
            arrays.map(|Array { name, kind, shape, data }| Ok(Array { name, kind, shape, data: whole(data)? }));
        let texts = texts.map(|(lines, longest)| Ok::<_, io::Error>((whole(lines)?, longest))).transpose()?;
        Ok(Whole { arrays: arrays.collect::<io::Result<_>>()?, texts })
    }
}

impl<W: Write + Seek> Table for Npz<'_, W> {
    fn add(&mut self, rows: &[Row]) -> Result<(), ExportError> {
        self.rows += rows.len() as u64;
        rows.iter().try_for_each(|row| self.arrays.add(self.columns, row)).map_err(ExportError::Write)
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        let Npz { columns, file, arrays, rows } = *self;
        let Whole { arrays, texts } = arrays.whole().map_err(ExportError::Write)?;
        let mut archive = ZipWriter::new(Until::failure(file));
        let finished = || -> io::Result<()> {
            for Array { name, kind, shape, mut data } in arrays {
                let bytes = data.seek(SeekFrom::End(0))?;
                data.rewind()?;
                begin(&mut archive, name, kind, &shape_text(Some(rows), &shape), bytes)?;
                io::copy(&mut data, &mut archive)?;
            }
            if let Some((lines, longest)) = texts {
                let players = columns.players.len();
                let bytes = rows * (players * longest * size_of::<u32>()) as u64;
                let shape = shape_text(Some(rows), &[players]);
                begin(&mut archive, "value_text", &format!("<U{longest}"), &shape, bytes)?;
                for line in BufReader::new(lines).lines() {
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

fn whole(data: BufWriter<File>) -> io::Result<File> {
    let mut file = data.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(file)
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
