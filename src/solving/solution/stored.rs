//! A solution in its folder.
//!
//! Opening reads the manifest and grounds the rules. The file of a layer is mapped on first use. A lookup reads one
//! node per level. Only small files are compared with their checksums. Damaged files lead to errors.

use super::sample::{Among, Populations};
use super::{Codec, ReadError, Values, Worth};
use crate::exact::{Rounds, Table, Value};
use crate::store::manifest::{LayerRecord, Progress};
use crate::store::{self, Book, Kind, LayerFile, LayerValues, Manifest, Mapped, Settled, StoreError};
use base::limits::Limits;
use base::random::Random;
use base::scratch::TemporaryFolder;
use game::diagnostic::Source;
use game::ending::Endings;
use game::ground::{GroundError, GroundOptions, ground};
use game::interpreter::State;
use game::propositional::{Game, GroundTerm, RoleId};
use game::reward::{OpponentModel, Ranking};
use game::rules::Language;
use num_bigint::BigUint;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// An exact value, and by player its round where states repeat.
pub type ExactWorth<'s> = (&'s Value, Option<&'s Rounds>);

#[derive(Debug)]
pub struct Stored {
    folder: PathBuf,
    pub manifest: Manifest,
    pub game: Arc<Game>,
    /// The fluents that hold in every state, which the game does not contain; empty if the game was given.
    pub constant: Vec<GroundTerm>,
    /// The rewards that the rules name; if the game was given, those that it can give.
    pub rewards: Vec<u8>,
    pub codec: Codec,
    ranking: Ranking,
    endings: Endings,
    layers: Vec<Files>,
    /// The values of all states, if they were solved together; loaded on first use.
    settled: OnceLock<Settled>,
    pub(super) book: Option<Book>,
    pub(super) populations: Populations,
    _temporary: Option<TemporaryFolder>,
}

#[derive(Debug, Default)]
struct Files {
    states: OnceLock<Mapped>,
    values: OnceLock<LayerValues>,
    table: OnceLock<Table>,
}

impl Stored {
    pub fn open(folder: &Path, limits: &Limits) -> Result<Stored, ReadError> {
        Stored::open_with(folder, None, limits)
    }

    /// As [`Stored::open`], with `game` in place of the folder's rules. Fails if its fluents or roles differ.
    pub fn open_with(folder: &Path, game: Option<Game>, limits: &Limits) -> Result<Stored, ReadError> {
        let stored = Stored::open_without_book(folder, game, limits)?;
        let book = Book::open(folder, &stored.manifest)?;
        Ok(Stored { book, ..stored })
    }

    pub fn open_without_book(folder: &Path, game: Option<Game>, limits: &Limits) -> Result<Stored, ReadError> {
        let manifest = Manifest::load(folder)?;
        let given = game.is_some();
        let (game, constant, rewards) = match game {
            Some(game) => {
                let rewards = game.goals.iter().flatten().map(|&(reward, _)| reward).collect();
                (game, Vec::new(), rewards)
            }
            None => rules(folder, &manifest, limits)?,
        };
        let path = folder.join(store::manifest::NAME);
        let damaged = |what: String| match given {
            true => StoreError::foreign(folder, format!("a solution, but not of these rules: {what}")),
            false => StoreError::damaged(&path, what),
        };
        if manifest.roles != game.player_names() {
            return Err(damaged("the roles are not those of the rules".to_owned()).into());
        }
        let defaults = manifest.defaults.iter().map(|default| (default.fluent.as_str(), default.unless.as_slice()));
        let codec = Codec::new(&game, &manifest.variables, defaults).map_err(damaged)?;
        let ranking = manifest.ranking().unwrap_or(Ranking::Each(OpponentModel::default()));
        let game = Arc::new(match ranking {
            Ranking::Each(_) => game,
            Ranking::Against(role) => game.of_one(RoleId(role as u32)),
        });
        let layers = manifest.layers.iter().map(|_| Files::default()).collect();
        let endings = manifest.endings();
        let (folder, settled, populations) = (folder.to_owned(), OnceLock::new(), Populations::default());
        Ok(Stored {
            folder,
            manifest,
            game,
            constant,
            rewards,
            codec,
            ranking,
            endings,
            layers,
            settled,
            book: None,
            populations,
            _temporary: None,
        })
    }

    /// As [`Stored::open`], for a folder inside a temporary folder, which is removed when the solution is dropped.
    pub fn temporary(around: TemporaryFolder, folder: &Path, limits: &Limits) -> Result<Stored, ReadError> {
        let stored = Stored::open(&around.path().join(folder), limits)?;
        Ok(Stored { _temporary: Some(around), ..stored })
    }

    /// The order of rewards; the default if no values were requested, or if one role plays against all others.
    pub fn model(&self) -> OpponentModel {
        self.ranking.model()
    }

    pub fn ranking(&self) -> Ranking {
        self.ranking
    }

    pub fn endings(&self) -> &Endings {
        &self.endings
    }

    pub fn guarantee(&self, role: RoleId) -> Result<Option<Stored>, ReadError> {
        let Some(own) = store::guarantee_beside(&self.folder, &self.manifest, role.index())? else { return Ok(None) };
        let folder = store::guarantee_folder(&self.folder, role.index());
        let complete = own.phase == Progress::Complete;
        if !complete {
            tracing::info!("{}: unfinished, left aside", folder.display());
        }
        let game = Game::clone(&self.game);
        complete.then(|| Stored::open_with(&folder, Some(game), &Limits::unlimited())).transpose()
    }

    fn record(&self, layer: u32) -> Option<&LayerRecord> {
        self.manifest.layers.get(layer as usize)
    }

    /// `None` if there is no such layer.
    pub fn states(&self, layer: u32) -> Result<Option<&Mapped>, ReadError> {
        let Some(record) = self.record(layer) else { return Ok(None) };
        let open = || {
            let file = self.manifest.file(&self.folder, &record.states_file, Kind::States, layer);
            let states = Mapped::new(file.open()?)?;
            self.check_levels(states.file())?;
            states.file().expect_lookups();
            Ok(states)
        };
        once(&self.layers[layer as usize].states, open).map(Some)
    }

    /// `None` if there are no values (yet).
    pub fn layer_values(&self, layer: u32) -> Result<Option<&LayerValues>, ReadError> {
        let Some(record) = self.record(layer) else { return Ok(None) };
        let Some(file) = &record.values_file else { return Ok(None) };
        let open = || {
            let values = LayerValues::new(self.manifest.values_file(&self.folder, file, layer).open()?)?;
            self.check_levels(values.file())?;
            values.file().expect_lookups();
            if let LayerValues::Ranked(ranked) = &values
                && (ranked.file().header().nodes, BigUint::from(ranked.states()))
                    != (record.nodes, record.states.clone())
            {
                return Err(ranked.file().damaged("not the ranks of the layer's states").into());
            }
            Ok(values)
        };
        once(&self.layers[layer as usize].values, open).map(Some)
    }

    /// The values of all states, if they were solved together; `None` if there are none (yet).
    pub fn settled(&self) -> Result<Option<&Settled>, ReadError> {
        let Some(record) = &self.manifest.settled else { return Ok(None) };
        let open = || {
            let settled = Settled::open(&self.folder, record, &self.manifest)?;
            settled.diagrams().try_for_each(|diagram| self.check_levels(diagram.file()))?;
            Ok(settled)
        };
        once(&self.settled, open).map(Some)
    }

    /// The value of a state (one bit per level) that was solved with all others; `None` if it is unreachable.
    pub fn settled_worth(&self, assignment: &[bool]) -> Result<Option<Worth<'_>>, ReadError> {
        let rounds = self.manifest.settled.as_ref().map_or(0, |settled| settled.rounds);
        let Some(settled) = self.settled()? else { return Err(ReadError::Unsettled { rounds }) };
        let Some(id) = settled.value_of(assignment)? else { return Ok(None) };
        let (round, rewards) = (settled.round_of(assignment)?, &self.manifest.rewards);
        let value = rewards.get(id as usize - 1).map(Vec::as_slice);
        if id as usize > rewards.len() + 1 || round.is_some() != value.is_some() || round >= Some(rounds) {
            return Err(ReadError::Damaged(format!("a state has the value {id} and was settled in round {round:?}")));
        }
        let plies = settled.plies_of(assignment)?;
        let late = plies > round && value.is_some_and(|value| !self.model().yields(value));
        if plies.is_some() != (value.is_some() && settled.plies().is_some()) || late {
            return Err(ReadError::Damaged(format!(
                "a state settled in round {round:?} is {plies:?} plies from the end"
            )));
        }
        Ok(Some(Worth { value, round, plies }))
    }

    /// The exact value of a state, given as one bit per level, with its rounds where states repeat; `None` if the layer
    /// has no such state. Where states repeat, any layer may have it.
    pub fn exact_worth(&self, layer: u32, assignment: &[bool]) -> Result<Option<ExactWorth<'_>>, ReadError> {
        let Some(layer) = self.exact_layer(layer, assignment)? else { return Ok(None) };
        let (Some(id), Some(table)) = (self.value_id(layer, assignment)?, self.table(layer)?) else { return Ok(None) };
        let place = (id as usize).checked_sub(1).filter(|&place| place < table.0.len());
        let place = place.ok_or_else(|| ReadError::Damaged(format!("layer {layer} has a value {id}")))?;
        Ok(Some((&table.0[place].0, table.1.get(place))))
    }

    /// The layer that has a state. Where states repeat, the layer of a position is the number of plies that led there,
    /// and successors are hardly ever nearer to the start by more than a few.
    fn exact_layer(&self, layer: u32, assignment: &[bool]) -> Result<Option<u32>, ReadError> {
        if !self.manifest.goes_round() {
            return Ok(Some(layer));
        }
        let near = (layer + 1).min(self.layers());
        for layer in (0..near).rev().chain(near..self.layers()) {
            if self.states(layer)?.map_or(Ok(false), |states| states.contains(assignment))? {
                return Ok(Some(layer));
            }
        }
        if self.manifest.phase == Progress::Forward { Err(self.unfinished(layer)) } else { Ok(None) }
    }

    /// The exact values that occur in a layer; `None` if there are none (yet).
    pub fn table(&self, layer: u32) -> Result<Option<&Table>, ReadError> {
        let Some(file) = self.record(layer).and_then(|record| record.numbers_file.as_ref()) else { return Ok(None) };
        let open = || {
            let text = store::read_numbers(&self.manifest.file(&self.folder, file, Kind::Numbers, layer))?;
            let table = Table::parse(&text, self.manifest.roles.len());
            let goes_round = self.manifest.goes_round();
            let table = table.filter(|table| !table.0.is_empty() && table.1.is_empty() != goes_round);
            let damaged = || StoreError::damaged(&self.folder.join(&file.name), "no exact values, ascending");
            Ok(table.ok_or_else(damaged)?)
        };
        once(&self.layers[layer as usize].table, open).map(Some)
    }

    fn value_id(&self, layer: u32, assignment: &[bool]) -> Result<Option<u32>, ReadError> {
        let Some(states) = self.states(layer)? else { return self.check_layer(layer).map(|()| None) };
        match self.layer_values(layer)? {
            Some(values) => Ok(values.value_of(states, assignment)?),
            None if states.contains(assignment)? => Err(self.unfinished(layer)),
            None => Ok(None),
        }
    }

    fn check_levels(&self, file: &LayerFile) -> Result<(), ReadError> {
        if file.header().levels as usize == self.manifest.variables.len() {
            return Ok(());
        }
        Err(file.damaged("a diagram with other levels than the game").into())
    }

    /// `None` if no assignment represents the state.
    pub(super) fn book_key(&self, state: &State) -> Option<Vec<u8>> {
        self.codec.assignment(state).map(|assignment| store::book_key(&assignment))
    }

    pub(super) fn booked_state(&self, key: &[u8]) -> Option<State> {
        let levels = self.manifest.variables.len();
        let bit = |level: usize| Some(key.get(level / 8)? >> (7 - level % 8) & 1 == 1);
        let assignment: Option<Vec<bool>> = (0..levels).map(bit).collect();
        assignment.map(|assignment| self.codec.state(&assignment))
    }

    pub(super) fn unfinished(&self, layer: u32) -> ReadError {
        let solved = self.manifest.layers.iter().find(|layer| layer.values_file.is_some()).map(|layer| layer.layer);
        ReadError::Unfinished { layer, solved }
    }

    /// The value of a state, given as one bit per level; `None` if the layer has no such state.
    pub fn layer_worth(&self, layer: u32, assignment: &[bool]) -> Result<Option<Worth<'_>>, ReadError> {
        if self.manifest.is_exact() {
            return Err(ReadError::Exact);
        }
        let Some(id) = self.value_id(layer, assignment)? else { return Ok(None) };
        let (rewards, plies) = (self.endings.rewards(id), self.endings.plies(id, layer));
        if rewards.is_none() || plies.is_some() != self.endings.is_timed() {
            return Err(ReadError::Damaged(format!("layer {layer} has a value {id}")));
        }
        Ok(Some(Worth { value: rewards, round: None, plies }))
    }
}

fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, ReadError>) -> Result<&T, ReadError> {
    match cell.get() {
        Some(known) => Ok(known),
        None => make().map(|made| cell.get_or_init(|| made)),
    }
}

impl Values for Stored {
    fn layers(&self) -> u32 {
        self.manifest.layers.len() as u32
    }

    fn contains(&self, layer: u32, state: &State) -> Result<bool, ReadError> {
        match (self.states(layer)?, self.codec.assignment(state)) {
            (Some(states), Some(assignment)) => Ok(states.contains(&assignment)?),
            _ => Ok(false),
        }
    }

    fn stored(&self) -> Option<&Stored> {
        Some(self)
    }

    fn states_among(&self, layer: u32, among: Among) -> Result<BigUint, ReadError> {
        Ok(self.among(layer, among)?.1)
    }

    fn draw(&self, layer: u32, among: Among, random: &mut Random, limits: &Arc<Limits>) -> Result<State, ReadError> {
        let assignment = self.draw_assignment(layer, among, random, limits)?;
        Ok(self.codec.state(&assignment))
    }

    fn each(
        &self,
        layer: u32,
        limits: &Arc<Limits>,
        visit: &mut dyn FnMut(State) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        self.among(layer, Among::All)?;
        let Some(states) = self.states(layer)? else { return Ok(()) };
        let states = states.diagram(limits)?;
        let mut elements = states.elements();
        let mut assignment = vec![false; self.manifest.variables.len()];
        while let Some((levels, _)) = elements.next_element() {
            assignment.fill(false);
            levels.iter().for_each(|level| assignment[level.index()] = true);
            if visit(self.codec.state(&assignment)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn last_layer(&self, value: &[u8]) -> Option<u32> {
        if self.by_rounds() {
            return None;
        }
        let has = |layer: &&LayerRecord| {
            let mut buckets = layer.buckets.iter().flatten();
            buckets.any(|bucket| bucket.rewards.as_deref() == Some(value) && bucket.states != BigUint::ZERO)
        };
        self.manifest.layers.iter().rev().find(has).map(|layer| layer.layer)
    }

    fn by_rounds(&self) -> bool {
        self.manifest.is_global()
    }

    fn worth(&self, layer: u32, state: &State) -> Result<Option<Worth<'_>>, ReadError> {
        let Some(assignment) = self.codec.assignment(state) else { return self.check_layer(layer).map(|()| None) };
        let worth = if self.by_rounds() {
            let worth = self.settled_worth(&assignment)?;
            let settled = self.manifest.settled.as_ref();
            match (worth, settled.filter(|_| self.manifest.phase != Progress::Complete)) {
                (Some(Worth { round: None, .. }), Some(settled)) => {
                    return Err(ReadError::Unsettled { rounds: settled.rounds });
                }
                _ => worth,
            }
        } else {
            self.layer_worth(layer, &assignment)?
        };
        let booked = self.book.as_ref().filter(|_| worth.is_some_and(|worth| worth.plies.is_none()));
        let plies = booked.and_then(|book| book.plies_of(&assignment));
        Ok(worth.map(|worth| Worth { plies: worth.plies.or(plies), ..worth }))
    }

    fn check_layer(&self, layer: u32) -> Result<(), ReadError> {
        let everywhere = self.by_rounds() || self.manifest.goes_round();
        match (everywhere || layer < self.layers(), self.manifest.phase) {
            (true, _) => Ok(()),
            (false, Progress::Forward) => Err(self.unfinished(layer)),
            (false, _) => Err(ReadError::Damaged(format!("play goes on to layer {layer}, of {}", self.layers()))),
        }
    }
}

/// The propositional game of a folder's rules, the fluents that hold in all its states, and the rewards in the rules.
fn rules(folder: &Path, manifest: &Manifest, limits: &Limits) -> Result<(Game, Vec<GroundTerm>, Vec<u8>), ReadError> {
    let path = folder.join(&manifest.rules_file);
    let bytes = manifest.rules(folder)?;
    let language = Language::named(&manifest.language).ok_or_else(|| {
        StoreError::foreign(folder, format!("rules in {}, which this program does not read", manifest.language))
    })?;
    let (program, diagnostics) = language.program(&Source::new(path.display().to_string(), &bytes));
    let program = program.ok_or_else(|| {
        let message = diagnostics.first().map_or("", |finding| finding.message.as_str());
        StoreError::damaged(&path, format!("the rules are refused: {message}"))
    })?;
    let grounded = |behind: bool| {
        let options = GroundOptions { derived: false, behind, ..GroundOptions::default() };
        match ground(&program, limits, &options) {
            Ok(grounding) => Ok((grounding.game, grounding.constant)),
            // Whoever solved the game had more memory, or grounded it in fewer steps.
            Err(GroundError::Limit(limit) | GroundError::Explosion { reason: limit, .. }) => Err(limit.into()),
            Err(error) => Err(ReadError::from(StoreError::damaged(&path, format!("the rules are refused: {error}")))),
        }
    };
    let (mut game, mut constant) = grounded(false)?;
    if game.fluents.len() < manifest.variables.len() + manifest.defaults.len() {
        (game, constant) = grounded(true)?;
    }
    game.name.clone_from(&manifest.game);
    Ok((game, constant, program.rewards()))
}
