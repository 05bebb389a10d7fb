//! Part of a matrix that couples all vertices of a group, in linear time and memory.
//!
//! Where forces depend on a group only by a few sums over its vertices, its dense part of the
//! matrix has low rank. A product takes the sums first and then hands them to the vertices.
//!
//! | here        | formula | meaning                                                      |
//! |-------------|---------|--------------------------------------------------------------|
//! | `scalars`   | sᵢ      | factors of a vertex, the same along all axes                 |
//! | `vectors`   | Vᵢ      | directions of a vertex, as columns                           |
//! | `isotropic` | S       | couples scalars, symmetric                                   |
//! | `directed`  | W       | couples vectors, symmetric                                   |
//! | `arm`       | p       | of a vertex that goes by the unknowns of a rigid body, m     |
//!
//! The block of vertices i and j is (sᵢᵀ S sⱼ) 1 + Vᵢ W Vⱼᵀ.

use crate::id::VertexId;
use crate::math::{Mat3, Vec3, outer, skew};

/// Scalars of a vertex at most.
pub(crate) const SCALARS: usize = 10;

/// Vectors of a vertex at most.
pub(crate) const VECTORS: usize = 4;

/// How the sums over a group are coupled; both parts are symmetric.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Coupling {
    /// Of scalars, the first `scalar_count` of each direction.
    pub isotropic: [[f64; SCALARS]; SCALARS],
    /// Of vectors, the first `vector_count` of each direction.
    pub directed: [[f64; VECTORS]; VECTORS],
    /// Scalars of each vertex, at most [`SCALARS`].
    pub scalar_count: usize,
    /// Vectors of each vertex, at most [`VECTORS`].
    pub vector_count: usize,
}

/// One vertex of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Factors {
    /// Its index in the scene.
    pub vertex: VertexId,
    /// Those beyond the count are not read.
    pub scalars: [f64; SCALARS],
    /// Those beyond the count are not read.
    pub vectors: [Vec3; VECTORS],
}

/// One group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LowRank {
    coupling: Coupling,
    /// Attached vertices behind all others, ascending by unknown.
    members: Vec<Member>,
}

/// A vertex with the unknowns that it goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Member {
    of: Factors,
    /// Its own, or the first of two of a rigid body.
    unknown: VertexId,
    /// From the centre of that body, m.
    arm: Option<Vec3>,
}

/// Sums over a group: of scalars times vectors, and of vectors times vectors.
struct Sums {
    scalars: [Vec3; SCALARS],
    vectors: [f64; VECTORS],
}

/// What the terms of a matrix have in one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    /// Diagonal block.
    pub diagonal: Mat3,
    /// Sum over the columns that a shift of all bodies adds the same to; zero for spins.
    pub sum: Mat3,
}

impl Share {
    /// That of a row without terms.
    pub(crate) const NONE: Share = Share { diagonal: Mat3::ZERO, sum: Mat3::ZERO };

    /// Whether a term has anything in the row.
    pub(crate) fn is_some(&self) -> bool {
        *self != Share::NONE
    }
}

impl LowRank {
    /// Makes it the term of other vertices, which are added next; keeps its memory.
    pub(crate) fn reset(&mut self, coupling: Coupling) {
        self.coupling = coupling;
        self.members.clear();
    }

    /// Adds a vertex that it does not have.
    #[inline]
    pub(crate) fn push(&mut self, of: Factors) {
        self.members.push(Member { of, unknown: of.vertex, arm: None });
    }

    /// Adds the product of the term with `x`.
    pub(crate) fn add_product(&self, x: &[Vec3], product: &mut [Vec3]) {
        let Coupling { scalar_count, vector_count, .. } = self.coupling;
        let mut sums = Sums { scalars: [Vec3::ZERO; SCALARS], vectors: [0.0; VECTORS] };
        let (scalar_sums, vector_sums) =
            (&mut sums.scalars[..scalar_count], &mut sums.vectors[..vector_count]);
        for member in &self.members {
            let x = member.velocity(x);
            let scalars = scalar_sums.iter_mut().zip(&member.of.scalars);
            scalars.for_each(|(sum, scalar)| *sum += *scalar * x);
            let vectors = vector_sums.iter_mut().zip(&member.of.vectors);
            vectors.for_each(|(sum, vector)| *sum += vector.dot(x));
        }
        let sums = self.coupled(&sums);
        let (scalar_sums, vector_sums) =
            (&sums.scalars[..scalar_count], &sums.vectors[..vector_count]);
        for Member { of, unknown, arm } in &self.members {
            let mut push = Vec3::ZERO;
            let scalars = scalar_sums.iter().zip(&of.scalars);
            scalars.for_each(|(sum, scalar)| push += *scalar * *sum);
            let vectors = vector_sums.iter().zip(&of.vectors);
            vectors.for_each(|(sum, vector)| push += *sum * *vector);
            product[unknown.index()] += push;
            if let Some(arm) = arm {
                product[unknown.index() + 1] += arm.cross(push);
            }
        }
    }

    fn coupled(&self, sums: &Sums) -> Sums {
        let Coupling { isotropic, directed, scalar_count, vector_count } = &self.coupling;
        Sums {
            scalars: std::array::from_fn(|k| {
                let terms = isotropic[k].iter().zip(&sums.scalars).take(*scalar_count);
                terms.map(|(factor, sum)| *factor * *sum).sum()
            }),
            vectors: std::array::from_fn(|k| {
                let terms = directed[k].iter().zip(&sums.vectors).take(*vector_count);
                terms.map(|(factor, sum)| factor * sum).sum()
            }),
        }
    }

    /// The block of two vertices.
    fn block(&self, a: &Factors, b: &Factors) -> Mat3 {
        let Coupling { isotropic, directed, scalar_count, vector_count } = &self.coupling;
        let mut even = 0.0;
        for (row, a) in isotropic.iter().zip(&a.scalars).take(*scalar_count) {
            let terms = row.iter().zip(&b.scalars).take(*scalar_count);
            even += a * terms.map(|(factor, b)| factor * b).sum::<f64>();
        }
        let mut block = Mat3::from_diagonal(Vec3::splat(even));
        for (row, a) in directed.iter().zip(&a.vectors).take(*vector_count) {
            let terms = row.iter().zip(&b.vectors).take(*vector_count);
            block += outer(*a, terms.map(|(factor, b)| *factor * *b).sum());
        }
        block
    }

    /// Lets attached vertices go by the unknowns of their rigid bodies.
    ///
    /// `attached` returns the first of the two unknowns and the arm, m.
    pub(super) fn condense(&mut self, attached: impl Fn(VertexId) -> Option<(VertexId, Vec3)>) {
        let mut changed = false;
        for member in &mut self.members {
            if let Some((unknown, arm)) = attached(member.of.vertex) {
                (member.unknown, member.arm, changed) = (unknown, Some(arm), true);
            }
        }
        if changed {
            let key = |m: &Member| (m.arm.is_some(), m.unknown, m.of.vertex);
            self.members.sort_unstable_by_key(key);
        }
    }

    /// Adds what the term has in each row.
    pub(super) fn add_shares(&self, shares: &mut [Share]) {
        let whole = self.sum(self.members.iter().map(|member| &member.of));
        let own = |unknown: VertexId| unknown.index();
        let free = self.members.partition_point(|member| member.arm.is_none());
        for Member { of, unknown, .. } in &self.members[..free] {
            let share = &mut shares[own(*unknown)];
            share.diagonal += self.block(of, of);
            share.sum += self.block(of, &whole);
        }
        for held in self.members[free..].chunk_by(|a, b| a.unknown == b.unknown) {
            let going = self.sum(held.iter().map(|member| &member.of));
            let share = &mut shares[own(held[0].unknown)];
            share.diagonal += self.block(&going, &going);
            share.sum += self.block(&going, &whole);
            shares[own(held[0].unknown) + 1].diagonal += self.turning(held);
        }
    }

    /// Sum of factors; its vertex means nothing.
    fn sum<'a>(&self, all: impl Iterator<Item = &'a Factors>) -> Factors {
        let (scalars, vectors) = ([0.0; SCALARS], [Vec3::ZERO; VECTORS]);
        let mut sum = Factors { vertex: VertexId(0), scalars, vectors };
        for of in all {
            sum.scalars.iter_mut().zip(&of.scalars).for_each(|(sum, own)| *sum += own);
            sum.vectors.iter_mut().zip(&of.vectors).for_each(|(sum, own)| *sum += *own);
        }
        sum
    }

    /// Diagonal block of the spin of a rigid body that holds vertices.
    fn turning(&self, held: &[Member]) -> Mat3 {
        let Coupling { isotropic, directed, scalar_count, vector_count } = &self.coupling;
        let (mut levers, mut torques) = ([Mat3::ZERO; SCALARS], [Vec3::ZERO; VECTORS]);
        for Member { of, arm, .. } in held {
            let arm = arm.unwrap_or(Vec3::ZERO);
            let scalars = levers.iter_mut().zip(&of.scalars);
            scalars.for_each(|(lever, scalar)| *lever += *scalar * skew(arm));
            let vectors = torques.iter_mut().zip(&of.vectors);
            vectors.for_each(|(torque, vector)| *torque += arm.cross(*vector));
        }
        let mut block = Mat3::ZERO;
        for (row, a) in isotropic.iter().zip(&levers).take(*scalar_count) {
            for (factor, b) in row.iter().zip(&levers).take(*scalar_count) {
                block += *factor * (*a * b.transpose());
            }
        }
        for (row, a) in directed.iter().zip(&torques).take(*vector_count) {
            for (factor, b) in row.iter().zip(&torques).take(*vector_count) {
                block += *factor * outer(*a, *b);
            }
        }
        block
    }

    /// Visits every block, unknown by unknown; blocks of the same two are to be added.
    ///
    /// Their number is the square of that of the vertices.
    pub(crate) fn visit_blocks(&self, mut visit: impl FnMut(VertexId, VertexId, Mat3)) {
        for a in &self.members {
            for b in &self.members {
                let block = self.block(&a.of, &b.of);
                for (row, left) in a.unknowns() {
                    for (column, right) in b.unknowns() {
                        visit(row, column, left * block * right.transpose());
                    }
                }
            }
        }
    }

    /// The unknowns of all vertices, once for each that goes by them.
    pub(crate) fn unknowns(&self) -> impl Iterator<Item = VertexId> {
        self.members.iter().flat_map(|member| member.unknowns().map(|(unknown, _)| unknown))
    }
}

impl Member {
    /// Velocity of the vertex.
    #[inline]
    fn velocity(&self, x: &[Vec3]) -> Vec3 {
        let own = x[self.unknown.index()];
        self.arm.map_or(own, |arm| own + x[self.unknown.index() + 1].cross(arm))
    }

    /// Its unknowns, each with what brings a force on the vertex to it.
    fn unknowns(&self) -> impl Iterator<Item = (VertexId, Mat3)> {
        let spin = self.arm.map(|arm| (VertexId(self.unknown.0 + 1), skew(arm)));
        std::iter::once((self.unknown, Mat3::IDENTITY)).chain(spin)
    }
}
