//! Clobber on any board: for two players with zero-sum or general rewards, or for three.

use super::text::{around, facts, numbered, roles, successors, turns};

/// Who plays, and what they get.
#[derive(Clone, Copy, PartialEq)]
pub enum Rewards {
    /// Two players; the winner gets 100.
    ZeroSum,
    /// Two players; the winner gets so much for each of its tokens left, at most 100 in all.
    PerToken(usize),
    /// Three players; the last one to move gets 100, the one before 50.
    Three,
}

/// The rulesheet.
pub fn rules(rows: usize, columns: usize, rewards: Rewards) -> String {
    let players: &[&str] = if rewards == Rewards::Three { &["white", "grey", "black"] } else { &["white", "black"] };
    let rows_text = numbered("row", rows);
    let columns_text = numbered("column", columns);
    let most = (rows * columns).div_ceil(2);
    let tokens = (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column)));
    let start = facts(tokens.map(|(row, column)| {
        let colour = players[(row + column - 2) % players.len()];
        format!("(init (cell {row} {column} {colour}))")
    }));
    let numbers = match rewards {
        Rewards::PerToken(_) => successors(0, most.max(rows).max(columns)),
        Rewards::ZeroSum | Rewards::Three => successors(1, rows.max(columns)),
    };
    let (title, onto, ends, of_whom, arguments) = match rewards {
        Rewards::Three => (
            "Clobber with three colours",
            "another colour",
            "Play ends where the player in turn cannot move, who gets 0; who moved last gets 100, the third one 50"
                .to_owned(),
            "a token of another player",
            format!("clobber3 {rows} {columns}"),
        ),
        two => {
            let (gets, argument) = match two {
                Rewards::PerToken(each) => (format!("{each} for each of its tokens left"), each.to_string()),
                _ => ("100".to_owned(), "zero-sum".to_owned()),
            };
            (
                "Clobber",
                "the opponent",
                format!("Who cannot move has lost and gets 0; the winner gets {gets}"),
                "the opponent's token",
                format!("clobber {rows} {columns} {argument}"),
            )
        }
    };
    let (after, attacked, goals) = match rewards {
        Rewards::Three => (
            "after",
            "(adjacent ?r ?c ?s ?d)
    (true (cell ?r ?c ?p))
    (true (cell ?s ?d ?q))
    (role ?p)
    (role ?q)
    (distinct ?p ?q))",
            "\
(<= (goal ?p 50)
    (true (control ?q))
    (after ?q ?p))
(<= (goal ?p 100)
    (true (control ?q))
    (after ?p ?q))"
                .to_owned(),
        ),
        two => {
            let reward = match two {
                Rewards::PerToken(each) => {
                    let worth = (0..=most).map(|count| format!("(worth {count} {})", (each * count).min(100)));
                    format!("\n{}", general_goals(rows, columns, &facts(worth)))
                }
                _ => "(<= (goal ?p 100) (won ?p))".to_owned(),
            };
            (
                "opponent",
                "(opponent ?p ?q)
    (adjacent ?r ?c ?s ?d)
    (true (cell ?r ?c ?p))
    (true (cell ?s ?d ?q)))",
                format!("(<= (won ?p)\n    (opponent ?p ?q)\n    (true (control ?q)))\n{reward}"),
            )
        }
    };
    let (roles, after, turns) = (roles(players), around(after, players), turns(players));
    format!(
        "\
;;; {title} on a board of {rows} x {columns} (rows x columns).
;;; The players move one of their tokens onto an adjacent one of {onto} in turn, which is removed.
;;; {ends}.
;;; Written by: ggsolve generate {arguments}

{roles}

{after}

{rows_text}
{columns_text}
{numbers}

(<= (adjacent ?r ?c ?r ?d) (row ?r) (column ?c) (column ?d) (succ ?c ?d))
(<= (adjacent ?r ?c ?r ?d) (row ?r) (column ?c) (column ?d) (succ ?d ?c))
(<= (adjacent ?r ?c ?s ?c) (column ?c) (row ?r) (row ?s) (succ ?r ?s))
(<= (adjacent ?r ?c ?s ?c) (column ?c) (row ?r) (row ?s) (succ ?s ?r))

;; A state: the token in every cell (named after its player, or blank), and who is to move.

(<= (base (cell ?r ?c blank)) (row ?r) (column ?c))
(<= (base (cell ?r ?c ?p)) (row ?r) (column ?c) (role ?p))
(<= (base (control ?p)) (role ?p))

{start}
(init (control white))

;; Moves: the player in control moves from ?r ?c onto {of_whom} on ?s ?d.

(<= (input ?p (move ?r ?c ?s ?d)) (role ?p) (adjacent ?r ?c ?s ?d))
(<= (input ?p noop) (role ?p))

(<= (attacks ?p ?r ?c ?s ?d)
    {attacked}

(<= (legal ?p (move ?r ?c ?s ?d))
    (true (control ?p))
    (attacks ?p ?r ?c ?s ?d))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (left ?r ?c)
    (does ?p (move ?r ?c ?s ?d)))
(<= (entered ?s ?d)
    (does ?p (move ?r ?c ?s ?d)))

(<= (next (cell ?s ?d ?p))
    (does ?p (move ?r ?c ?s ?d)))
(<= (next (cell ?r ?c blank))
    (left ?r ?c))
(<= (next (cell ?r ?c ?content))
    (true (cell ?r ?c ?content))
    (not (left ?r ?c))
    (not (entered ?r ?c)))

{turns}

;; The end: the player in control cannot move.

(<= (can_move ?p)
    (attacks ?p ?r ?c ?s ?d))

(<= terminal
    (true (control ?p))
    (not (can_move ?p)))

(<= (goal ?p 0)
    (true (control ?p)))
{goals}
"
    )
}

/// Goals that count the winner's tokens along the cells in reading order.
fn general_goals(rows: usize, columns: usize, worth: &str) -> String {
    format!(
        ";; The winner's reward. (tokens ?p ?r ?c ?n): ?p has ?n tokens on the cells up to ?r ?c, in reading order.

{worth}

(<= (reads_on ?r ?c ?r ?d) (row ?r) (column ?c) (column ?d) (succ ?c ?d))
(<= (reads_on ?r {columns} ?s 1) (row ?r) (row ?s) (succ ?r ?s))

(<= (tokens ?p 1 1 1)
    (role ?p)
    (true (cell 1 1 ?p)))
(<= (tokens ?p 1 1 0)
    (role ?p)
    (not (true (cell 1 1 ?p))))
(<= (tokens ?p ?s ?d ?m)
    (reads_on ?r ?c ?s ?d)
    (tokens ?p ?r ?c ?n)
    (true (cell ?s ?d ?p))
    (succ ?n ?m))
(<= (tokens ?p ?s ?d ?n)
    (reads_on ?r ?c ?s ?d)
    (tokens ?p ?r ?c ?n)
    (not (true (cell ?s ?d ?p))))

(<= (goal ?p ?reward)
    (won ?p)
    (tokens ?p {rows} {columns} ?n)
    (worth ?n ?reward))"
    )
}
