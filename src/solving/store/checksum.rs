//! SHA-256 sums of bytes that are written or read.

use serde::{Deserialize, Serialize};
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest, Sha256};
use std::io::{self, Seek, SeekFrom, Write};

pub type Checksum = [u8; 32];

pub fn checksum(bytes: &[u8]) -> Checksum {
    Sha256::digest(bytes).into()
}

pub fn hex(sum: &Checksum) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The checksum that a text of 64 lower-case hexadecimal digits gives; `None` for any other text.
pub fn from_hex(text: &str) -> Option<Checksum> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
    let digits: Option<Vec<u32>> = text.as_bytes().iter().map(digit).collect();
    let bytes: Vec<u8> =
        digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8)).collect();
    if text.len() == 64 { bytes.try_into().ok() } else { None }
}

/// The sum of the first bytes of some data. Another process can continue it with the next bytes.
#[derive(Debug, Clone, Default)]
pub struct PartialSum(Sha256);

impl PartialSum {
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> Checksum {
        self.0.clone().finalize().into()
    }
}

impl Serialize for PartialSum {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(SerializableState::serialize(&self.0))
    }
}

impl<'de> Deserialize<'de> for PartialSum {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Vec::<u8>::deserialize(deserializer)?;
        let state = SerializedState::<Sha256>::try_from(&bytes[..]).map_err(serde::de::Error::custom)?;
        SerializableState::deserialize(&state).map(PartialSum).map_err(serde::de::Error::custom)
    }
}

pub struct Summing<W> {
    output: W,
    sum: PartialSum,
    bytes: u64,
}

impl<W: Write> Summing<W> {
    pub fn new(output: W) -> Self {
        Summing { output, sum: PartialSum::default(), bytes: 0 }
    }

    pub fn so_far(&self) -> &PartialSum {
        &self.sum
    }

    pub fn sum(&self) -> Checksum {
        self.sum.finish()
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<W: Write + Seek> Summing<W> {
    /// Skips bytes that are written by others. `sum`: the sum of all bytes up to their end.
    pub fn skip(&mut self, bytes: u64, sum: PartialSum) -> io::Result<()> {
        self.bytes += bytes;
        self.sum = sum;
        self.output.seek(SeekFrom::Start(self.bytes)).map(drop)
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.sum.add(&bytes[..written]);
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

    #[test]
    fn a_sum_goes_on_where_it_was_told_to() {
        let bytes: Vec<u8> = (0..1000).map(|byte| byte as u8).collect();
        for cut in [0, 1, 63, 64, 65, 999, 1000] {
            let mut summing = Summing::new(io::Cursor::new(Vec::new()));
            summing.write_all(&bytes[..cut]).unwrap();
            let told = serde_json::to_string(summing.so_far()).unwrap();
            let mut sum: PartialSum = serde_json::from_str(&told).unwrap();
            let middle = (cut + 100).min(bytes.len());
            sum.add(&bytes[cut..middle]);
            summing.skip((middle - cut) as u64, sum).unwrap();
            summing.write_all(&bytes[middle..]).unwrap();
            assert_eq!((summing.sum(), summing.bytes()), (checksum(&bytes), 1000));
            let mut written = summing.output.into_inner();
            written.resize(bytes.len(), 0);
            assert!(written[..cut] == bytes[..cut] && written[middle..] == bytes[middle..]);
        }
        for told in ["[]", "[1,2]", "\"\""] {
            assert!(serde_json::from_str::<PartialSum>(told).is_err());
        }
    }
}
