//! Numbers in the form in which people read them.

use crate::solve::EncodingSize;
use base::digits::{counted, grouped};
use num_bigint::BigUint;

/// A number of states: `1 state`, `5,478 states`.
pub fn states(number: &BigUint) -> String {
    counted(number, "state")
}

/// The size of an encoding: `29 fluents in 10 groups, 19 bits; 20 moves`.
pub fn encoding(size: EncodingSize) -> String {
    let EncodingSize { fluents, groups, bits, moves } = size;
    format!(
        "{} in {}, {}; {}",
        counted(fluents, "fluent"),
        counted(groups, "group"),
        counted(bits, "bit"),
        counted(moves, "move")
    )
}

/// A size in bytes with a binary unit: `93.2 MiB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if count < 1024 {
        return counted(count, "byte");
    }
    let mut size = count as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

/// A duration, given in seconds, with a unit that fits its size: `4.1 ms`, `0.512 s`, `12.3 s`, `2 h 03 min`.
pub fn seconds(duration: f64) -> String {
    let whole = duration.max(0.0).round() as u64;
    match whole {
        _ if duration < 0.1 => format!("{:.1} ms", duration * 1e3),
        0..10 => format!("{duration:.3} s"),
        10..600 => format!("{duration:.1} s"),
        600..7200 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// A share of a total in per cent: `53.6 %`. If the total is 0, the share is 0.
pub fn share(part: &BigUint, total: &BigUint) -> String {
    let zero = BigUint::ZERO;
    let per_mille = if *total == zero { zero } else { (part * 1000u32 + total / 2u32) / total };
    format!("{}.{} %", &per_mille / 10u32, &per_mille % 10u32)
}

/// `1 ply`, `7 plies`.
pub fn plies_text(plies: u32) -> String {
    format!("{plies} {}", if plies == 1 { "ply" } else { "plies" })
}

pub fn plans_number(plans: &BigUint) -> String {
    match *plans == BigUint::from(1u32) {
        true => "; there is no other one".to_owned(),
        false => format!("; there are {} of them", grouped(plans)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_state_is_no_states() {
        let counted = |number: u64| states(&BigUint::from(number));
        assert_eq!([counted(0), counted(1), counted(1000)], ["0 states", "1 state", "1,000 states"]);
        let size = EncodingSize { fluents: 1, groups: 1, bits: 1, moves: 2 };
        assert_eq!(encoding(size), "1 fluent in 1 group, 1 bit; 2 moves");
    }

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!([bytes(12), bytes(1 << 20), bytes(93 << 20)], ["12 bytes", "1.0 MiB", "93.0 MiB"]);
        assert_eq!([seconds(0.0041), seconds(12.34), seconds(725.0)], ["4.1 ms", "12.3 s", "12 min 05 s"]);
        assert_eq!([seconds(0.5), seconds(7380.0)], ["0.500 s", "2 h 03 min"]);
    }

    #[test]
    fn shares_are_rounded_and_defined_for_nothing() {
        let of = |part: u32, total: u32| share(&BigUint::from(part), &BigUint::from(total));
        assert_eq!([of(2936, 5478), of(0, 0), of(7, 7)], ["53.6 %", "0.0 %", "100.0 %"]);
    }
}
