//! Times as arguments.

use std::time::Duration;

/// The time of a text like `90s` or `1h30m`: numbers with units, each unit once and larger ones first, from days to
/// milliseconds; a number alone is in seconds. `None` for other texts and for 0.
pub fn parse(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse() {
        return duration(seconds);
    }
    let (mut rest, mut total, mut larger) = (text.trim(), 0.0, f64::INFINITY);
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let end = rest[number..].find(|c: char| !c.is_ascii_alphabetic()).map_or(rest.len(), |end| number + end);
        let seconds = match rest[number..end].to_ascii_lowercase().as_str() {
            "d" => 86_400.0,
            "h" => 3600.0,
            "m" | "min" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            _ => return None,
        };
        if seconds >= larger {
            return None;
        }
        larger = seconds;
        total += rest[..number].parse::<f64>().ok()? * seconds;
        rest = rest[end..].trim_start();
    }
    duration(total)
}

fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_sums_of_numbers_with_units() {
        let times = [
            ("90s", 90.0),
            ("90", 90.0),
            ("15m", 900.0),
            ("2h", 7200.0),
            ("1h30m", 5400.0),
            ("1d 2H 3min 4s", 93_784.0),
            ("1.5h", 5400.0),
            ("250ms", 0.25),
            ("0.5", 0.5),
        ];
        for (text, seconds) in times {
            assert_eq!(parse(text), Some(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in [
            "", "s", "0", "0s", "-1s", "-1", "1x", "1.2.3s", "1h30", "h1", "nan", "inf", "1e99", "9e9d", "1 h", "1h1h",
            "1m1h",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
