//! Access control lists and other extended attributes of a file that is replaced, on Linux.

use crate::exit::note;
use rustix::fs::{XattrFlags, fgetxattr, fremovexattr, fsetxattr, getxattr, listxattr};
use rustix::io::Errno;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Copies the attributes of the file at `path` to the new one. The group bits of a mode with an
/// access control list are the list's mask, not the group's rights: where the list cannot be kept,
/// [`close`] clears them.
pub(crate) fn copy(path: &Path, new: &File) -> io::Result<Kept> {
    let mut lost = Vec::new();
    let held = names(path)?;
    for name in &held {
        let kept = get(path, name).and_then(|value| set(new, name, &value));
        if kept.is_err() && !has_same(path, new, name) {
            lost.push(name.clone());
        }
    }
    // The new file may have the folder's default list, which the replaced file did not have.
    if !held.iter().any(|name| name == LIST) {
        remove(new, LIST);
    }
    Ok(Kept { lost })
}

/// What could not be kept.
pub(crate) struct Kept {
    lost: Vec<String>,
}

impl Kept {
    /// Reports what is lost; call it once the mode is set.
    pub(crate) fn close(&self, path: &Path, new: &File) -> io::Result<()> {
        let name = path.display();
        for lost in &self.lost {
            if lost == LIST {
                close_to_group(new)?;
                note(&format!(
                    "{name}: its access control list cannot be kept here, so its group has no access \
                     now: setfacl sets it again"
                ));
            } else {
                note(&format!("{name}: its attribute {lost} cannot be kept here, and is lost"));
            }
        }
        Ok(())
    }
}

/// The attribute that holds an access control list.
const LIST: &str = "system.posix_acl_access";

/// Linux's limit on the bytes of all names, and of a value.
const MOST: usize = 64 << 10;

fn names(path: &Path) -> io::Result<Vec<String>> {
    let mut names = vec![0; MOST];
    match listxattr(path, &mut names) {
        Ok(length) => names.truncate(length),
        Err(Errno::OPNOTSUPP) => names.clear(),
        Err(error) => return Err(error.into()),
    }
    let names = names.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

fn get(path: &Path, name: &str) -> io::Result<Vec<u8>> {
    let mut value = vec![0; MOST];
    let length = getxattr(path, name, &mut value)?;
    value.truncate(length);
    Ok(value)
}

fn set(new: &File, name: &str, value: &[u8]) -> io::Result<()> {
    Ok(fsetxattr(new, name, value, XattrFlags::empty())?)
}

/// Whether the new file already has this value: a security label may be there, and refuse to be
/// set.
fn has_same(path: &Path, new: &File, name: &str) -> bool {
    let mut value = vec![0; MOST];
    let length = fgetxattr(new, name, &mut value).ok();
    length.is_some_and(|length| get(path, name).is_ok_and(|old| old == value[..length]))
}

fn remove(new: &File, name: &str) {
    let _ = fremovexattr(new, name);
}

fn close_to_group(new: &File) -> io::Result<()> {
    let mode = new.metadata()?.permissions().mode();
    new.set_permissions(Permissions::from_mode(mode & !0o070))
}
#[cfg(test)]
mod tests {
    use super::*;

    /// As on a file system without access control lists: the mode's group bits are the mask of the
    /// old file's list.
    #[test]
    fn a_list_that_is_lost_leaves_the_group_without_access() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("f");
        let file = File::create(&path).unwrap();
        file.set_permissions(Permissions::from_mode(0o664)).unwrap();
        Kept { lost: vec![LIST.to_owned()] }.close(&path, &file).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o604);
    }
}
