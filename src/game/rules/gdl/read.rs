//! Reads sentences from S-expressions, with findings for expressions that do not have the form of GDL (Love, Hinrichs
//! and Genesereth 2006; `grammar/gdl.ebnf`). Every expression is read as far as it is understood, so that one run
//! reports all mistakes.

use super::keyword::{Keyword, keyword};
use crate::diagnostic::{Diagnostic, Severity, Source, has_errors, quote};
use crate::rules::check::safety::without_influence;
use crate::rules::check::usage::operator;
use crate::rules::dependencies::Dependencies;
use crate::rules::sentence::{Atom, Formula, Rulesheet, Sentence, Term};
use crate::rules::{Predicate, SymbolTable};
use crate::syntax::{Kind, NodeId, Span, Tree, all};
use base::digits::counted;
use std::ops::Range;

pub fn rulesheet(source: &Source, tree: &Tree, diagnostics: &mut Vec<Diagnostic>) -> Rulesheet {
    let symbols = SymbolTable::default();
    let mut reader = Reader { source, tree, diagnostics, symbols, old_form: Vec::new(), unread: Vec::new() };
    if let Some(span) = infix(source, tree) {
        let message = "rules in infix form, as in Prolog";
        reader.error("infix-form", span, message, "only the prefix form is read: `(role x)`, `(<= head condition …)`");
        // A slip in a rulesheet in prefix form hides no other findings.
        let is_prefix = |&root: &NodeId| {
            tree.kind(root) == Kind::List
                && tree.children(root).next().is_some_and(|first| {
                    let word = keyword(source.slice(tree.span(first)));
                    matches!(word, Some(Keyword::Implies | Keyword::Relation(Predicate::Role | Predicate::Init)))
                })
        };
        if !tree.roots().iter().any(is_prefix) {
            return Rulesheet { symbols: reader.symbols, sentences: Vec::new(), costs: None };
        }
    }
    let mut sentences: Vec<Sentence> = tree.roots().iter().filter_map(|&root| reader.sentence(root)).collect();
    // Warnings on what is not listed would be in vain. What a condition asks for stays.
    let mut asked = Vec::new();
    sentences.iter().for_each(|sentence| sentence.each_condition(&mut |atom, _| asked.push(atom.predicate)));
    reader.old_form.retain(|predicate| !asked.contains(predicate));
    sentences.retain(|sentence| !reader.old_form.contains(&sentence.head.predicate));
    let Reader { symbols, unread, .. } = reader;
    let sheet = Rulesheet { symbols, sentences, costs: None };
    leave_out(&sheet, unread, diagnostics);
    sheet
}

/// Makes findings of rules that could not be read warnings, if there are no other errors and the game does not depend
/// on what these rules define. `unread`: the heads of these rules, and the places of their findings in `diagnostics`.
fn leave_out(sheet: &Rulesheet, unread: Vec<(Predicate, Range<usize>)>, diagnostics: &mut [Diagnostic]) {
    let others = |index: &usize| !unread.iter().any(|(_, findings)| findings.contains(index));
    if unread.is_empty() || (0..diagnostics.len()).filter(others).any(|index| has_errors(&diagnostics[index..=index])) {
        return;
    }
    let heads = sheet.sentences.iter().map(|sentence| sentence.head.predicate);
    let used = Dependencies::new(sheet).reachable(heads.filter(|predicate| predicate.keyword().is_some()));
    for (head, findings) in unread.into_iter().filter(|(head, _)| head.keyword().is_none() && !used.contains(head)) {
        for finding in &mut diagnostics[findings] {
            finding.severity = Severity::Warning;
            finding.message = without_influence(&finding.message, &quote(head.name(&sheet.symbols)));
        }
    }
}

/// The first word of GDL that takes arguments and has them behind it, such as `role(x)`.
fn infix(source: &Source, tree: &Tree) -> Option<Span> {
    tree.roots().windows(2).find_map(|roots| {
        let [word, list] = [roots[0], roots[1]].map(|root| (tree.kind(root), tree.span(root)));
        let adjoin = word.0 == Kind::Name && list.0 == Kind::List && word.1.end == list.1.start;
        let takes_some = |predicate: Predicate| predicate.keyword().is_some_and(|(_, wanted)| wanted > 0);
        let is_word = matches!(keyword(source.slice(word.1)), Some(Keyword::Relation(word)) if takes_some(word));
        (adjoin && is_word).then_some(word.1)
    })
}

struct Reader<'a> {
    source: &'a Source,
    tree: &'a Tree,
    diagnostics: &'a mut Vec<Diagnostic>,
    symbols: SymbolTable,
    /// Those of `base` and `input` that are in the form of old rulesheets.
    old_form: Vec<Predicate>,
    /// The heads of rules and facts with variables in place of names, with the places of the findings.
    unread: Vec<(Predicate, Range<usize>)>,
}

/// The code of variables where names are expected.
const MISPLACED: &str = "misplaced-variable";

impl<'a> Reader<'a> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, advice: &str) {
        self.diagnostics.push(Diagnostic::error(code, span, message).with_advice(advice));
    }

    fn text(&self, node: NodeId) -> &'a str {
        self.source.slice(self.tree.span(node))
    }

    fn children(&self, node: NodeId) -> Vec<NodeId> {
        self.tree.children(node).collect()
    }

    /// The first word of a list with its arguments, or a word alone.
    fn parts(&mut self, node: NodeId, what: &str) -> Option<(&'a str, Vec<NodeId>)> {
        let span = self.tree.span(node);
        let mut arguments = match self.tree.kind(node) {
            Kind::List => self.children(node),
            _ => vec![node],
        };
        if arguments.is_empty() {
            self.error("empty-list", span, format!("`()` where {what} is expected"), "remove it or fill it");
            return None;
        }
        let first = arguments.remove(0);
        match self.tree.kind(first) {
            Kind::Name => Some((self.text(first), arguments)),
            Kind::Variable if arguments.is_empty() && first == node => {
                let message = format!("variable {} where {what} is expected", quote(self.text(first)));
                self.error(MISPLACED, span, message, "variables stand for objects, never for relations");
                None
            }
            Kind::Variable => {
                let message = format!("variable {} as the name of a relation or function", quote(self.text(first)));
                // Other languages write the sign between the operands: `(?x != ?y)`.
                let signs = arguments.iter().filter(|&&node| self.tree.kind(node) == Kind::Name);
                let advice = signs.map(|&node| self.text(node)).find_map(operator);
                let advice = advice.unwrap_or("names of relations and functions are fixed: write a name");
                self.error(MISPLACED, self.tree.span(first), message, advice);
                None
            }
            Kind::Keyword => {
                let message = format!("{} is not a word of GDL", quote(self.text(first)));
                let advice = match self.text(first) {
                    ":-" => "rules are written `(<= head condition …)`, facts `(relation argument …)`",
                    _ => "`:` starts keywords of PDDL only",
                };
                self.error("foreign-keyword", self.tree.span(first), message, advice);
                None
            }
            Kind::List => {
                let message = format!("{what} starts with a name, not with `(`");
                self.error("missing-name", self.tree.span(first), message, "remove a parenthesis or add the name");
                None
            }
        }
    }

    fn sentence(&mut self, node: NodeId) -> Option<Sentence> {
        let span = self.tree.span(node);
        if self.tree.kind(node) == Kind::List {
            let members = self.children(node);
            let first = members.first().copied();
            if first.is_some_and(|first| self.tree.kind(first) == Kind::Name && self.text(first) == "<=") {
                let Some(&head) = members.get(1) else {
                    self.error("missing-head", span, "a rule without a head", "write `(<= head condition …)`");
                    return None;
                };
                let before = self.diagnostics.len();
                let (atom, body) = (self.head(head), all(members[2..].iter().map(|&part| self.formula(part))));
                let read = atom.zip(body);
                if read.is_none() {
                    self.note_unread(head, before);
                }
                return read.map(|(head, body)| Sentence { head, body, span });
            }
        }
        let before = self.diagnostics.len();
        let head = self.head(node);
        if head.is_none() {
            self.note_unread(node, before);
        }
        head.map(|head| Sentence { head, body: Vec::new(), span })
    }

    /// Notes a sentence that cannot be read, if its findings, from `before` on, are only variables in place of names.
    fn note_unread(&mut self, head: NodeId, before: usize) {
        let findings = before..self.diagnostics.len();
        let members = self.children(head);
        let name = members.first().copied().unwrap_or(head);
        let is_relation = self.tree.kind(name) == Kind::Name && keyword(self.text(name)).is_none();
        if is_relation && self.diagnostics[findings.clone()].iter().all(|finding| finding.code == MISPLACED) {
            let name = self.symbols.intern(self.text(name));
            let arguments = members.len().saturating_sub(1) as u32;
            self.unread.push((Predicate::Relation(name, arguments), findings));
        }
    }

    fn head(&mut self, node: NodeId) -> Option<Atom> {
        let span = self.tree.span(node);
        let (name, arguments) = self.parts(node, "a fact or the head of a rule")?;
        match keyword(name) {
            Some(Keyword::Relation(predicate @ (Predicate::True | Predicate::Does))) => {
                let advice = match predicate {
                    Predicate::True => "what holds at first is `init`, what holds after a move is `next`",
                    _ => "`does` is what players choose; what they may choose is `legal`",
                };
                let message = format!("{} can only be a condition", quote(name));
                self.error("keyword-in-head", span, message, advice);
                None
            }
            Some(Keyword::Relation(predicate @ (Predicate::Base | Predicate::Input)))
                if predicate.keyword().is_some_and(|(_, wanted)| arguments.len() != wanted) =>
            {
                // Old rulesheets list the arguments of each fluent: `(base cell (x 1 2) (y 1 2))`.
                if !self.old_form.contains(&predicate) {
                    self.old_form.push(predicate);
                    let number = counted(arguments.len(), "argument");
                    let message = format!("{} with {number} is left out, with all others", quote(name));
                    let advice = "it tells what may hold or be done, on which play does not depend: the standard has \
                                  `(base fluent)` and `(input role move)`";
                    self.diagnostics.push(Diagnostic::warning("keyword-arity", span, message).with_advice(advice));
                }
                None
            }
            Some(Keyword::Relation(predicate)) => self.keyword_atom(predicate, &arguments, span),
            Some(Keyword::Sees) => self.sees(span),
            Some(Keyword::Implies) => self.rule_inside(span),
            Some(Keyword::Arrow) => self.arrow(name, span),
            Some(Keyword::And | Keyword::Or | Keyword::Not | Keyword::Distinct) => {
                let message = format!("{} can only be a condition", quote(name));
                self.error("keyword-in-head", span, message, "a head is one relation; write a rule for each");
                None
            }
            None => self.relation(name, &arguments, span),
        }
    }

    fn formula(&mut self, node: NodeId) -> Option<Formula> {
        let span = self.tree.span(node);
        let (name, arguments) = self.parts(node, "a condition")?;
        match keyword(name) {
            Some(Keyword::And | Keyword::Or | Keyword::Not | Keyword::Distinct)
                if self.tree.kind(node) == Kind::Name =>
            {
                let message = format!("{} without parentheses", quote(name));
                let advice = match keyword(name) {
                    Some(Keyword::Not) => "it stands first in a list with its condition: `(not a)`",
                    Some(Keyword::Distinct) => "it stands first in a list with two terms: `(distinct a b)`",
                    _ => "operators stand first in a list with their conditions: `(or a b)`",
                };
                self.error("missing-parenthesis", span, message, advice);
                None
            }
            Some(word @ (Keyword::And | Keyword::Or)) => {
                let parts = all(arguments.iter().map(|&part| self.formula(part)))?;
                Some(if word == Keyword::And { Formula::And(parts, span) } else { Formula::Or(parts, span) })
            }
            Some(Keyword::Not) => {
                if arguments.len() != 1 {
                    self.wrong_arity("not", 1, arguments.len(), span, "negate several with `(not (and …))`");
                    return None;
                }
                Some(Formula::Not(Box::new(self.formula(arguments[0])?), span))
            }
            Some(Keyword::Distinct) => {
                let terms = self.terms(&arguments)?;
                let number = terms.len();
                let Ok([left, right]) = <[Term; 2]>::try_from(terms) else {
                    self.wrong_arity("distinct", 2, number, span, "write one `distinct` for each pair");
                    return None;
                };
                Some(Formula::Distinct(left, right, span))
            }
            Some(Keyword::Relation(Predicate::Next)) => {
                let message = "`next` can only be the head of a rule";
                let advice = match arguments.len() {
                    1 => "say what makes it so in a relation of its own, and use that here and under `next`",
                    _ => "the word takes one fluent: a relation of your own needs another name",
                };
                self.error("keyword-in-body", span, message, advice);
                None
            }
            Some(Keyword::Relation(Predicate::Init)) => {
                let message = "`init` can only be the head of a rule";
                self.error("keyword-in-body", span, message, "what holds now is `true`");
                None
            }
            Some(Keyword::Relation(predicate)) => self.keyword_atom(predicate, &arguments, span).map(Formula::Atom),
            Some(Keyword::Sees) => self.sees(span),
            Some(Keyword::Implies) => self.rule_inside(span),
            Some(Keyword::Arrow) => self.arrow(name, span),
            None => self.relation(name, &arguments, span).map(Formula::Atom),
        }
    }

    fn sees<T>(&mut self, span: Span) -> Option<T> {
        let message = "`sees` belongs to GDL-II, games with hidden information";
        self.error("gdl-ii", span, message, "only games with complete information can be solved; if each role sees all that happens, leave out the rules \
             for `sees`");
        None
    }

    fn arrow<T>(&mut self, name: &str, span: Span) -> Option<T> {
        let message = format!("{} is not a word of GDL", quote(name));
        self.error(
            "foreign-keyword",
            span,
            message,
            "rules are written `(<= head condition …)`: what follows comes first",
        );
        None
    }

    fn rule_inside<T>(&mut self, span: Span) -> Option<T> {
        let advice = "rules stand one after the other: is a parenthesis missing before?";
        self.error("misplaced-rule", span, "a rule inside a rule", advice);
        None
    }

    fn wrong_arity(&mut self, name: &str, wanted: usize, given: usize, span: Span, advice: &str) {
        let message = format!("`{name}` takes {}, here it has {given}", counted(wanted, "argument"));
        self.error("keyword-arity", span, message, advice);
    }

    fn keyword_atom(&mut self, predicate: Predicate, arguments: &[NodeId], span: Span) -> Option<Atom> {
        let arguments = self.terms(arguments)?;
        if let Some((name, wanted)) = predicate.keyword()
            && arguments.len() != wanted
        {
            let advice = match predicate {
                Predicate::Role => "write `(role name)`",
                Predicate::Init | Predicate::True | Predicate::Next | Predicate::Base => {
                    "it takes one fluent: put a fluent with arguments into parentheses of its own; a relation of your \
                     own needs another name"
                }
                Predicate::Does | Predicate::Legal | Predicate::Input => "it takes a role and a move",
                Predicate::Goal => "it takes a role and a number from 0 to 100",
                _ => "write the word alone",
            };
            self.wrong_arity(name, wanted, arguments.len(), span, advice);
        }
        Some(Atom { predicate, arguments, span })
    }

    fn relation(&mut self, name: &str, arguments: &[NodeId], span: Span) -> Option<Atom> {
        let arguments = self.terms(arguments)?;
        let predicate = Predicate::Relation(self.symbols.intern(name), arguments.len() as u32);
        Some(Atom { predicate, arguments, span })
    }

    fn terms(&mut self, nodes: &[NodeId]) -> Option<Vec<Term>> {
        all(nodes.iter().map(|&node| self.term(node)))
    }

    fn term(&mut self, node: NodeId) -> Option<Term> {
        let span = self.tree.span(node);
        match self.tree.kind(node) {
            Kind::Variable => Some(Term::Variable(self.symbols.intern(self.text(node)), span)),
            _ => {
                let (name, arguments) = self.parts(node, "a term")?;
                self.check_function(name, self.tree.kind(node) == Kind::List, span)?;
                let name = self.symbols.intern(name);
                let arguments = self.terms(&arguments)?;
                // `(c)` is read as the constant c.
                Some(if arguments.is_empty() {
                    Term::Constant(name, span)
                } else {
                    Term::Function(name, arguments, span)
                })
            }
        }
    }

    /// Reports a keyword as a function. Logical operators and `<=` are certainly in the wrong place.
    fn check_function(&mut self, name: &str, is_list: bool, span: Span) -> Option<()> {
        match keyword(name) {
            Some(Keyword::Implies) => {
                let advice = "rules stand one after the other: is a parenthesis missing before?";
                self.error("misplaced-rule", span, "`<=` inside a term", advice);
                None
            }
            Some(
                Keyword::And
                | Keyword::Or
                | Keyword::Not
                | Keyword::Distinct
                | Keyword::Relation(Predicate::True | Predicate::Does),
            ) if is_list => {
                let message = format!("{} inside a term", quote(name));
                self.error("keyword-in-term", span, message, "conditions stand side by side, not inside terms");
                None
            }
            Some(Keyword::Relation(_)) if is_list => {
                let message = format!("{} inside a term is an ordinary function here", quote(name));
                let advice = "if that is meant, another name is clearer";
                self.diagnostics.push(Diagnostic::warning("keyword-in-term", span, message).with_advice(advice));
                Some(())
            }
            _ => Some(()),
        }
    }
}
