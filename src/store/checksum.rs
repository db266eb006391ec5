//! SHA-256 sums, of bytes as they are written or read.

use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// A SHA-256 sum.
pub type Checksum = [u8; 32];

/// The sum of some bytes.
pub fn checksum(bytes: &[u8]) -> Checksum {
    Sha256::digest(bytes).into()
}

/// A sum in hexadecimal digits.
pub fn hex(sum: &Checksum) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses a sum in hexadecimal digits.
pub fn from_hex(text: &str) -> Option<Checksum> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
    let digits: Option<Vec<u32>> = text.as_bytes().iter().map(digit).collect();
    let bytes: Vec<u8> =
        digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8)).collect();
    if text.len() == 64 { bytes.try_into().ok() } else { None }
}

/// A writer that computes the sum of the bytes that pass through it.
pub struct Summing<W> {
    output: W,
    sum: Sha256,
    bytes: u64,
}

impl<W: Write> Summing<W> {
    pub fn new(output: W) -> Self {
        Summing { output, sum: Sha256::new(), bytes: 0 }
    }

    /// The sum of everything so far.
    pub fn sum(&self) -> Checksum {
        self.sum.clone().finalize().into()
    }

    /// Number of bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standard() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&checksum(b"abc")), expected);
        assert_eq!(from_hex(expected), Some(checksum(b"abc")));
        assert!([&expected[1..], &expected.to_uppercase(), ""].iter().all(|text| from_hex(text).is_none()));
        let mut summing = Summing::new(Vec::new());
        summing.write_all(b"a").and_then(|()| summing.write_all(b"bc")).unwrap();
        assert_eq!((hex(&summing.sum()).as_str(), summing.bytes()), (expected, 3));
    }
}
