use super::*;
use base::limits::Limits;
use game::matrix::Rational;
use game::reward::{OpponentModel, Ranking};

fn value(text: &str) -> Value {
    Value::parse(text).expect("a value")
}

fn decide(ranking: Ranking, choices: &[u32], after: &[&str]) -> Result<Decision, Undecided> {
    let after: Vec<Value> = after.iter().map(|text| value(text)).collect();
    let stage = Stage { choices, after: &after.iter().collect::<Vec<_>>() };
    let [decision, alone] = [true, false].map(|mixed| ranking.decide(&stage, mixed, &Limits::unlimited()));
    assert_eq!(alone.map(|decision| decision.value), decision.clone().map(|decision| decision.value));
    decision
}

const OWN: Ranking = Ranking::Each(OpponentModel::MaxOwn);
const LEAD: Ranking = Ranking::Each(OpponentModel::MaxDiff);

#[test]
fn who_chooses_alone_takes_the_best_by_exact_comparison() {
    let third = ["1/3 5", "3333/10000 0", "1/3 4"];
    let found = decide(OWN, &[3, 1], &third).unwrap();
    assert_eq!(found.value, value("1/3 4"));
    assert_eq!(found.strategies[0].as_ref().unwrap()[2], Rational::from_integer(1.into()));
    assert_eq!(decide(LEAD, &[3, 1], &third).unwrap().value, value("3333/10000 0"));
    assert_eq!(decide(OWN, &[1, 3], &third).unwrap().value, value("1/3 5"));
    // Three players. If own rewards and sums are equal, the mover prefers that the next player gets little.
    assert_eq!(decide(OWN, &[2, 1, 1], &["1/2 30 10", "1/2 20 20"]).unwrap().value, value("1/2 20 20"));
}

#[test]
fn two_who_choose_at_the_same_time_mix() {
    let found = decide(OWN, &[2, 2], &["100 0", "0 100", "0 100", "60 40"]).unwrap();
    assert_eq!(found.value, value("75/2 125/2"));
    let strategy: Vec<String> = found.strategies[0].iter().flatten().map(Rational::to_string).collect();
    assert_eq!(strategy, ["3/8", "5/8"]);
    // The player without a choice gets the same in every case.
    let found = decide(OWN, &[2, 1, 2], &["10 7 0", "0 7 10", "0 7 10", "10 7 0"]).unwrap();
    assert_eq!((found.value, &found.strategies[1]), (value("5 7 5"), &None));
}

#[test]
fn what_has_no_single_value_is_told() {
    let general = decide(OWN, &[2, 2], &["1 1", "0 3", "3 0", "2 2"]);
    assert!(matches!(general, Err(Undecided::General { players: [0, 1], .. })), "{general:?}");
    let concerned = decide(OWN, &[2, 2, 1], &["1 0 5", "0 1 5", "0 1 6", "1 0 5"]);
    assert!(matches!(concerned, Err(Undecided::Concerned { other: 2, .. })), "{concerned:?}");
    // The sum over all players is constant, but the sum over the two who choose is not.
    let shifted = decide(OWN, &[2, 2, 1], &["2 0 5", "0 1 6", "0 1 6", "2 0 5"]);
    assert!(matches!(shifted, Err(Undecided::General { players: [0, 1], .. })), "{shifted:?}");
    let several = decide(OWN, &[2, 2, 2], &["1 1 1", "0 1 1", "1 1 1", "1 1 1", "1 1 1", "1 1 1", "1 1 1", "1 1 1"]);
    assert_eq!(several, Err(Undecided::Several { players: vec![0, 1, 2] }));
    // The third player's choice changes no value; in the last game, no player's choice does.
    let idle = ["1 0 3", "1 0 3", "0 1 3", "0 1 3", "0 1 3", "0 1 3", "1 0 3", "1 0 3"];
    let found = decide(OWN, &[2, 2, 2], &idle).unwrap();
    assert_eq!((found.value, found.strategies.len()), (value("1/2 1/2 3"), 3));
    assert!(found.strategies.iter().all(Option::is_some));
    assert_eq!(decide(OWN, &[2, 2], &["1 7", "1 7", "1 7", "1 7"]).unwrap().value, value("1 7"));
}

#[test]
fn one_plays_against_all_others() {
    let after = ["1 0 0", "0 0 0", "0 0 0", "1 0 0"];
    assert_eq!(decide(Ranking::Against(0), &[1, 2, 2], &after).unwrap().value, value("0 0 0"));
    assert_eq!(decide(Ranking::Against(0), &[2, 1, 2], &after).unwrap().value, value("1/2 0 0"));
    let after = ["0 0 4", "0 0 1", "0 0 1", "0 0 3"];
    let found = decide(Ranking::Against(2), &[1, 2, 2], &after).unwrap();
    assert_eq!(found.value, value("0 0 11/5"));
    let strategy: Vec<String> = found.strategies[2].iter().flatten().map(Rational::to_string).collect();
    assert_eq!(strategy, ["2/5", "3/5"]);
}

#[test]
fn values_are_written_in_one_way() {
    for text in ["0", "100 1/3", "175/4 225/4 0"] {
        assert_eq!(value(text).to_string(), text);
    }
    for wrong in ["", "1 ", "2/4", "1/0", "-1", "+1", "01", "1.5", "1/1", "a"] {
        assert_eq!(Value::parse(wrong), None, "{wrong}");
    }
    let json = serde_json::to_string(&value("175/4 50")).unwrap();
    assert_eq!(json, "[\"175/4\",50]");
    let shown = |of: &str| text(&value(of).numbers()[0]);
    assert_eq!([shown("175/4"), shown("50"), shown("1/3")], ["175/4 (43.75)", "50", "1/3 (about 0.333333)"]);
    // From 41 digits of the denominator on, counted and not estimated.
    let long = |zeros: usize| format!("1/1{}1", "0".repeat(zeros));
    assert_eq!(shown(&long(38)), format!("{} (about 0)", long(38)));
    assert_eq!(shown(&long(39)), "about 0 (a fraction of some 41 digits)");
    let table = Table(vec![(value("1/2 1"), 3), (value("2 0"), 1)], Vec::new());
    assert_eq!(Table::parse(&table.text(), 2), Some(table));
    for wrong in ["3 2 0\n1 1/2 1\n", "3 1/2 1", "x 1 1\n"] {
        assert_eq!(Table::parse(wrong, 2), None, "{wrong}");
    }
    assert_eq!(Value::mean([&value("1 2"), &value("2 4"), &value("0 0")].into_iter()), value("1 2"));
    // A value with rounds occurs once with each combination of them.
    let rounds = |numbers: &[Option<u32>]| numbers.to_vec().into_boxed_slice();
    let text = "3 0 1 : - 2\n1 1/2 1 : 3 0\n5 1/2 1 : 3 4\n";
    let table = Table::parse(text, 2).unwrap();
    assert_eq!(table.1, [rounds(&[None, Some(2)]), rounds(&[Some(3), Some(0)]), rounds(&[Some(3), Some(4)])]);
    assert_eq!(
        table.values().map(|(value, states)| (value.clone(), states)).collect::<Vec<_>>(),
        [(value("0 1"), 3), (value("1/2 1"), 6)]
    );
    assert_eq!(table.text(), text);
    for wrong in [
        "3 0 1 : 1 2\n",
        "3 0 1 : - -\n",
        "3 0 1 : -\n",
        "3 0 1 : - 02\n",
        "3 0 1 : - 2\n1 1 1\n",
        "1 1 1 : 3 4\n1 1 1 : 3 4\n",
    ] {
        assert_eq!(Table::parse(wrong, 2), None, "{wrong}");
    }
}
