//! Many messages with random mistakes: no panic, no hang, no growing memory.

use base::random::Random;
use serve::player::{Answer, Player, Settings};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const MESSAGES: usize = 20_000;
/// Resident bytes that may be added between the first messages and the last.
const GROWTH: u64 = 96 << 20;

const RULES: &str =
    "(role a) (role b) (init (at 1)) (init (turn a)) (next_to 1 2) (next_to 2 3) (other a b) (other b a)
    (<= (legal ?r (go ?y)) (true (turn ?r)) (true (at ?x)) (next_to ?x ?y))
    (<= (legal ?r stay) (role ?r))
    (<= (next (at ?y)) (does ?r (go ?y))) (<= moved (does ?r (go ?y)))
    (<= (next (at ?x)) (true (at ?x)) (not moved)) (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
    (<= terminal (true (at 3))) (<= (goal a 100) (true (turn a))) (<= (goal a 0) (not (true (turn a))))
    (<= (goal b 100) (true (turn b))) (<= (goal b 0) (not (true (turn b))))";

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// A text with some bytes or words changed, left out or doubled.
fn mutated(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let length = 1 + random.below(12.min(bytes.len() - at));
        match random.below(6) {
            0 => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.drain(at..at + length)),
            2 => bytes.insert(at, *random.choose(b"()?;:\" 01a\0\xff").unwrap()),
            3 => {
                let part = bytes[at..at + length].to_vec();
                let place = random.below(bytes.len());
                bytes.splice(place..place, part);
            }
            4 => bytes.truncate(at),
            _ => {
                let word =
                    random.choose(&["NIL", "()", "(go 2)", "stay", "START", "STOP", "m", "99999999999999999999"]);
                bytes.splice(at..at, word.unwrap().bytes());
            }
        }
    }
    bytes
}

#[test]
fn mutated_messages_do_no_harm() {
    let settings = Settings {
        name: "tester".to_owned(),
        solutions: None,
        memory: 256 << 20,
        threads: 1,
        margin: None,
        patience: Duration::from_secs(5),
        seed: 1,
    };
    let player = Player::new(settings).unwrap();
    // A second to move in, so that it knows a move before it answers.
    let start = format!("(START m a ({RULES}) 0 1)");
    let rest = [
        "(INFO)",
        "(PLAY m NIL)",
        "(PLAY m (stay stay))",
        "(PLAY m ((go 2) stay))",
        "(STOP m ((go 3) stay))",
        "(ABORT m)",
        "(PREVIEW ((role a)) 1)",
    ];
    let (done, sent) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut early = 0;
    let (mut understood, mut begun, mut moves) = (0, 0, 0);
    std::thread::scope(|scope| {
        // Clocks may have become long by mutation: what takes seconds is called off.
        scope.spawn(|| {
            let mut last = (0, Instant::now());
            while !done.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
                let now = sent.load(Ordering::Relaxed);
                if now != last.0 {
                    last = (now, Instant::now());
                } else if last.1.elapsed() > Duration::from_secs(1) {
                    player.close();
                }
            }
        });
        let mut random = Random::new(8);
        for number in 0..MESSAGES {
            sent.store(number, Ordering::Relaxed);
            let text = if random.chance(4) { &start } else { *random.choose(&rest).unwrap() };
            match player.answer(&mutated(text, &mut random)) {
                Ok(answer) => {
                    understood += 1;
                    begun += usize::from(answer == Answer::Ready);
                    moves += usize::from(matches!(answer, Answer::Move(_)));
                }
                Err(garbled) => assert!(!garbled.to_string().is_empty()),
            }
            if number == MESSAGES / 4 {
                early = resident();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(understood > MESSAGES / 4 && begun > 100 && moves > 100, "{understood} {begun} {moves}");
    let late = resident();
    assert!(late < early + GROWTH, "{early} {late}");
    player.close();
    assert_eq!(player.answer(b"(INFO)").unwrap().to_string(), "((name tester) (status available))");
}
