//! Writes the files of a site into a temporary folder beside the target. The complete folder replaces the target.

use api::session::Error;
use base::limits::{Limits, Reserved};
use base::scratch::TemporaryFolder;
use serde::Serialize;
use serde_json::{Value, json};
use solving::solution::{ReadError, Stored};
use solving::solve::{Event, Listener};
use solving::store::{StoreError, checksum, hex};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file that marks a folder as a site. It describes the site.
const SITE: &str = "site.json";
const FORMAT: &str = "ggsolve site";
/// The file with the checksums of all other files, in the format of `sha256sum`.
const SUMS: &str = "SHA256SUMS";
/// A file with positions is full from this number of characters on.
const FULL: usize = 1 << 20;
/// Bound on the examined files of an existing folder. A folder with more files is not replaced.
const MOST: usize = 1 << 16;

pub struct Site {
    folder: PathBuf,
    /// The temporary folder. It is removed unless the site is completed.
    around: TemporaryFolder,
    /// Checksum by name of the file. A name may contain slashes.
    sums: BTreeMap<String, String>,
    bytes: u64,
}

impl Site {
    /// Begins a site in a temporary folder. Fails if the target exists and contains anything but a site.
    pub fn begin(folder: &Path) -> Result<Site, Error> {
        let folder = match folder.try_exists().map_err(|error| failed(folder, &error))? {
            true => folder.canonicalize().map_err(|error| failed(folder, &error))?,
            false => folder.to_owned(),
        };
        if !may_be_replaced(&folder)? {
            let message = "holds other files than those of a site: name another folder";
            return Err(Error::Options(format!("{}: {message}", folder.display())));
        }
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|error| failed(parent, &error))?;
        let around = TemporaryFolder::new(Some(parent), ".ggsolve-site-").map_err(|error| failed(parent, &error))?;
        let site = Site { folder, around, sums: BTreeMap::new(), bytes: 0 };
        // A temporary folder is private; the folder inside has the usual permissions.
        fs::create_dir(site.root()).map_err(|error| failed(&site.folder, &error))?;
        Ok(site)
    }

    fn root(&self) -> PathBuf {
        self.around.path().join("site")
    }

    /// Writes a file. `name` is relative to the site and may begin with a folder.
    pub fn write(&mut self, name: &str, content: &str) -> Result<(), Error> {
        let path = self.root().join(name);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&path, content)).map_err(|error| failed(&self.folder.join(name), &error))?;
        self.sums.insert(name.to_owned(), hex(&checksum(content.as_bytes())));
        self.bytes += content.len() as u64;
        Ok(())
    }

    /// Moves the site to its target. Returns its files and bytes. `about`: the `generator` and `solutions` of
    /// `site.json`.
    pub fn finish(mut self, about: &Value) -> Result<(usize, u64), Error> {
        let about =
            json!({"format": FORMAT, "version": 1, "generator": about["generator"], "solutions": about["solutions"]});
        self.write(SITE, &format!("{about:#}\n"))?;
        let sums = self.sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect::<String>();
        self.write(SUMS, &sums)?;
        let (old, error) = (self.around.path().join("old"), |error: io::Error| failed(&self.folder, &error));
        let replaces = self.folder.try_exists().map_err(error)?;
        if replaces {
            fs::rename(&self.folder, &old).map_err(error)?;
        }
        fs::rename(self.root(), &self.folder).map_err(|error| {
            // The old site is restored. If this fails, too, the first error gives the reason.
            let _ = replaces.then(|| fs::rename(&old, &self.folder));
            failed(&self.folder, &error)
        })?;
        Ok((self.sums.len(), self.bytes))
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    StoreError::io(path, error).into()
}

/// Whether there is nothing at a path, or an empty folder, or a site and nothing else.
fn may_be_replaced(folder: &Path) -> Result<bool, Error> {
    let (mut files, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(path) = left.pop() {
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && path == folder => return Ok(true),
            entries => entries.map_err(|error| failed(&path, &error))?,
        };
        for entry in entries {
            let entry = entry.map_err(|error| failed(&path, &error))?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder { &mut left } else { &mut files }.push(entry.path());
            if files.len() + left.len() > MOST {
                return Ok(false);
            }
        }
    }
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let about: Value = serde_json::from_str(&text(SITE)).unwrap_or_default();
    let (sums, own) = (text(SUMS), [SUMS, SITE].map(|name| folder.join(name)));
    let known: Vec<PathBuf> =
        sums.lines().filter_map(|line| Some(folder.join(line.split_once("  ")?.1))).chain(own).collect();
    Ok(files.is_empty() || (about["format"] == FORMAT && files.iter().all(|file| known.contains(file))))
}

/// The folder of a game in the site. Its name differs from those of the page's files.
pub fn folder_of(game: &str) -> String {
    format!("solutions/{game}")
}

/// A script that hands a document to the page.
pub fn put(name: &str, document: &impl Serialize) -> String {
    let document = serde_json::to_string(document).expect("a document has texts as keys, and nothing else can fail");
    format!("ggsolve.put(\"{name}\", {document});\n")
}

/// Writes the positions of a game into files. A part is a base-64 text with its SHA-256, and a file has several parts.
pub struct Parts<'s> {
    site: &'s mut Site,
    game: String,
    number: usize,
    text: String,
}

impl Parts<'_> {
    pub fn new<'s>(site: &'s mut Site, game: &str) -> Parts<'s> {
        Parts { site, game: game.to_owned(), number: 0, text: String::new() }
    }

    /// Adds a part. Returns the number of its file.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<usize, Error> {
        if self.text.len() >= FULL {
            self.flush()?;
            self.number += 1;
        }
        let (game, sum) = (&self.game, hex(&checksum(bytes)));
        let _ = writeln!(self.text, "ggsolve.put(\"{game}/{name}\", \"{}\", \"{sum}\");", base64(bytes));
        Ok(self.number)
    }

    /// Writes the current file, even if it is not full.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.site
            .write(&format!("{}/data-{:03}.js", folder_of(&self.game), self.number), &std::mem::take(&mut self.text))
    }
}

/// What the positions of a solution are written with.
pub struct Work<'w> {
    pub stored: &'w Stored,
    pub parts: Parts<'w>,
    pub limits: &'w Arc<Limits>,
    pub listener: &'w dyn Listener,
    /// Number of positions in all solutions.
    pub total: u64,
    /// Number of positions that were written so far, in all solutions.
    pub done: &'w mut u64,
}

impl<'w> Work<'w> {
    /// Adds the stored diagram of a layer's states. Returns their number, the number of its file, and its memory.
    pub fn add_states(&mut self, layer: u32) -> Result<(u64, usize, Reserved<'w>), Error> {
        let record = &self.stored.manifest.layers[layer as usize];
        let states = self.stored.states(layer)?.expect("the manifest has a record of the layer");
        states.file().check_recorded(&record.states_file)?;
        let bytes = states.file().bytes();
        let held = self.limits.hold(2 * bytes.len() as u64)?;
        let file = self.parts.add(&format!("states-{layer}"), bytes)?;
        Ok((u64::try_from(&record.states).unwrap_or(u64::MAX), file, held))
    }

    /// Looks at the limits, and tells the number of positions that were written, before every `between`-th position.
    pub fn pass(&mut self, between: u64) -> Result<(), ReadError> {
        if self.done.is_multiple_of(between) {
            self.limits.check()?;
            self.listener.event(&Event::Work { what: "positions", done: *self.done, total: self.total });
        }
        *self.done += 1;
        Ok(())
    }
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0, |word, at| word << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for place in 0..4 {
            let sign = SIGNS[(word >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { sign.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (text, expected) in pairs {
            assert_eq!(base64(text.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn a_folder_of_something_else_is_left_alone() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("site");
        let about = json!({"generator": "test", "solutions": []});
        let written = |text: &str| {
            let mut site = Site::begin(&folder)?;
            site.write("a/b.js", text)?;
            site.finish(&about)
        };
        assert_eq!(written("one").unwrap().0, 3);
        assert!(written("two").is_ok() && fs::read_to_string(folder.join("a/b.js")).unwrap() == "two");
        fs::write(folder.join("a/mine.txt"), "mine").unwrap();
        let refused = written("three").unwrap_err().to_string();
        assert!(refused.contains("holds other files than those of a site"), "{refused}");
        assert_eq!(fs::read_to_string(folder.join("a/b.js")).unwrap(), "two");
        fs::remove_file(folder.join("a/mine.txt")).unwrap();
        // A site that is not finished leaves no files. A target that is a file is refused.
        drop(Site::begin(&folder).unwrap().write("c.js", "four"));
        assert_eq!(fs::read_dir(around.path()).unwrap().count(), 1);
        assert!(folder.join("a/b.js").exists() && Site::begin(&folder.join("site.json")).is_err());
        fs::remove_file(folder.join("site.json")).unwrap();
        assert!(Site::begin(&folder).is_err(), "nothing says that it is a site");
    }
}
