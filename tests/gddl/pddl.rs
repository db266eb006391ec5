//! A small evaluator of PDDL with action costs, written from the language alone: states are sets of atoms as texts. It
//! shares nothing with the solver, and is as slow as it is plain.

use std::collections::{BTreeMap, BTreeSet};

/// A state: the atoms that hold, each as its words.
pub type State = BTreeSet<Vec<String>>;

#[derive(Debug, Clone)]
enum Tree {
    Word(String),
    List(Vec<Tree>),
}

impl Tree {
    fn word(&self) -> &str {
        match self {
            Tree::Word(word) => word,
            Tree::List(_) => panic!("a word is expected: {self:?}"),
        }
    }

    fn list(&self) -> &[Tree] {
        match self {
            Tree::List(parts) => parts,
            Tree::Word(_) => panic!("a list is expected: {self:?}"),
        }
    }

    fn head(&self) -> &str {
        self.list().first().map_or("", |first| if let Tree::Word(word) = first { word } else { "" })
    }
}

struct Action {
    name: String,
    parameters: Vec<(String, String)>,
    precondition: Tree,
    effect: Tree,
}

/// A domain and a problem.
pub struct Task {
    /// Each with its type.
    objects: Vec<(String, String)>,
    /// By type: the type above it.
    above: BTreeMap<String, String>,
    actions: Vec<Action>,
    /// Rules for derived predicates.
    derived: Vec<Derivation>,
    pub initial: State,
    values: BTreeMap<Vec<String>, u64>,
    goal: Tree,
    /// Costs count; otherwise each action costs 1.
    metric: bool,
}

type Bound = BTreeMap<String, String>;

/// Head, parameters with their types, and condition.
type Derivation = (Tree, Vec<(String, String)>, Tree);

/// What the actions of a state are: the words of each, its cost, and the state after it.
pub type Step = (Vec<String>, u64, State);

impl Task {
    pub fn new(domain: &str, problem: &str) -> Task {
        let nothing = Tree::List(Vec::new());
        let mut task = Task {
            objects: Vec::new(),
            above: BTreeMap::new(),
            actions: Vec::new(),
            derived: Vec::new(),
            initial: State::new(),
            values: BTreeMap::new(),
            goal: nothing.clone(),
            metric: false,
        };
        for section in [domain, problem].into_iter().flat_map(|text| parse(text).list()[2..].to_vec()) {
            let parts = &section.list()[1..];
            match section.head() {
                ":types" => task.above.extend(typed(parts)),
                ":constants" | ":objects" => task.objects.extend(typed(parts)),
                ":action" => {
                    let part =
                        |name: &str| parts.iter().position(|part| matches!(part, Tree::Word(word) if word == name));
                    let after = |name: &str| part(name).map_or(nothing.clone(), |at| parts[at + 1].clone());
                    task.actions.push(Action {
                        name: parts[0].word().to_owned(),
                        parameters: typed(after(":parameters").list()),
                        precondition: after(":precondition"),
                        effect: after(":effect"),
                    });
                }
                ":derived" => {
                    let parameters = typed(&parts[0].list()[1..]);
                    let variables = parameters.iter().map(|(variable, _)| Tree::Word(variable.clone()));
                    let head = parts[0].list()[..1].iter().cloned().chain(variables).collect();
                    task.derived.push((Tree::List(head), parameters, parts[1].clone()));
                }
                ":init" => parts.iter().for_each(|fact| match fact.head() {
                    "=" => {
                        let value = fact.list()[2].word().parse().expect("a whole number");
                        task.values.insert(words(&fact.list()[1], &Bound::new()), value);
                    }
                    _ => task.initial.extend([words(fact, &Bound::new())]),
                }),
                ":goal" => task.goal = parts[0].clone(),
                ":metric" => task.metric = true,
                _ => {}
            }
        }
        task
    }

    pub fn is_goal(&self, state: &State) -> bool {
        self.holds(&self.goal, &Bound::new(), &self.closed(state))
    }

    /// A state with all that is derived in it.
    fn closed(&self, state: &State) -> State {
        let mut closed = state.clone();
        loop {
            let mut more = State::new();
            for (head, parameters, body) in &self.derived {
                let bindings = self.bindings(parameters, &Bound::new());
                let found = bindings.iter().filter(|bound| self.holds(body, bound, &closed));
                more.extend(found.map(|bound| words(head, bound)));
            }
            let before = closed.len();
            closed.extend(more);
            if closed.len() == before {
                return closed;
            }
        }
    }

    /// All that can be done in a state.
    pub fn steps(&self, state: &State) -> Vec<Step> {
        let mut found = Vec::new();
        let closed = self.closed(state);
        for action in &self.actions {
            for bound in self.applicable(action, &closed) {
                if self.holds(&action.precondition, &bound, &closed) {
                    let arguments = action.parameters.iter().map(|(variable, _)| bound[variable].clone());
                    let name = std::iter::once(action.name.clone()).chain(arguments).collect();
                    let (cost, after) = self.done(&action.effect, &bound, state, &closed);
                    found.push((name, cost, after));
                }
            }
        }
        found
    }

    /// Bindings of the parameters of an action, without most of those for which a fact of its precondition is missing:
    /// parameters are bound one after the other, and what is bound is looked up.
    fn applicable(&self, action: &Action, closed: &State) -> Vec<Bound> {
        let parts = match action.precondition.head() {
            "and" => &action.precondition.list()[1..],
            _ => std::slice::from_ref(&action.precondition),
        };
        let known = ["and", "or", "not", "imply", "=", "forall", "exists", ""];
        let facts: Vec<&Tree> = parts.iter().filter(|part| !known.contains(&part.head())).collect();
        let fits = |bound: &Bound| {
            facts.iter().all(|fact| {
                let pattern: Vec<Option<String>> = fact.list()[1..]
                    .iter()
                    .map(|term| match term.word() {
                        variable if variable.starts_with('?') => bound.get(variable).cloned(),
                        object => Some(object.to_owned()),
                    })
                    .collect();
                let is_it = |words: &Vec<String>| {
                    words[0] == fact.head()
                        && words[1..]
                            .iter()
                            .zip(&pattern)
                            .all(|(word, known)| known.as_ref().is_none_or(|known| known == word))
                };
                closed.iter().any(is_it)
            })
        };
        let mut found = vec![Bound::new()];
        for parameter in &action.parameters {
            let with = |bound: Bound| self.bindings(std::slice::from_ref(parameter), &bound);
            found = found.into_iter().flat_map(with).filter(fits).collect();
        }
        found
    }

    /// Follows a plan file from the initial state: one action in parentheses a line, all letters small, comments after `;`,
    /// of which the last says the cost. Returns the cost and the number of actions, or what is wrong.
    pub fn validate(&self, file: &str) -> Result<(u64, usize), String> {
        let lines: Vec<&str> = file.lines().collect();
        let (comment, actions) = lines.split_last().ok_or("an empty file")?;
        let (mut state, mut cost) = (self.initial.clone(), 0);
        for line in actions {
            let inner = line.strip_prefix('(').and_then(|line| line.strip_suffix(')'));
            let inner = inner.filter(|inner| !inner.contains(['(', ')'])).ok_or(format!("no action: {line}"))?;
            if inner.chars().any(char::is_uppercase) {
                return Err(format!("large letters: {line}"));
            }
            if self.is_goal(&state) {
                return Err("the goal holds before the end".to_owned());
            }
            let words: Vec<&str> = inner.split(' ').collect();
            let step = self.steps(&state).into_iter().find(|(name, ..)| *name == words);
            let (_, own, after) = step.ok_or(format!("not applicable: {line}"))?;
            cost += own;
            state = after;
        }
        if !self.is_goal(&state) {
            return Err("the goal does not hold at the end".to_owned());
        }
        let unit = self.has_unit_costs();
        let told = format!("; cost = {cost} ({} cost)", if unit { "unit" } else { "general" });
        match *comment == told && file.ends_with('\n') {
            true => Ok((cost, actions.len())),
            false => Err(format!("the last line is {comment:?} instead of {told:?}")),
        }
    }

    /// Whether every action that is possible in some reachable state costs 1.
    fn has_unit_costs(&self) -> bool {
        if !self.metric {
            return true;
        }
        let (mut known, mut open) = (BTreeSet::from([self.initial.clone()]), vec![self.initial.clone()]);
        while let Some(state) = open.pop() {
            for (_, cost, after) in self.steps(&state) {
                if cost != 1 {
                    return false;
                }
                if known.insert(after.clone()) {
                    open.push(after);
                }
            }
        }
        true
    }

    fn is_of(&self, ty: &str, wanted: &str) -> bool {
        let mut ty = ty;
        while ty != wanted {
            match self.above.get(ty) {
                Some(above) if above != ty => ty = above,
                _ => return wanted == "object",
            }
        }
        true
    }

    fn bindings(&self, variables: &[(String, String)], outer: &Bound) -> Vec<Bound> {
        let mut found = vec![outer.clone()];
        for (variable, ty) in variables {
            let with = |bound: Bound| {
                let objects = self.objects.iter().filter(|(_, of)| self.is_of(of, ty));
                objects.map(move |(object, _)| {
                    let mut bound = bound.clone();
                    bound.insert(variable.clone(), object.clone());
                    bound
                })
            };
            found = found.into_iter().flat_map(with).collect();
        }
        found
    }

    fn holds(&self, condition: &Tree, bound: &Bound, state: &State) -> bool {
        let parts = condition.list();
        let holds = |part: &Tree| self.holds(part, bound, state);
        match condition.head() {
            "" => true,
            "and" => parts[1..].iter().all(holds),
            "or" => parts[1..].iter().any(holds),
            "not" => !holds(&parts[1]),
            "imply" => !holds(&parts[1]) || holds(&parts[2]),
            "=" => value(&parts[1], bound) == value(&parts[2], bound),
            "forall" => {
                self.bindings(&typed(parts[1].list()), bound).iter().all(|bound| self.holds(&parts[2], bound, state))
            }
            "exists" => {
                self.bindings(&typed(parts[1].list()), bound).iter().any(|bound| self.holds(&parts[2], bound, state))
            }
            _ => state.contains(&words(condition, bound)),
        }
    }

    /// The cost and the state after an effect, whose conditions are those of the closed state: what is added and deleted at once holds.
    fn done(&self, effect: &Tree, bound: &Bound, state: &State, closed: &State) -> (u64, State) {
        let (mut added, mut deleted, mut cost) = (Vec::new(), Vec::new(), 0);
        self.effect(
            effect,
            bound,
            closed,
            &mut |atom, adds| if adds { added.push(atom) } else { deleted.push(atom) },
            &mut cost,
        );
        let mut after = state.clone();
        after.retain(|atom| !deleted.contains(atom));
        after.extend(added);
        (if self.metric { cost } else { 1 }, after)
    }

    fn effect(
        &self,
        effect: &Tree,
        bound: &Bound,
        state: &State,
        change: &mut dyn FnMut(Vec<String>, bool),
        cost: &mut u64,
    ) {
        let parts = effect.list();
        match effect.head() {
            "" => {}
            "and" => parts[1..].iter().for_each(|part| self.effect(part, bound, state, change, cost)),
            "not" => change(words(&parts[1], bound), false),
            "forall" => {
                for bound in self.bindings(&typed(parts[1].list()), bound) {
                    self.effect(&parts[2], &bound, state, change, cost);
                }
            }
            "when" if !self.holds(&parts[1], bound, state) => {}
            "when" => self.effect(&parts[2], bound, state, change, cost),
            "increase" => *cost += self.amount(&parts[2], bound),
            _ => change(words(effect, bound), true),
        }
    }

    fn amount(&self, amount: &Tree, bound: &Bound) -> u64 {
        if let Tree::Word(number) = amount {
            return number.parse().expect("a whole number");
        }
        let parts = || amount.list()[1..].iter().map(|part| self.amount(part, bound));
        match amount.head() {
            "+" => parts().sum(),
            "*" => parts().product(),
            _ => self.values[&words(amount, bound)],
        }
    }
}

fn value(term: &Tree, bound: &Bound) -> String {
    let word = term.word();
    bound.get(word).map_or(word, String::as_str).to_owned()
}

fn words(atom: &Tree, bound: &Bound) -> Vec<String> {
    atom.list().iter().map(|part| value(part, bound)).collect()
}

/// `a b - c d`: each name with its type, which is `object` where none is written.
fn typed(parts: &[Tree]) -> Vec<(String, String)> {
    let (mut found, mut names, mut parts) = (Vec::new(), Vec::new(), parts.iter());
    while let Some(part) = parts.next() {
        if part.word() == "-" {
            let ty = parts.next().expect("a type").word();
            found.extend(names.drain(..).map(|name| (name, ty.to_owned())));
        } else {
            names.push(part.word().to_owned());
        }
    }
    found.extend(names.into_iter().map(|name| (name, "object".to_owned())));
    found
}

fn parse(text: &str) -> Tree {
    let text: String = text.lines().map(|line| line.split(';').next().unwrap_or("").to_lowercase() + " ").collect();
    let text = text.replace('(', " ( ").replace(')', " ) ");
    let mut open = vec![Vec::new()];
    for word in text.split_whitespace() {
        match word {
            "(" => open.push(Vec::new()),
            ")" => {
                let list = Tree::List(open.pop().expect("parentheses match"));
                open.last_mut().expect("parentheses match").push(list);
            }
            word => open.last_mut().expect("a list").push(Tree::Word(word.to_owned())),
        }
    }
    open.remove(0).remove(0)
}
