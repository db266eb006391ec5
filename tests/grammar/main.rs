//! The grammars say exactly what the parsers accept: texts that are derived from them are accepted, and changed texts
//! are accepted by both or by neither.

mod ebnf;
mod gddl;
mod gdl;
mod language;
