//! Groups that fall, lie, slide and hang in cloth.
