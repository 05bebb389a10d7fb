//! A digest of all bits of a state.

use pliant::body::rigid::RigidState;
use pliant::body::soft::State;
use pliant::math::Vec3;

/// BLAKE3 over all positions, then all velocities, then the rigid bodies, as little-endian f64.
///
/// All in body order; a rigid body is its centre, turn (x, y, z, w), velocity and spin.
///
/// 64 hexadecimal digits. Two runs agree in every bit if and only if their digests do, up to
/// hash collisions.
pub fn digest(state: &State) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |vectors: &[Vec3]| {
        for vector in vectors {
            let mut bytes = [0; 24];
            for (place, value) in bytes.chunks_exact_mut(8).zip(vector.to_array()) {
                place.copy_from_slice(&value.to_le_bytes());
            }
            hasher.update(&bytes);
        }
    };
    add(&state.positions);
    add(&state.velocities);
    for number in state.rigids.iter().flat_map(RigidState::numbers) {
        hasher.update(&number.to_le_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_bytes() {
        let state = State::at_rest(vec![Vec3::new(1.0, -2.0, 0.5)]);
        let values = [1.0_f64, -2.0, 0.5, 0.0, 0.0, 0.0];
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(digest(&state), blake3::hash(&bytes).to_hex().to_string());
    }

    #[test]
    fn one_bit_more_is_another_digest() {
        let state = State::at_rest(vec![Vec3::ONE]);
        let mut other = state.clone();
        other.velocities[0].z = f64::from_bits(1);
        assert_ne!(digest(&state), digest(&other));
    }
}
