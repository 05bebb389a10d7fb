//! The CSV tables of a run that grow with it, and survive a kill together.

use std::io;
use std::path::{Path, PathBuf};

use pliant_io::atomic_file::{AppendFile, Extent, io_message};

use super::folder::{BODIES, CONTACTS, FolderError, SERIES};
use super::{bodies, contacts, series};

/// The tables, in the order of [`Tables::NAMES`].
#[derive(Debug)]
pub(super) struct Tables {
    folder: PathBuf,
    /// None of one that was not asked for.
    files: [Option<AppendFile>; 3],
}

/// Which table a row goes to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Table {
    Series,
    Bodies,
    Contacts,
}

/// A table could not be written.
#[derive(Debug)]
pub(super) struct TableError {
    /// Its file.
    pub path: PathBuf,
    /// The I/O error.
    pub error: io::Error,
}

impl Tables {
    /// Their files.
    const NAMES: [&str; 3] = [SERIES, BODIES, CONTACTS];

    /// Their first lines.
    fn headings() -> [String; 3] {
        [series::heading(), bodies::heading(), contacts::heading()]
    }

    /// Which of them a run has.
    fn wanted(has_contacts: HasContacts) -> [bool; 3] {
        [true, true, has_contacts == HasContacts::Yes]
    }

    /// Begins all that are wanted, with their headings.
    pub fn create(folder: &Path, contacts: HasContacts) -> Result<Tables, TableError> {
        let mut files = [const { None }; 3];
        let wanted =
            Tables::NAMES.into_iter().zip(Tables::headings()).zip(Tables::wanted(contacts));
        for (slot, ((name, heading), is_wanted)) in files.iter_mut().zip(wanted) {
            if is_wanted {
                let path = folder.join(name);
                let file = AppendFile::create(&path).and_then(|mut file| {
                    file.append(heading.as_bytes())?;
                    Ok(file)
                });
                *slot = Some(file.map_err(|error| TableError { path, error })?);
            }
        }
        Ok(Tables { folder: folder.to_path_buf(), files })
    }

    /// Opens them where a checkpoint left them; nothing is cut before [`Tables::cut`].
    pub fn reopen(
        folder: &Path,
        contacts: HasContacts,
        extents: [Extent; 3],
    ) -> Result<Tables, FolderError> {
        let mut files = [const { None }; 3];
        let wanted =
            Tables::NAMES.into_iter().zip(Tables::headings()).zip(Tables::wanted(contacts));
        for ((slot, ((name, heading), is_wanted)), extent) in
            files.iter_mut().zip(wanted).zip(extents)
        {
            if !is_wanted {
                continue;
            }
            let path = folder.join(name);
            let opened = AppendFile::reopen(&path, extent)
                .and_then(|file| Ok((file, series::begins_with(&path, &heading)?)));
            match opened {
                Ok((file, true)) => *slot = Some(file),
                Ok((_, false)) => {
                    let what = "has other columns than this program writes".to_string();
                    return Err(FolderError::Damaged { path, what });
                }
                Err(error) => {
                    return Err(FolderError::Damaged { path, what: io_message(&error) });
                }
            }
        }
        Ok(Tables { folder: folder.to_path_buf(), files })
    }

    /// Cuts off what came after the checkpoint.
    pub fn cut(&mut self) -> Result<(), FolderError> {
        let folder = self.folder.clone();
        for (name, file) in self.named() {
            file.cut().map_err(|error| FolderError::Damaged {
                path: folder.join(name),
                what: io_message(&error),
            })?;
        }
        Ok(())
    }

    fn named(&mut self) -> impl Iterator<Item = (&'static str, &mut AppendFile)> {
        let files = Tables::NAMES.into_iter().zip(&mut self.files);
        files.filter_map(|(name, file)| Some((name, file.as_mut()?)))
    }

    /// Whether a table is kept.
    pub fn has(&self, table: Table) -> bool {
        self.files[table as usize].is_some()
    }

    /// Adds whole rows; on an error the file is as it was.
    pub fn append(&mut self, table: Table, rows: &str) -> Result<(), TableError> {
        let Some(file) = &mut self.files[table as usize] else { return Ok(()) };
        file.append(rows.as_bytes()).map_err(|error| TableError {
            path: self.folder.join(Tables::NAMES[table as usize]),
            error,
        })
    }

    /// Waits until all are on the disk.
    pub fn sync(&mut self) -> Result<(), TableError> {
        let folder = self.folder.clone();
        for (name, file) in self.named() {
            file.sync().map_err(|error| TableError { path: folder.join(name), error })?;
        }
        Ok(())
    }

    /// What there is so far of each; nothing of one that is not kept.
    pub fn extents(&self) -> [Extent; 3] {
        let of = |file: &Option<AppendFile>| file.as_ref().map(AppendFile::extent);
        self.files.each_ref().map(|file| of(file).unwrap_or_default())
    }
}

/// Whether a run has a table of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HasContacts {
    Yes,
    No,
}
