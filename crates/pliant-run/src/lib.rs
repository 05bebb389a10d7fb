//! Files for Pliant: everything that touches the disk.
