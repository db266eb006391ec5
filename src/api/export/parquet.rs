//! Apache Parquet, by the crate of that name: a batch of rows is a row group.

use super::rows::RowValue;
use super::{Columns, ExportError, Row, Table};
use base::limits::{Limits, Reserved};
use game::propositional::FluentId;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::io::{self, Write};
use std::sync::Arc;

/// Bound on the rows and legal moves of a row group. Smaller groups make the list of groups in the file longer.
const GROUP: usize = 1 << 19;
/// Approximate bytes of a row without fluents, and of a legal move, until the group is written.
const ENTRY: u64 = 1 << 7;
const KEY: &str = "ggsolve";

pub struct Parquet<'t, W: Write + Send> {
    columns: &'t Columns<'t>,
    writer: SerializedFileWriter<W>,
    _group: Reserved<'t>,
}

type Group<'g, W> = SerializedRowGroupWriter<'g, W>;

impl<'t, W: Write + Send> Parquet<'t, W> {
    pub fn new(columns: &'t Columns<'t>, file: W, limits: &'t Arc<Limits>) -> Result<Self, ExportError> {
        let group = limits.hold(GROUP as u64 * (ENTRY + columns.fluents.len() as u64 / 8))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_created_by(columns.metadata.generator.clone())
            .set_key_value_metadata(Some(vec![KeyValue::new(KEY.to_owned(), columns.json())]))
            .build();
        let schema = schema(columns).map_err(failed)?;
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).map_err(failed)?;
        Ok(Parquet { columns, writer, _group: group })
    }
}

fn schema(columns: &Columns) -> Result<TypePtr, ParquetError> {
    let [required, optional] = [Repetition::REQUIRED, Repetition::OPTIONAL];
    let plain = |name: &str, kind, repetition| {
        Ok::<_, ParquetError>(Arc::new(Type::primitive_type_builder(name, kind).with_repetition(repetition).build()?))
    };
    let text = |name: &str, repetition| {
        let kind = Type::primitive_type_builder(name, Physical::BYTE_ARRAY).with_repetition(repetition);
        Ok::<_, ParquetError>(Arc::new(kind.with_logical_type(Some(LogicalType::String)).build()?))
    };
    let list = |name: &str| {
        let elements = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
        let elements = Arc::new(elements.with_fields(vec![text("element", required)?]).build()?);
        let list = Type::group_type_builder(name).with_repetition(required).with_logical_type(Some(LogicalType::List));
        Ok::<_, ParquetError>(Arc::new(list.with_fields(vec![elements]).build()?))
    };
    let mut fields = vec![
        plain("layer", Physical::INT32, required)?,
        text("to_move", optional)?,
        plain("terminal", Physical::BOOLEAN, required)?,
    ];
    for player in &columns.players {
        let name = format!("value_{player}");
        if columns.source.is_exact() {
            fields.push(text(&name, required)?);
            fields.push(plain(&format!("{name}_float"), Physical::DOUBLE, required)?);
        } else {
            fields.push(plain(&name, Physical::INT32, optional)?);
        }
    }
    if columns.plies {
        fields.push(plain("plies", Physical::INT32, optional)?);
    }
    fields.extend([list("legal")?, list("best")?]);
    for fluent in &columns.fluents {
        fields.push(plain(fluent, Physical::BOOLEAN, required)?);
    }
    Ok(Arc::new(Type::group_type_builder("positions").with_fields(fields).build()?))
}

impl<W: Write + Send> Table for Parquet<'_, W> {
    fn batch(&self) -> usize {
        GROUP
    }

    fn add(&mut self, rows: &[Row]) -> Result<(), ExportError> {
        if rows.is_empty() {
            return Ok(());
        }
        let group = self.writer.next_row_group().map_err(failed)?;
        write(self.columns, group, rows).map_err(failed)
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        self.writer.close().map_err(failed)?;
        Ok(())
    }
}

fn write<W: Write + Send>(columns: &Columns, mut group: Group<W>, rows: &[Row]) -> Result<(), ParquetError> {
    let layers: Vec<i32> = rows.iter().map(|row| row.position.layer as i32).collect();
    put::<Int32Type, _>(&mut group, &layers, None, None)?;
    let movers: Vec<Option<&str>> =
        rows.iter().map(|row| row.mover.map(|role| columns.metadata.roles[role].as_str())).collect();
    let movers = movers.into_iter().map(|name| name.map(ByteArray::from));
    put_optional::<ByteArrayType, _>(&mut group, movers)?;
    let terminal: Vec<bool> = rows.iter().map(|row| row.terminal).collect();
    put::<BoolType, _>(&mut group, &terminal, None, None)?;
    for player in 0..columns.players.len() {
        let (mut rewards, mut texts, mut floats) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            match &row.worth {
                RowValue::Rewards(value) => rewards.push(value.as_ref().map(|value| i32::from(value[player]))),
                RowValue::Exact(value) => {
                    texts.push(ByteArray::from(value.numbers()[player].to_string().as_str()));
                    floats.push(value.floats()[player]);
                }
            }
        }
        if columns.source.is_exact() {
            put::<ByteArrayType, _>(&mut group, &texts, None, None)?;
            put::<DoubleType, _>(&mut group, &floats, None, None)?;
        } else {
            put_optional::<Int32Type, _>(&mut group, rewards.into_iter())?;
        }
    }
    if columns.plies {
        put_optional::<Int32Type, _>(&mut group, rows.iter().map(|row| row.plies.map(|plies| plies as i32)))?;
    }
    put_moves(columns, &mut group, rows, false)?;
    put_moves(columns, &mut group, rows, true)?;
    for fluent in 0..columns.fluents.len() as u32 {
        let holds: Vec<bool> = rows.iter().map(|row| row.position.state.contains(FluentId(fluent))).collect();
        put::<BoolType, _>(&mut group, &holds, None, None)?;
    }
    group.close().map(drop)
}

fn put<T: DataType, W: Write + Send>(
    group: &mut Group<W>,
    values: &[T::T],
    definitions: Option<&[i16]>,
    repetitions: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.expect("the schema has a column for each that is written");
    column.typed::<T>().write_batch(values, definitions, repetitions)?;
    column.close()
}

fn put_optional<T: DataType, W: Write + Send>(
    group: &mut Group<W>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let (mut there, mut definitions) = (Vec::new(), Vec::new());
    for value in values {
        definitions.push(i16::from(value.is_some()));
        there.extend(value);
    }
    put::<T, W>(group, &there, Some(&definitions), None)
}

/// By row: the names of some of its moves.
fn put_moves<W: Write + Send>(
    columns: &Columns,
    group: &mut Group<W>,
    rows: &[Row],
    best: bool,
) -> Result<(), ParquetError> {
    let solution = columns.source.solution();
    let (mut names, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let before = names.len();
        for choice in row.chosen(best) {
            repetitions.push(i16::from(names.len() > before));
            definitions.push(1);
            names.push(ByteArray::from(choice.name(solution)));
        }
        if names.len() == before {
            repetitions.push(0);
            definitions.push(0);
        }
    }
    put::<ByteArrayType, W>(group, &names, Some(&definitions), Some(&repetitions))
}

/// The error of an export. If a write failed, it is the error of the system.
fn failed(error: ParquetError) -> ExportError {
    ExportError::Write(match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(inner) => io::Error::other(inner.to_string()),
        },
        other => io::Error::other(other.to_string()),
    })
}
