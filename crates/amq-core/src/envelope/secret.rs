//! The header's field of the seed or secret key: the secret itself, or a check of a withheld one.

use super::contents::Hashing;
use super::format::{CHECKED, HASHED_BY_CALLER, SIPHASH, WITHHELD, XXH3};
use crate::format::HashedBy;
use crate::{DecodeError, Secret, SipKey};

/// The number of the hash function in files.
pub(super) const fn number(hashing: Hashing) -> u8 {
    match hashing {
        Hashing::Seed | Hashing::SeedWithheld | Hashing::Unknown(HashedBy::Seed) => XXH3,
        Hashing::Prehashed | Hashing::Unknown(HashedBy::Caller) => HASHED_BY_CALLER,
        Hashing::Key(_) | Hashing::KeyWithheld(_) | Hashing::Unknown(HashedBy::Key) => SIPHASH,
    }
}

/// Encodes the field. `before` is the header's bytes before it.
pub(super) fn field(hashing: Hashing, seed: u64, before: &[u8]) -> [u8; 16] {
    let mut field = [0; 16];
    match hashing {
        Hashing::Seed => field[..8].copy_from_slice(&seed.to_le_bytes()),
        Hashing::Prehashed | Hashing::Unknown(_) => {}
        Hashing::Key(key) => field = key.to_bytes(),
        Hashing::SeedWithheld => {
            field[..4].copy_from_slice(&check(SipKey::of_seed(seed), before).to_le_bytes());
        }
        Hashing::KeyWithheld(key) => {
            field[..4].copy_from_slice(&check(key, before).to_le_bytes());
        }
    }
    field
}

/// A check that detects a wrong secret without revealing the right one.
fn check(key: SipKey, before: &[u8]) -> u32 {
    key.hash(before) as u32
}

/// The decoded field.
#[derive(Clone, Copy)]
pub(super) enum Told {
    Seed(u64),
    Key(SipKey),
    /// No secret.
    Nothing,
    /// The seed is withheld; newer files have a check of it.
    SeedWithheld(Option<u32>),
    /// The secret key is withheld, with a check of it.
    KeyWithheld(u32),
}

impl Told {
    /// Decodes the field, given the hash function and the flags.
    pub(super) fn in_field(hash: u8, flags: u32, field: [u8; 16]) -> Result<Self, DecodeError> {
        let (withheld, checked) = (flags & WITHHELD != 0, flags & CHECKED != 0);
        let wrong = |field| Err(DecodeError::Geometry { field, value: flags.into() });
        let both = u128::from_le_bytes(field);
        // `used`: how many bits of the field are used.
        let (told, used) = match (hash, withheld, checked) {
            (_, false, true) => return wrong("check of a seed or key that is not withheld: flags"),
            (XXH3, false, _) => (Self::Seed(both as u64), 64),
            (XXH3, true, false) => (Self::SeedWithheld(None), 0),
            (XXH3, true, true) => (Self::SeedWithheld(Some(both as u32)), 32),
            (SIPHASH, false, _) => return Ok(Self::Key(SipKey::new(field))),
            (SIPHASH, true, false) => return wrong("withheld key without its check: flags"),
            (SIPHASH, true, true) => (Self::KeyWithheld(both as u32), 32),
            (_, true, _) => {
                return wrong("withheld seed beside keys that the caller hashes: flags");
            }
            (_, false, _) => (Self::Nothing, 0),
        };
        match both >> used {
            0 => Ok(told),
            _ => Err(DecodeError::Reserved { part: "header" }),
        }
    }

    pub(super) const fn hashed_by(&self) -> HashedBy {
        match self {
            Self::Seed(_) | Self::SeedWithheld(_) => HashedBy::Seed,
            Self::Nothing => HashedBy::Caller,
            Self::Key(_) | Self::KeyWithheld(_) => HashedBy::Key,
        }
    }

    /// How keys are hashed, and the seed (0 if there is none). `given` is the secret that the
    /// reader supplies, `before` the bytes that a check covers.
    pub(super) fn resolve(
        self,
        given: Option<Secret>,
        before: &[u8],
    ) -> Result<(Hashing, u64), DecodeError> {
        let right = |key, wanted| check(key, before) == wanted;
        match (self, given) {
            (Self::Seed(seed), None | Some(Secret::Unknown)) => Ok((Hashing::Seed, seed)),
            (Self::Seed(seed), Some(Secret::Seed(given))) if given == seed => {
                Ok((Hashing::Seed, seed))
            }
            (Self::SeedWithheld(_) | Self::KeyWithheld(_), Some(Secret::Unknown)) => {
                Ok((Hashing::Unknown(self.hashed_by()), 0))
            }
            (Self::SeedWithheld(_), None) => Err(DecodeError::SeedWithheld),
            (Self::SeedWithheld(wanted), Some(Secret::Seed(given)))
                if wanted.is_none_or(|wanted| right(SipKey::of_seed(given), wanted)) =>
            {
                Ok((Hashing::SeedWithheld, given))
            }
            (Self::Nothing, None | Some(Secret::Unknown)) => Ok((Hashing::Prehashed, 0)),
            (Self::Seed(_) | Self::SeedWithheld(_), Some(Secret::Seed(_))) => {
                Err(DecodeError::OtherSeed)
            }
            // Never written, so never read.
            (Self::Key(key), _) if key.is_zero() => Err(DecodeError::ZeroKey),
            (Self::Key(key), None | Some(Secret::Unknown)) => Ok((Hashing::Key(key), 0)),
            (Self::Key(key), Some(Secret::Key(given))) if given == key => {
                Ok((Hashing::Key(key), 0))
            }
            (Self::KeyWithheld(_), None) => Err(DecodeError::KeyWithheld),
            (Self::KeyWithheld(wanted), Some(Secret::Key(given))) if right(given, wanted) => {
                match given.is_zero() {
                    true => Err(DecodeError::ZeroKey),
                    false => Ok((Hashing::KeyWithheld(given), 0)),
                }
            }
            (Self::Key(_) | Self::KeyWithheld(_), Some(Secret::Key(_))) => {
                Err(DecodeError::OtherKey)
            }
            (Self::Key(_) | Self::KeyWithheld(_), Some(Secret::Seed(_))) => Err(DecodeError::Keyed),
            (Self::Seed(_) | Self::SeedWithheld(_), Some(Secret::Key(_))) => {
                Err(DecodeError::NotKeyed)
            }
            (Self::Nothing, Some(Secret::Seed(_) | Secret::Key(_))) => Err(DecodeError::Prehashed),
        }
    }
}
