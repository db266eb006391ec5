//! Messages in an order that nobody should send them in, and in bodies that are odd.

use super::disguise::Disguise;
use super::manager::{Manager, Match};
use super::process::Process;
use super::wire::{Dialect, parse, raw, send};
use base::random::Random;
use game::interpreter::{JointMove, Situation};

/// The joint move in which one role makes the move of an answer, and the other its first.
fn with(game: &Match, situation: &Situation, role: usize, answer: &str) -> JointMove {
    let chosen = game.legal(situation, role, answer).unwrap_or_else(|| panic!("{answer} is not legal"));
    let mut joint: JointMove = situation.legal.iter().map(|moves| moves[0]).collect();
    joint[role] = chosen;
    joint
}

#[test]
fn messages_come_late_twice_and_garbled() {
    let player = Process::start(&[]);
    let manager = Manager::shipped("tictactoe");
    let disguise = Disguise::scrambled(&manager.text, Dialect::Base, &mut Random::new(6));
    assert_eq!(player.say("( INFO )"), "((name tester) (status available))");
    assert_eq!(player.say(&format!("(PREVIEW ({}) 10)", disguise.rules())), "ready");
    assert_eq!(player.say("(PLAY m NIL)"), "busy");
    let mut game = manager.begin("m", &disguise);
    let start = game.start(0, (60, 60));
    assert_eq!(player.say(&start), "ready");
    assert_eq!(player.say(&start), "ready");
    assert_eq!(player.say(&start.replace("START m ", "START n ")), "busy");
    assert_eq!(player.say("(info)"), "((name tester) (status busy))");
    assert_eq!(player.say("(STOP n NIL)"), "busy");
    assert_eq!(player.say("(ABORT n)"), "busy");

    let mut random = Random::new(7);
    let mut plies = 0;
    while let Some(situation) = game.open() {
        let message = game.ask("PLAY");
        let answer = player.say(&message);
        assert_eq!(player.say(&message), answer, "the same question has the same answer");
        for garbled in ["(PLAY m (", "(PLAY m ((?x) noop))", "(PLAY (m) NIL)", "(SHUT down)", ""] {
            let reply = send(player.address, Dialect::Base, garbled);
            assert_eq!((reply.status, reply.body.as_str()), (400, "nil"), "{garbled}");
        }
        // Every third answer comes too late for the manager, which goes on with a move of its own.
        let joint = match plies % 3 {
            2 => situation.random_joint_move(&mut random).unwrap(),
            _ => with(&game, &situation, 0, &answer),
        };
        game.make(&joint);
        plies += 1;
    }
    let stop = game.ask("STOP");
    assert_eq!(player.say(&stop), "done");
    assert_eq!(player.say(&stop), "done");
    assert_eq!(player.say(&game.ask("PLAY")), "busy");
    assert_eq!(player.say("(INFO)"), "((name tester) (status available))");
    let log = player.told("m: play is over after");
    assert!(!log.contains("is not legal here") && !log.contains("was not told"), "{log}");

    assert_eq!(player.say(&start), "ready");
    assert_eq!(player.say("(abort m)"), "aborted");
    assert_eq!(player.say("(INFO)"), "((name tester) (status available))");
}

#[test]
fn a_lost_message_and_a_wrong_one_do_not_end_a_match() {
    let player = Process::start(&[]);
    let manager = Manager::shipped("tictactoe");
    let disguise = Disguise::none(&manager.text, Dialect::Base);
    let mut game = manager.begin("m", &disguise);
    assert_eq!(player.say(&game.start(0, (60, 60))), "ready");
    let mut plies = 0;
    while let Some(situation) = game.open() {
        if plies != 2 {
            let answer = player.say(&game.ask("PLAY"));
            let joint = with(&game, &situation, 0, &answer);
            game.make(&joint);
        } else {
            // This request is lost: the player hears of the next moves only.
            let joint = situation.joint_moves().next().unwrap();
            game.make(&joint);
        }
        if plies == 4 {
            let answer = player.say("(PLAY m ((mark 9 9) (mark 9 9)))");
            assert!(answer.starts_with("(mark") || answer == "noop", "{answer}");
        }
        plies += 1;
        // After a lost ply the player knows the position only as far as the moves show it.
        if plies > 5 {
            break;
        }
    }
    assert_eq!(player.say("(STOP m NIL)"), "done");
    player.told("follows a ply that was not told");
    player.told("is not legal here");
}

/// Rules with errors, of a role that is none, without any: the protocol goes on all the same.
#[test]
fn rules_that_cannot_be_played_are_told() {
    let player = Process::start(&[]);
    let playable = "(role a) (init p) (legal a go) (<= terminal (true q)) (goal a 0) (<= (next q) (does a go))";
    for (id, role, rules, told) in [
        ("wrong", "a", "(role a) (<= (p ?x) (not (q ?x)))", "the rules are wrong"),
        ("empty", "a", "", "the rules are wrong"),
        (
            "nobody",
            "b",
            "(role a) (init p) (legal a go) (<= terminal (true q)) (goal a 0) (<= (next q) (does a go))",
            "no role b",
        ),
        (
            "endless",
            "a",
            "(role a) (init (p z)) (legal a go) (<= (next (p (s ?x))) (true (p ?x))) (<= terminal (true q)) (goal a 0)",
            "the game is not grounded",
        ),
    ] {
        assert_eq!(player.say(&format!("(START {id} {role} ({rules}) 2 2)")), "ready", "{id}");
        let answer = player.say(&format!("(PLAY {id} NIL)"));
        // What can be evaluated is played.
        assert_eq!(answer, if id == "endless" { "go" } else { "nil" }, "{id}");
        assert_eq!(player.say(&format!("(STOP {id} (go))")), "done", "{id}");
        player.told(told);
    }
    // The next match takes the place of one that cannot be played, also of the same name, and not that of another.
    for (role, rules, answer) in
        [("a", "(role a) (<= (p ?x) (not (q ?x)))", "nil"), ("b", playable, "nil"), ("a", playable, "go")]
    {
        assert_eq!(player.say("(INFO)"), "((name tester) (status available))");
        assert_eq!(player.say(&format!("(START next {role} ({rules}) 2 2)")), "ready", "{role} {rules}");
        assert_eq!(player.say("(PLAY next NIL)"), answer, "{role} {rules}");
    }
    assert_eq!(player.say("(INFO)"), "((name tester) (status busy))");
    assert_eq!(player.say(&format!("(START other a ({playable}) 2 2)")), "busy");
    assert_eq!(player.say("(STOP next (go))"), "done");
}

/// What is called off because a match or the program ends is not told as a failure.
#[test]
fn the_end_of_a_match_is_no_failure_of_solving_it() {
    let mut player = Process::start(&[]);
    let rules = Manager::shipped("connect4_6x6").text;
    let start = |id: &str| format!("(START {id} red ({rules}) 60 60)");
    for (id, end) in [("stopped", "STOP"), ("aborted", "ABORT")] {
        std::thread::scope(|scope| {
            let begun = scope.spawn(|| player.say(&start(id)));
            player.told(&format!("{id}: begins"));
            assert!(["done", "aborted"].contains(&player.say(&format!("({end} {id} NIL)")).as_str()));
            assert_eq!(begun.join().unwrap(), "busy");
        });
        player.told(&format!("{id}: the work on its game is called off"));
    }
    std::thread::scope(|scope| {
        let (address, message) = (player.address, start("last"));
        let begun = scope.spawn(move || send(address, Dialect::Base, &message).body);
        player.told("last: begins");
        assert_eq!(player.end(), Some(0));
        assert_eq!(begun.join().unwrap(), "busy");
    });
    let log = player.told("last: called off, as the player ends");
    assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
}

#[test]
fn bodies_and_heads_of_all_kinds_are_taken() {
    let player = Process::start(&[]);
    let info = "((name tester) (status available))";
    let post = |head: &str, body: &str| {
        let length = body.len();
        parse(&raw(player.address, format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}").as_bytes()))
    };
    for (head, body) in [
        ("POST / HTTP/1.0", "(INFO)"),
        ("POST / HTTP/1.0\r\nHost: a.b.example.com:9147\r\nConnection: close", " ( info ) \r\n"),
        ("POST / HTTP/1.1\r\nHost: gamer\r\nConnection: close\r\nContent-Type: text/acl", "(INFO)"),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded",
            "%28INFO%29",
        ),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded",
            "msg=%28+INFO+%29",
        ),
        ("POST /anything HTTP/1.0\r\ncontent-type: text/plain", "INFO"),
    ] {
        let reply = post(head, body);
        assert_eq!((reply.status, reply.body.as_str()), (200, info), "{head}: {reply:?}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    let foreign = post("POST / HTTP/1.1\r\nHost: gamer\r\nConnection: close\r\nOrigin: http://example.com", "(INFO)");
    assert_eq!(foreign.status, 403);
    assert_eq!(parse(&raw(player.address, b"GET / HTTP/1.0\r\n\r\n")).status, 405);
    let endless = format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n", 1u64 << 40);
    assert_eq!(parse(&raw(player.address, endless.as_bytes())).status, 413);
    assert_eq!(player.say("(INFO)"), info);
}

#[test]
fn wrong_arguments_are_told() {
    for (arguments, code, told) in [
        (["--name", "two words"], 2, "--name"),
        (["--name", "(x)"], 2, "--name"),
        (["--margin=-1", "--margin=-1"], 2, "--margin"),
        (
            ["--solutions", "no/such/folder"],
            1,
            "--solutions: no/such/folder: there is no such file or folder\n  there is no",
        ),
        (["--solutions", "Cargo.toml"], 1, "--solutions: Cargo.toml: this is a file\n  name a folder\n"),
        (["--bind", "no.such.host.invalid"], 2, "--bind"),
    ] {
        let arguments = &arguments[..if arguments[0].contains('=') { 1 } else { 2 }];
        let mut command = assert_cmd::Command::cargo_bin("ggsolve").unwrap();
        let output = command.args(["player", "--port", "0"]).args(arguments).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && text.contains(told), "{arguments:?}: {:?} {text}", output.status);
        assert!(output.stdout.is_empty());
    }
}

/// To other programs `(stay)` and `stay` are two moves: what the rules say is what is sent.
#[test]
fn moves_are_sent_as_the_rules_write_them() {
    let player = Process::start(&[]);
    let rules = |first: &str, last: &str| {
        format!(
            "(role a) (init (at 1)) (<= (legal a {first}) (true (at 1))) (<= (legal a {last}) (true (at 2)))
             (<= (next (at 2)) (does a {first})) (<= (next (at 3)) (does a {last})) (<= terminal (true (at 3)))
             (goal a 100)"
        )
    };
    for (id, first, last) in [
        ("enclosed", "(stay)", "(put (x) y)"),
        ("bare", "stay", "(put x y)"),
        ("other", "(stay)", "go"),
        ("second", "go", "(stay)"),
    ] {
        assert_eq!(player.say(&format!("(START {id} a ({}) 60 60)", rules(first, last))), "ready");
        assert_eq!(player.say(&format!("(PLAY {id} NIL)")), first);
        assert_eq!(player.say(&format!("(PLAY {id} ({first}))")), last);
        assert_eq!(player.say(&format!("(STOP {id} ({last}))")), "done");
        player.told(&format!("{id}: play is over after 2 plies"));
    }
    // What cannot be grounded is evaluated one position at a time.
    let endless =
        "(role a) (init (p z)) (legal a (go)) (<= (next (p (s ?x))) (true (p ?x))) (<= terminal (true q)) (goal a 0)";
    assert_eq!(player.say(&format!("(START endless a ({endless}) 2 2)")), "ready");
    assert_eq!(player.say("(PLAY endless NIL)"), "(go)");
    assert_eq!(player.say("(STOP endless ((go)))"), "done");
}

/// The same joint move twice is two plies, whichever way the rules and the server write it.
#[test]
fn a_move_made_twice_is_no_repeated_message() {
    let player = Process::start(&[]);
    let rules = |stay: &str| {
        format!(
            "(role a) (init (at 0)) (after 0 1) (after 1 2) (after 2 3) (<= (legal a {stay}) (true (at ?x)))
             (legal a leave) (<= (next (at ?y)) (does a {stay}) (true (at ?x)) (after ?x ?y))
             (<= (next gone) (does a leave)) (<= terminal (true gone)) (<= terminal (true (at 3)))
             (<= (goal a 100) (true (at 3))) (<= (goal a 0) (true gone))"
        )
    };
    for (id, stay, told) in [
        ("bare", "stay", "stay"),
        ("enclosed", "(stay)", "(stay)"),
        ("plain", "(stay)", "stay"),
        ("deep", "(put (x))", "(PUT X)"),
    ] {
        assert_eq!(player.say(&format!("(START {id} a ({}) 60 60)", rules(stay))), "ready");
        assert_eq!(player.say(&format!("(PLAY {id} NIL)")), stay);
        for _ in 1..3 {
            assert_eq!(player.say(&format!("(PLAY {id} ({told}))")), stay);
        }
        assert_eq!(player.say(&format!("(STOP {id} ({told}))")), "done");
        player.told(&format!("{id}: play is over after 3 plies"));
    }
}

/// A server that asks for a move after the last one is told so before its clock has run.
#[test]
fn a_move_after_the_end_is_refused_at_once() {
    let player = Process::start(&[]);
    let rules = "(role a) (init (at 0)) (legal a go) (legal a wait) (<= (next (at 1)) (does a go))
        (<= (next (at 0)) (does a wait)) (<= terminal (true (at 1))) (<= (goal a 100) (true (at 1)))
        (<= (goal a 0) (true (at 0)))";
    assert_eq!(player.say(&format!("(START over a ({rules}) 60 3600)")), "ready");
    assert_eq!(player.say("(PLAY over NIL)"), "go");
    assert_eq!(player.say("(PLAY over (go))"), "busy");
    assert_eq!(player.say("(ABORT over)"), "aborted");
}
