//! Clobber on any board, with zero-sum or general rewards.

use super::text::{facts, numbered, successors};

/// `per_token`: what the winner gets for each of its tokens left (at most 100 in all); without it, 100.
pub fn rules(rows: usize, columns: usize, per_token: Option<usize>) -> String {
    let rows_text = numbered("row", rows);
    let columns_text = numbered("column", columns);
    let most = (rows * columns).div_ceil(2);
    let tokens = (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column)));
    let start = facts(tokens.map(|(row, column)| {
        let colour = if (row + column) % 2 == 0 { "white" } else { "black" };
        format!("(init (cell {row} {column} {colour}))")
    }));
    let (rewards, numbers, goals) = match per_token {
        None => ("100".to_owned(), successors(1, rows.max(columns)), "(<= (goal ?p 100) (won ?p))".to_owned()),
        Some(each) => {
            let worth = facts((0..=most).map(|count| format!("(worth {count} {})", (each * count).min(100))));
            (
                format!("{each} for each of its tokens left"),
                successors(0, most.max(rows).max(columns)),
                format!("\n{}", general_goals(rows, columns, &worth)),
            )
        }
    };
    let reward_argument = per_token.map_or("zero-sum".to_owned(), |each| each.to_string());
    format!(
        "\
;;; Clobber on a board of {rows} x {columns} (rows x columns).
;;; The players move one of their tokens onto an adjacent one of the opponent in turn, which is removed.
;;; Who cannot move has lost and gets 0; the winner gets {rewards}.
;;; Written by: ggsolve generate clobber {rows} {columns} {reward_argument}

(role white)
(role black)

(opponent white black)
(opponent black white)

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

;; Moves: the player in control moves from ?r ?c onto the opponent's token on ?s ?d.

(<= (input ?p (move ?r ?c ?s ?d)) (role ?p) (adjacent ?r ?c ?s ?d))
(<= (input ?p noop) (role ?p))

(<= (attacks ?p ?r ?c ?s ?d)
    (opponent ?p ?q)
    (adjacent ?r ?c ?s ?d)
    (true (cell ?r ?c ?p))
    (true (cell ?s ?d ?q)))

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

(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))

;; The end: the player in control cannot move.

(<= (can_move ?p)
    (attacks ?p ?r ?c ?s ?d))

(<= terminal
    (true (control ?p))
    (not (can_move ?p)))

(<= (goal ?p 0)
    (true (control ?p)))
(<= (won ?p)
    (opponent ?p ?q)
    (true (control ?q)))
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
