//! Guarantees: the reward that a role can force against all others together. A guarantee is a solution of the game in
//! which only this role has rewards, stored beside the main solution.

use super::solving::Solving;
use super::{Error, Rules};
use game::diagnostic::Findings;
use game::ground::Grounding;
use game::matrix::Rational;
use game::propositional::RoleId;
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::{Serialize, Serializer};
use serde_json::json;
use solving::exact::{float, number};
use solving::solve::{self, Algorithm, Bucket, Event, ExactValuation, SolveError, SolveOptions};
use solving::store::manifest::{Progress, integer};
use solving::store::{self, Archive, Manifest, Store, StoreError, guarantee_beside};
use std::path::Path;

const ALL: &str = "all";

/// The reward that a role can force against all others together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuaranteeReport {
    /// The reward in the initial state; `None` if the others can make play go on for ever.
    pub value: Option<u8>,
    /// All reachable states by the reward that the role can force.
    pub buckets: Vec<Bucket>,
    /// With exact values, in place of `value` and `buckets`: the average reward, and the states by average reward.
    pub exact: Option<ExactValuation>,
    /// Number of states in which the guarantee equals the role's reward in the main solution; `None` if they were not
    /// counted.
    pub forced: Option<BigUint>,
    /// Number of states in which the two differ; `None` if they were not counted.
    pub open: Option<BigUint>,
}

impl Serialize for GuaranteeReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Number<'a>(#[serde(serialize_with = "number")] &'a Rational);
        #[derive(Serialize)]
        struct Count<'a>(#[serde(with = "integer::optional")] &'a Option<BigUint>);
        let mut told = match &self.exact {
            Some(ExactValuation { value, shares }) => {
                let value = &value.numbers()[0];
                json!({"value": Number(value), "value_float": float(value), "buckets": shares})
            }
            None => json!({"value": self.value, "buckets": self.buckets}),
        };
        told["forced"] = json!(Count(&self.forced));
        told["open"] = json!(Count(&self.open));
        told.serialize(serializer)
    }
}

/// The roles with these names, ascending. A name that no role has may be several ones with commas.
pub(super) fn roles_of(asked: &[String], roles: &[String]) -> Result<Vec<RoleId>, Error> {
    let mut found = Vec::new();
    for name in asked {
        match roles.iter().position(|role| role == name) {
            Some(role) => found.push(RoleId(role as u32)),
            None if name == ALL => found.extend((0..roles.len() as u32).map(RoleId)),
            None if name.contains(',') => {
                let names: Vec<String> = name.split(',').map(str::to_owned).collect();
                found.extend(roles_of(&names, roles)?);
            }
            None => {
                let known = roles.join(", ");
                return Err(Error::Options(format!(
                    "`{name}` is no role with rewards; those are {known} (several with commas, or `all`)"
                )));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

impl Solving<'_> {
    /// By role, the guarantees that the options ask for, beside a complete solution; and whether any guarantee was
    /// computed and not just read. `told`: findings that were reported already.
    pub(super) fn guarantees(
        &self,
        rules: &Rules,
        told: &Findings,
        folder: &Path,
    ) -> Result<(IndexMap<String, GuaranteeReport>, bool), Error> {
        let manifest = Manifest::load(folder).map_err(Error::folder)?;
        let (mut found, mut game, mut computed) = (IndexMap::new(), None, false);
        for role in roles_of(&self.options.guarantees, &manifest.roles)? {
            let name = manifest.roles[role.index()].clone();
            let own = match self.finished_guarantee(folder, &manifest, role)? {
                Some(own) => own,
                None => {
                    computed = true;
                    self.session.listener.event(&Event::Message(format!("what {name} can force against all others")));
                    let game = match &game {
                        Some(game) => game,
                        None => {
                            let (Manifest { game: name, language, .. }, text) = (&manifest, manifest.rules(folder)?);
                            &*game.insert(self.stored_game(rules, name, language, &text, Some(told.clone()))?)
                        }
                    };
                    self.guarantee(folder, &manifest, game, role).map_err(|error| error.unfinished(folder))?
                }
            };
            found.insert(name, GuaranteeReport::of(&own, role));
        }
        Ok((found, computed))
    }

    /// As [`store::check_files`], for the guarantees that the options ask for.
    pub(super) fn check_guarantees(&self, folder: &Path, manifest: &Manifest) -> Result<(), StoreError> {
        // Unknown roles are not checked here; they are refused later.
        for role in roles_of(&self.options.guarantees, &manifest.roles).unwrap_or_default() {
            if let Some(own) = guarantee_beside(folder, manifest, role.index())? {
                store::check_files(&store::guarantee_folder(folder, role.index()), &own)?;
            }
        }
        Ok(())
    }

    /// The manifest of a guarantee; `None` if the guarantee is missing or unfinished.
    fn finished_guarantee(&self, folder: &Path, manifest: &Manifest, role: RoleId) -> Result<Option<Manifest>, Error> {
        let own = guarantee_beside(folder, manifest, role.index()).map_err(Error::folder)?;
        let counted = |own: &Manifest| own.forced.is_some() || manifest.opponent_model.is_none();
        Ok(own.filter(|own| own.phase == Progress::Complete && counted(own)))
    }

    fn guarantee(
        &self,
        folder: &Path,
        manifest: &Manifest,
        (grounding, findings): &(Grounding, Findings),
        role: RoleId,
    ) -> Result<Manifest, Error> {
        let game = grounding.game.clone().of_one(role);
        let players = game.players();
        let rewards = solve::reward_vectors(&game).into_iter().map(|rewards| rewards[..players].to_vec()).collect();
        let mut store = Store::beside(folder, manifest, role.index(), rewards, &self.record, &self.session.limits)
            .map_err(Error::folder)?;
        // The same algorithm is used, because the states are compared with those of the solution.
        let algorithm = match manifest.is_exact() {
            true => None,
            false => Some(if manifest.is_global() { Algorithm::Global } else { Algorithm::Layered }),
        };
        let options = SolveOptions {
            against: Some(role),
            algorithm,
            line: false,
            ties: false,
            distances: false,
            ..self.options.clone()
        };
        let (limits, listener) = (&self.session.limits, &*self.session.listener);
        let error = |error: SolveError| Error::solve(&game.name, error, findings.clone());
        solve::run_stored(&game, &options, &mut store, limits, listener).map_err(error)?;
        let solution = Archive { folder, manifest };
        let counted = match manifest.opponent_model {
            Some(_) => solve::count_forced(role, &solution, &store.archive()?, &options, limits).map(Some),
            None => Ok(None),
        };
        match counted {
            Ok(forced) => forced.map_or(Ok(()), |forced| store.set_forced(forced))?,
            Err(SolveError::Limit(limit)) if limit.is_want_of_room() => {
                let name = &manifest.roles[role.index()];
                let text = format!("the states from which {name} can force its value are not counted: {limit}");
                listener.event(&Event::Notice(text));
            }
            Err(other) => return Err(error(other)),
        }
        store.finish()?;
        Ok(store.archive()?.manifest.clone())
    }
}

/// The guarantees in the folder of a solution: by role those that are complete, and the roles of all others.
pub(super) fn stored_guarantees(
    folder: &Path,
    manifest: &Manifest,
) -> Result<(IndexMap<String, GuaranteeReport>, Vec<String>), Error> {
    let (mut complete, mut unfinished) = (IndexMap::new(), Vec::new());
    for (role, name) in (0u32..).map(RoleId).zip(&manifest.roles) {
        match guarantee_beside(folder, manifest, role.index())? {
            Some(own) if own.phase == Progress::Complete => {
                complete.insert(name.clone(), GuaranteeReport::of(&own, role));
            }
            Some(_) => unfinished.push(name.clone()),
            None => {}
        }
    }
    Ok((complete, unfinished))
}

impl GuaranteeReport {
    /// The manifest must be that of a complete guarantee.
    pub fn of(manifest: &Manifest, role: RoleId) -> GuaranteeReport {
        let layers = solve::stored_layers(manifest, false);
        let exact = solve::exact_valuation(&layers);
        let own = |bucket: Bucket| Bucket { rewards: bucket.rewards.map(|all| vec![all[role.index()]]), ..bucket };
        let layers: Vec<Vec<Bucket>> =
            layers.into_iter().map(|layer| layer.buckets.into_iter().map(own).collect()).collect();
        let buckets = solve::total_buckets(&layers);
        let value = layers.first().and_then(|first| first.first()).and_then(|bucket| bucket.rewards.as_ref());
        let shares = exact.iter().flat_map(|exact| &exact.shares).map(|share| &share.states);
        let states: BigUint = buckets.iter().map(|bucket| &bucket.states).chain(shares).sum();
        let forced = manifest.forced.clone();
        let open = forced.as_ref().filter(|forced| **forced <= states).map(|forced| states - forced);
        GuaranteeReport { value: value.map(|own| own[0]), buckets, exact, forced, open }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_divides_what_is_no_name() {
        let roles = ["a", "b", "a,b"].map(str::to_owned);
        for (asked, expected) in
            [("a,b", vec![2]), ("b,a", vec![0, 1]), ("all", vec![0, 1, 2]), ("b,all", vec![0, 1, 2])]
        {
            let found = roles_of(&[asked.to_owned()], &roles).unwrap();
            assert_eq!(found.into_iter().map(|role| role.0).collect::<Vec<_>>(), expected, "{asked}");
        }
        for asked in ["", "a,", "a,c"] {
            assert!(roles_of(&[asked.to_owned()], &roles).is_err(), "{asked}");
        }
    }
}
