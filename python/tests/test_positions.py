"""Values, moves and play: by brute force, and as on the command line."""

from __future__ import annotations

import pickle
import random
import sys
from pathlib import Path

import pytest

import ggsolve
from conftest import GAMES, MATCHES, ROUND, STUBBORN, run, solved

Value = tuple[int, ...]


def rank(model: str, mover: int, value: Value) -> tuple[int, int]:
    others = sum(value) - value[mover]
    return (value[mover], -others) if model == "max-own" else (value[mover] - others, value[mover])


def brute_force(solution: ggsolve.Solution, goals: dict[ggsolve.Position, Value]) -> None:
    """Looks at every position that play leads to; values come from the terminal ones alone."""
    position = solution.start
    stack, roles, model = [position], solution.roles, solution.opponent_model
    while stack:
        position = stack[-1]
        if position in goals:
            stack.pop()
            continue
        moves = position.moves
        if not moves:
            assert position.terminal and position.to_move is None and position.value is not None
            goals[position] = tuple(map(int, position.value))
            continue
        open_ones = [after for after in (move.after for move in moves) if after not in goals]
        if open_ones:
            stack.extend(open_ones)
            continue
        mover = roles.index(moves[0].role)
        ranks = {move.move: rank(model, mover, goals[move.after]) for move in moves}
        best = max(ranks.values())
        goals[position] = next(goals[move.after] for move in moves if ranks[move.move] == best)
        assert position.value == goals[position], position
        assert not position.terminal and position.to_move == moves[0].role
        assert position.forced == (len(moves) == 1)
        for move in moves:
            assert move.value == goals[move.after]
            assert position.play(move) == move.after == position.play(str(move))
            assert move.optimal == (ranks[move.move] == best)
        assert [ranks[move.move] for move in moves] == sorted(ranks.values(), reverse=True)


@pytest.mark.parametrize(
    ("game", "model"),
    [
        (MATCHES, "max-own"),
        ("clobber_1x6.gdl", "max-own"),
        ("clobber_1x6.gddl", "max-diff"),
        ("tictactoe.gdl", "max-own"),
        ("nim40.gdl", "max-diff"),
    ],
)
def test_values_are_those_of_brute_force(game: str, model: str) -> None:
    solution = solved(game, model)
    goals: dict[ggsolve.Position, Value] = {}
    brute_force(solution, goals)
    assert len(goals) == solution.states
    # A state that lies in several layers counts in each.
    for bucket in solution.buckets if solution.report["progress_measure"] else ():
        assert bucket["states"] == sum(value == bucket["rewards"] for value in goals.values())


def test_endless_play_has_no_value() -> None:
    """Where both lose by giving up, they go on for ever."""
    solution = solved(STUBBORN)
    assert solution.value is None and solution.start.distance() is None
    assert [(move.move, move.value, move.optimal) for move in solution.start.moves] == [
        ("push", None, True),
        ("yield", (0, 60), False),
    ]
    line = solution.line()
    assert [str(move) for move in line] == ["push", "push"], "up to where a position comes again"
    assert line[-1].after == solution.start and line[-1].after.layer == 2
    assert solution.values([solution.start, line[0].after]).tolist() == [[-1, -1], [-1, -1]]
    leaving = solved(ROUND)
    assert leaving.value == (30,) and [str(move) for move in leaving.line()] == ["(go 2)", "(go out)"]


def test_values_that_are_no_equilibrium_are_told() -> None:
    """Where giving up pays both, both settle for it, and either would gain if it pushed on."""
    solution = solved(STUBBORN.replace("(goal a 0) (true (lost a))", "(goal a 20) (true (lost a))").replace(
        "(goal b 0) (true (lost b))", "(goal b 20) (true (lost b))"))
    assert solution.report["not_best"] == 2 and "not_best" not in solved(STUBBORN).report
    start = solution.start
    assert start.not_best and start.query()["not_best"] and not start.play("yield").not_best
    assert [(move.move, move.value, move.keeps_value, move.worth_more) for move in start.moves] == [
        ("push", (70, 20), False, True),
        ("yield", (20, 60), True, False),
    ]
    page = start._repr_html_()
    assert "<td>keeps</td><td>yield</td>" in page and "<td>more</td><td>push</td>" in page


@pytest.mark.parametrize("game", ["tictactoe.gdl", "clobber_3x4.gdl", "nim40.gdl", "hanoi.gdl"])
def test_queries_are_those_of_the_command_line(game: str) -> None:
    solution, generator = solved(game), random.Random(1)
    positions, lines = [], []
    for _ in range(20):
        position, played = solution.start, []
        for _ in range(generator.randrange(12)):
            if position.terminal:
                break
            move = generator.choice(position.moves)
            played.append(str(move))
            position = position.play(move)
        positions.append(position)
        lines.append(" ".join(played))
        assert position == solution.position(moves=lines[-1]) == solution.position(moves=played)
        assert position == solution.position(state=position.state) == solution.position(state=" ".join(position.state))
        assert hash(position) == hash(solution.position(state=position.state))
    expected = run("query", solution.folder, "--moves", "-", text="".join(f"{line}\n" for line in lines))
    for position, found in zip(positions, expected):
        assert position.query() == found
        moves = [
            {"move": move.move, "role": move.role, "joint": list(move.joint), "value": list(move.value or ()),
             "keeps_value": move.keeps_value, "optimal": move.optimal, **({"same_as": move.same_as} if move.same_as else {})}
            for move in position.moves
        ]
        assert moves == found["moves"]
        assert list(position.state) == found["state"] and position.layer == found["layer"]
        assert (position.to_move, position.terminal, position.forced) == (
            found["to_move"],
            found["terminal"],
            found["forced"],
        )


def test_distances_come_with_the_best_moves() -> None:
    position = solved("tictactoe.gdl").start.play("(mark 1 1) (mark 1 2)")
    assert position.distance() == ggsolve.Distance(5, True) == (5, True)
    by_distance = position.moves_by_distance()
    assert [move.distance for move in by_distance[:3]] == [(5, True)] * 3 and by_distance[3].distance is None
    assert position.query(distance=True)["distance"] == {"plies": 5, "exact": True}
    cut = solved("tictactoe.gdl").start.distance(nodes=1)
    assert cut is not None and not cut.exact
    assert solved("tictactoe.gdl").start.distance(nodes=10**40) == (9, True)


@pytest.mark.parametrize(
    ("game", "moves"), [("tictactoe.gdl", ""), ("tictactoe.gdl", "(mark 1 1)"), ("clobber_3x4.gdl", ""), ("blocks.gdl", "")]
)
def test_reasons_are_those_of_the_command_line(game: str, moves: str) -> None:
    solution = solved(game)
    position, expected = solution.position(moves=moves), run("query", solution.folder, "--moves", moves, "--why")
    assert position.query(why=True) == expected and "line" not in position.query()
    why = position.why()
    assert list(why.line.moves) == expected["line"]["moves"] and why.line.ends and why.line.exact
    worse = [move for move in expected["moves"] if "gives_away" in move]
    assert [(reason.move, reason.gives_away) for reason in why.reasons] == [
        (move["move"], move["gives_away"]) for move in worse
    ]
    for reason, move in zip(why.reasons, worse):
        assert reason.role == position.to_move and reason.answer is None
        assert (reason.follows is None) == ("same_as" in move)
        if reason.follows is not None:
            after = position.play(reason.move)
            ended = after.play(reason.follows.moves)
            assert ended.terminal and ended.value == after.value != position.value
            assert after.distance() == (len(reason.follows.moves), True)
    assert position.play(why.line.moves).value == position.value


def test_reasons_where_play_can_go_on_for_ever() -> None:
    why = solved(STUBBORN).start.why()
    assert not why.line.ends and why.line.moves == ("push", "push")
    assert [(reason.move, reason.gives_away, reason.follows) for reason in why.reasons] == [
        ("yield", "endless", ggsolve.Line((), True, True))
    ]


def test_lines_keep_the_value() -> None:
    solution = solved("clobber_3x4.gdl")
    line = solution.line()
    assert all(move.optimal and move.value == solution.value for move in line)
    assert line[-1].after.terminal and solution.position(moves=line).terminal
    assert solution.start.line(most=2) == line[:2]


def test_boards_are_cells_and_text() -> None:
    position = solved("tictactoe.gdl").start.play("(mark 1 3)")
    board = position.board
    assert board is not None
    assert (board.columns, board.rows) == (("1", "2", "3"), ("1", "2", "3"))
    assert board.cells[2][0] == "x" and board.cells[0][2] == "." and board.others == ("(control oplayer)",)
    assert str(board) == board.text == str(position) and board.text.startswith("3 | x . .\n")
    assert "<table>" in board._repr_html_() and "oplayer to move" in position._repr_html_()
    assert solved(ROUND).start.board is None and str(solved(ROUND).start) == "(at 1)\n"
    assert "<script" not in ggsolve.solve(MATCHES.replace("turn", "<script>")).start._repr_html_()


def test_moves_of_many_kinds_are_played() -> None:
    start = solved("tictactoe.gdl").start
    first, second = start.play("(mark 1 1)"), start.play("(mark 2 2)")
    assert start.play([start.moves[0]]).layer == 1 and start.play("") == start and start.play([]) == start
    assert first.play(["(mark 2 2)", "( MARK  3 3 )"]) == first.play("(mark 2 2)").play("(mark 3 3)")
    move = next(move for move in first.moves if str(move) == "(mark 3 3)")
    assert second.play(move).state == second.play("(mark 3 3)").state, "a move is played by its name elsewhere"
    assert len({move for move in first.moves} | {move for move in first.moves}) == 8
    assert move != "(mark 3 3)" and first != move and move in first.moves


def test_what_is_shown_is_short() -> None:
    solution = solved("tictactoe.gdl")
    assert repr(solution) == "<Solution of tictactoe: 50/50 for xplayer, oplayer>"
    assert repr(solution.start) == "<Position of tictactoe in layer 0: xplayer to move, 50/50>"
    assert repr(solution.start.play("(mark 1 1)").moves[0]) == "<Move (mark 2 2) of oplayer: 50/50, optimal>"
    assert "5,478 states" in solution._repr_html_()
    ended = solved(MATCHES).position(state="(left 0) (turn b)")
    assert repr(ended) == "<Position of game in layer 5: play is over, 100/0>" or ended.layer in (3, 5)


def test_positions_are_pickled_with_their_solution() -> None:
    position = solved("tictactoe.gdl").start.play("(mark 1 1)")
    again = pickle.loads(pickle.dumps([position, position.solution]))
    assert again[0].solution is again[1] and again[0].solution is not position.solution
    assert (again[0].state, again[0].value) == (position.state, position.value)
    assert again[0] == position and len({position, *again[:1]}) == 1, "the same state of the same game"


def test_positions_of_two_solutions_of_a_game_are_equal(tmp_path: Path) -> None:
    out = tmp_path / "kept.ggs"
    with ggsolve.solve(GAMES / "tictactoe.gdl", out=out) as solved_here, ggsolve.open(out) as opened:
        one, other = (solution.start.play("(mark 1 1) (mark 2 2)") for solution in (solved_here, opened))
        assert one == other and hash(one) == hash(other) and {one: 1}[other] == 1
        assert one.moves == other.moves and set(one.moves) == set(other.moves)
        assert one.play(other.moves[0]) == other.moves[0].after
        assert (opened.values([one]) == solved_here.values([other])).all()
        assert one != opened.start and one != solved(MATCHES).start


def test_parentheses_of_a_single_move_may_be_left_out() -> None:
    start = solved("tictactoe.gdl").start
    assert start.play("mark 1 1") == start.play("(mark 1 1)")
    assert start.play(["mark 1 1", "mark 2 2"]) == start.play("(mark 1 1) (mark 2 2)")
    with pytest.raises(ggsolve.PositionError, match=r"neither mark nor \(mark 9 9\) is a legal move of xplayer"):
        start.play("mark 9 9")


def test_reference_cycles_keep_nothing() -> None:
    solution = ggsolve.solve(MATCHES)
    handle = solution._handle
    before = sys.getrefcount(handle)
    positions = [solution.start.play("(take 1)") for _ in range(1000)]
    del positions
    assert sys.getrefcount(handle) == before


def test_stored_distances_are_those_that_a_search_finds() -> None:
    with ggsolve.solve(GAMES / "tictactoe.gdl", distances=True) as solution:
        position = solution.start.play("(mark 1 1) (mark 1 2)")
        assert (solution.start.plies, position.plies) == (9, 5)
        assert [move.plies for move in position.moves] == [5, 5, 5, 7, 7, 7, 7]
        assert position.query()["plies"] == 5
        assert position.moves[0].after.plies == 4
    assert solved("tictactoe.gdl").start.plies is None
