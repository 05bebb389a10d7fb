//! Four numbers at once, as wide registers hold them, and vectors and matrices of these.
//!
//! Each lane is computed by the same operations whatever the others hold, so that a result does not
//! depend on what it is computed beside. Where one lane would branch, all compute and each
//! selects.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use wide::f64x4;

use crate::math::{Mat3, Vec3};

/// Lanes.
pub const WIDTH: usize = 4;

/// Four numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes(f64x4);

/// A choice for each lane: all bits, or none.
#[derive(Clone, Copy, Debug)]
pub struct LaneMask(f64x4);

impl Lanes {
    pub const ZERO: Lanes = Lanes(f64x4::ZERO);

    /// The same number in all lanes.
    #[inline(always)]
    pub fn splat(value: f64) -> Lanes {
        Lanes(f64x4::splat(value))
    }

    /// Numbers of the lanes.
    #[inline(always)]
    pub fn new(values: [f64; WIDTH]) -> Lanes {
        Lanes(f64x4::new(values))
    }

    /// What a function gives for each lane.
    #[inline(always)]
    pub fn of(value: impl Fn(usize) -> f64) -> Lanes {
        Lanes::new([value(0), value(1), value(2), value(3)])
    }

    /// Numbers of the lanes.
    #[inline(always)]
    pub fn to_array(self) -> [f64; WIDTH] {
        self.0.to_array()
    }

    #[inline(always)]
    pub fn sqrt(self) -> Lanes {
        Lanes(self.0.sqrt())
    }

    #[inline(always)]
    pub fn abs(self) -> Lanes {
        Lanes(self.0.abs())
    }

    /// Where it is less; false for what is not a number.
    #[inline(always)]
    pub fn is_below(self, other: Lanes) -> LaneMask {
        LaneMask(self.0.simd_lt(other.0))
    }
}

impl LaneMask {
    pub const NONE: LaneMask = LaneMask(f64x4::ZERO);

    /// One of two numbers in each lane.
    #[inline(always)]
    pub fn select(self, yes: Lanes, no: Lanes) -> Lanes {
        Lanes(self.0.bitselect(yes.0, no.0))
    }

    #[inline(always)]
    pub fn and(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 & other.0)
    }

    #[inline(always)]
    pub fn or(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 | other.0)
    }

    #[inline(always)]
    pub fn not(self) -> LaneMask {
        LaneMask(!self.0)
    }

    /// Whether any lane is chosen.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.any()
    }

    /// Whether a lane is chosen.
    #[inline(always)]
    pub fn lane(self, lane: usize) -> bool {
        self.0.to_bitmask() & 1 << lane != 0
    }
}

macro_rules! operator {
    ($name:ident, $function:ident, $sign:tt) => {
        impl $name for Lanes {
            type Output = Lanes;

            #[inline(always)]
            fn $function(self, other: Lanes) -> Lanes {
                Lanes(self.0 $sign other.0)
            }
        }
    };
}

operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Neg for Lanes {
    type Output = Lanes;

    #[inline(always)]
    fn neg(self) -> Lanes {
        Lanes(-self.0)
    }
}

/// Four vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes3 {
    pub x: Lanes,
    pub y: Lanes,
    pub z: Lanes,
}

impl Lanes3 {
    pub const ZERO: Lanes3 = Lanes3 { x: Lanes::ZERO, y: Lanes::ZERO, z: Lanes::ZERO };

    /// What a function gives for each lane.
    #[inline(always)]
    pub fn of(vector: impl Fn(usize) -> Vec3) -> Lanes3 {
        let [a, b, c, d] = [vector(0), vector(1), vector(2), vector(3)];
        Lanes3 {
            x: Lanes::new([a.x, b.x, c.x, d.x]),
            y: Lanes::new([a.y, b.y, c.y, d.y]),
            z: Lanes::new([a.z, b.z, c.z, d.z]),
        }
    }

    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Vec3 {
        let entry = |of: Lanes| of.to_array()[lane];
        Vec3::new(entry(self.x), entry(self.y), entry(self.z))
    }

    #[inline(always)]
    pub fn dot(self, other: Lanes3) -> Lanes {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub fn cross(self, other: Lanes3) -> Lanes3 {
        Lanes3 {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }

    #[inline(always)]
    fn select(mask: LaneMask, yes: Lanes3, no: Lanes3) -> Lanes3 {
        Lanes3 {
            x: mask.select(yes.x, no.x),
            y: mask.select(yes.y, no.y),
            z: mask.select(yes.z, no.z),
        }
    }
}

impl Add for Lanes3 {
    type Output = Lanes3;

    #[inline(always)]
    fn add(self, other: Lanes3) -> Lanes3 {
        Lanes3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Lanes3 {
    type Output = Lanes3;

    #[inline(always)]
    fn sub(self, other: Lanes3) -> Lanes3 {
        Lanes3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<Lanes3> for Lanes {
    type Output = Lanes3;

    #[inline(always)]
    fn mul(self, vector: Lanes3) -> Lanes3 {
        Lanes3 { x: self * vector.x, y: self * vector.y, z: self * vector.z }
    }
}

/// Four matrices, by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes33(pub [Lanes3; 3]);

impl Lanes33 {
    pub const ZERO: Lanes33 = Lanes33([Lanes3::ZERO; 3]);

    /// What a function gives for each lane.
    #[inline(always)]
    pub fn of(matrix: impl Fn(usize) -> Mat3) -> Lanes33 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| matrix(k).to_cols_array());
        let entry = |k: usize| Lanes::new([a[k], b[k], c[k], d[k]]);
        let column = |k: usize| Lanes3 { x: entry(k), y: entry(k + 1), z: entry(k + 2) };
        Lanes33([column(0), column(3), column(6)])
    }

    /// The same number on all diagonals of a lane.
    #[inline(always)]
    pub fn diagonal(value: Lanes) -> Lanes33 {
        let zero = Lanes::ZERO;
        Lanes33([
            Lanes3 { x: value, y: zero, z: zero },
            Lanes3 { x: zero, y: value, z: zero },
            Lanes3 { x: zero, y: zero, z: value },
        ])
    }

    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Mat3 {
        let [x, y, z] = &self.0;
        Mat3::from_cols(x.lane(lane), y.lane(lane), z.lane(lane))
    }

    #[inline(always)]
    pub fn apply(&self, vector: Lanes3) -> Lanes3 {
        let [x, y, z] = self.0;
        vector.x * x + vector.y * y + vector.z * z
    }

    #[inline(always)]
    pub fn transpose(&self) -> Lanes33 {
        let [x, y, z] = self.0;
        Lanes33([
            Lanes3 { x: x.x, y: y.x, z: z.x },
            Lanes3 { x: x.y, y: y.y, z: z.y },
            Lanes3 { x: x.z, y: y.z, z: z.z },
        ])
    }

    /// Sum of products of entries.
    #[inline(always)]
    pub fn sum_of_products(&self, other: &Lanes33) -> Lanes {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a.dot(x) + b.dot(y) + c.dot(z)
    }

    /// Columns of the cofactors: the matrix times the transpose of these is its determinant.
    #[inline(always)]
    pub fn cofactors(&self) -> Lanes33 {
        let [x, y, z] = self.0;
        Lanes33([y.cross(z), z.cross(x), x.cross(y)])
    }

    #[inline(always)]
    pub fn select(mask: LaneMask, yes: &Lanes33, no: &Lanes33) -> Lanes33 {
        let of = |k: usize| Lanes3::select(mask, yes.0[k], no.0[k]);
        Lanes33([of(0), of(1), of(2)])
    }
}

impl Add for Lanes33 {
    type Output = Lanes33;

    #[inline(always)]
    fn add(self, other: Lanes33) -> Lanes33 {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Lanes33([a + x, b + y, c + z])
    }
}

impl AddAssign for Lanes33 {
    #[inline(always)]
    fn add_assign(&mut self, other: Lanes33) {
        *self = *self + other;
    }
}

impl Sub for Lanes33 {
    type Output = Lanes33;

    #[inline(always)]
    fn sub(self, other: Lanes33) -> Lanes33 {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Lanes33([a - x, b - y, c - z])
    }
}

impl Mul<Lanes33> for Lanes {
    type Output = Lanes33;

    #[inline(always)]
    fn mul(self, matrix: Lanes33) -> Lanes33 {
        let [x, y, z] = matrix.0;
        Lanes33([self * x, self * y, self * z])
    }
}

impl Mul for Lanes33 {
    type Output = Lanes33;

    #[inline(always)]
    fn mul(self, other: Lanes33) -> Lanes33 {
        let [x, y, z] = other.0;
        Lanes33([self.apply(x), self.apply(y), self.apply(z)])
    }
}

/// a bᵀ.
#[inline(always)]
pub fn outer(a: Lanes3, b: Lanes3) -> Lanes33 {
    Lanes33([b.x * a, b.y * a, b.z * a])
}
