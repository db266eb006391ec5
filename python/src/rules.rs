//! Reads rules from the arguments, and examines them before they are solved.

use crate::bounds;
use crate::failure::usage;
use crate::work;
use ggsolve::{Error, GambitForm, Language, Rules, Session, Source};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// The source of rules: a file, or a text with its name in findings. The problem of GDDL may come from another source.
#[derive(FromPyObject)]
pub struct Game {
    rules: Input,
    problem: Option<Input>,
}

#[derive(FromPyObject)]
enum Input {
    Text(String, String),
    File(PathBuf),
}

impl Input {
    fn source(self, session: &Session, what: &'static str) -> Result<Source, Error> {
        match self {
            Input::Text(name, text) => {
                let source = Source::new(name, text.as_bytes());
                session.check_room(&source)?;
                Ok(source)
            }
            Input::File(path) => session.source(&path, what),
        }
    }
}

impl Game {
    pub fn load(self, session: &Session) -> Result<Rules, Error> {
        let source = self.rules.source(session, "the rules")?;
        let Some(problem) = self.problem else { return Ok(session.load(source)) };
        if Language::of(Path::new(source.name()), source.text()) == Language::Gdl {
            return Err(Error::Options(format!(
                "problem: {} is a game in GDL, which has no problem files",
                source.name()
            )));
        }
        Ok(session.load(Source::joined(source, problem.source(session, "the problem")?)))
    }
}

#[pyfunction]
pub fn check(notify: &Bound<'_, PyAny>, game: Game) -> PyResult<String> {
    work::done(notify, &bounds::limits(None)?, |session| {
        let rules = game.load(session)?;
        Ok(serde_json::to_string(&session.check(&rules)?).expect("a report is plain data"))
    })
}

#[pyfunction]
pub fn ground(notify: &Bound<'_, PyAny>, game: Game, memory: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    work::done(notify, &bounds::limits(memory)?, |session| {
        let rules = game.load(session)?;
        Ok(serde_json::to_string(&session.ground(&rules)?).expect("a report is plain data"))
    })
}

/// The form into which rules are translated.
enum Form {
    Language(Language),
    Gambit(GambitForm),
}

impl Form {
    fn named(name: &str) -> Option<Form> {
        let language = Language::named(name).map(Form::Language);
        language.or_else(|| GambitForm::named(name).map(Form::Gambit))
    }
}

#[pyfunction]
pub fn translate(
    notify: &Bound<'_, PyAny>,
    game: Game,
    to: &str,
    ground: bool,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let to =
        Form::named(to).ok_or_else(|| usage(notify.py(), &format!("to: {to:?} is none of gdl, gddl, efg, nfg")))?;
    if ground && !matches!(to, Form::Language(Language::Gddl)) {
        return Err(usage(notify.py(), "ground: only GDDL is written without parameters"));
    }
    work::done(notify, &bounds::limits(memory)?, |session| {
        let rules = game.load(session)?;
        match to {
            Form::Gambit(form) => session.gambit(&rules, form),
            Form::Language(language) => session.translate(&rules, language, ground),
        }
    })
}
