//! What methods say of themselves on several types, written once.

/// What methods say of themselves on several types: texts about files, and examples, which want
/// the paths of the crate and of the type: `docs!(insert "amq_cuckoo" "CuckooFilter")`, and
/// `infallible` after it if inserting never fails. Without a type there is no example.
#[doc(hidden)]
#[macro_export]
macro_rules! docs {
    // An example: what is imported beside the type, and its lines.
    (@ $krate:literal $type:literal $with:literal $($text:expr),*) => {
        concat!(
            "\n```\nuse ", $krate, "::{", $type, ", ", $with, "};\n",
            "# fn main() -> Result<(), Box<dyn std::error::Error>> {\n",
            $($text,)*
            "# Ok(())\n# }\n```"
        )
    };
    // What tells the two ways of inserting apart.
    (@ put) => { "?" };
    (@ put infallible) => { "" };
    (@ extend $filter:literal $keys:literal) => {
        concat!($filter, ".try_extend([", $keys, "])?;\n")
    };
    (@ extend $filter:literal $keys:literal infallible) => {
        concat!($filter, ".extend([", $keys, "]);\n")
    };
    (new $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Goal"
            "// Room for a thousand keys at a false-positive rate of 1 %.\n",
            "let filter = ", $type, "::new(Goal::fpr(1000, 0.01))?;\n",
            "assert!(filter.is_empty());\n")
    };
    (build $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Budget"
            "let filter = ", $type, "::build(Budget::Fpr(0.01), [\"one\", \"two\", \"three\"])?;\n",
            "assert!(filter.contains(\"two\"));\n",
            "assert_eq!(filter.len(), 3);\n")
    };
    (plan $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Goal"
            "let plan = ", $type, "::plan(Goal::fpr(1_000_000, 0.01))?;\n",
            "assert!(plan.expected_fpr < 0.0101);\n",
            "println!(\"{plan}\"); // bytes, bits per key, rate\n")
    };
    (insert $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Goal"
            "let mut filter = ", $type, "::new(Goal::fpr(1000, 0.01))?;\n",
            "assert!(filter.insert(\"a key\")", $crate::docs!(@ put $($way)?), ".is_new());\n",
            "assert!(filter.contains(\"a key\"));\n")
    };
    (contains $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Budget"
            "let filter = ", $type, "::build(Budget::Fpr(0.01), 0..1000u64)?;\n",
            "assert!((0..1000u64).all(|key| filter.contains(&key)));\n",
            "// Of absent keys one in a hundred is answered `true`.\n",
            "let wrong = (1000..11_000u64).filter(|key| filter.contains(key)).count();\n",
            "assert!(wrong < 200);\n")
    };
    (contains_inserted $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Goal"
            "let mut filter = ", $type, "::new(Goal::fpr(1000, 0.01))?;\n",
            "filter.insert(\"a key\")?;\n",
            "assert!(filter.contains(\"a key\"));\n",
            "assert!(!filter.contains(\"another\")); // certain\n")
    };
    (remove $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Goal"
            "let mut filter = ", $type, "::new(Goal::fpr(1000, 0.01))?;\n",
            $crate::docs!(@ extend "filter" "\"one\", \"two\"" $($way)?),
            "assert!(filter.remove(\"one\"));\n",
            "assert!(!filter.contains(\"one\") && filter.contains(\"two\"));\n")
    };
    (count $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Goal"
            "let mut filter = ", $type, "::new(Goal::fpr(1000, 0.01))?;\n",
            $crate::docs!(@ extend "filter" "\"one\", \"two\", \"two\"" $($way)?),
            "assert_eq!(filter.count(\"two\").estimate, 2);\n")
    };
    (merge $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Goal"
            "let mut ours = ", $type, "::new(Goal::fpr(1000, 0.01))?;\n",
            "let mut theirs = ours.clone();\n",
            $crate::docs!(@ extend "ours" "\"one\", \"two\"" $($way)?),
            $crate::docs!(@ extend "theirs" "\"two\", \"three\"" $($way)?),
            "ours.merge(&theirs)?;\n",
            "assert!(ours.contains(\"one\") && ours.contains(\"three\"));\n")
    };
    (expected_fpr $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Budget"
            "let filter = ", $type, "::build(Budget::Fpr(0.01), 0..1000u64)?;\n",
            "assert!(filter.expected_fpr() < 0.02);\n",
            "println!(\"{}\", filter.stats()); // keys, load, bytes, rate\n")
    };
    (to_bytes $krate:literal $type:literal $($way:ident)?) => {
        $crate::docs!(@ $krate $type "Budget"
            "let filter = ", $type, "::build(Budget::Fpr(0.01), [\"one\", \"two\"])?;\n",
            "let bytes = filter.to_bytes()?; // or `save`, to a path\n",
            "assert_eq!(", $type, "::from_bytes(&bytes)?, filter);\n")
    };
    (from_bytes_with_seed) => {
        "Reads a file that withholds its seed, which must be `seed`. A file that stores \
         another seed is refused as `DecodeError::OtherSeed`."
    };
    (save) => {
        "Saves the filter as the file at `path`, whole or not at all: it is written to a temporary \
         file beside it, synced, and renamed. A folder, device, FIFO or link is refused.\n\
         \n\
         The new file takes over the mode of the file it replaces, and its owner and group as far as \
         the system allows; where it does not, nobody gains access. Access control lists are not \
         kept. **A file that tells a secret key, or a seed other than the public one, is its owner's \
         alone** (mode 600 on Unix, and the user's who saves), unless it replaces a file that told the \
         same. Any other new file has the mode that the system gives new files.\n\
         \n\
         The folder is synced, too, so that the new name lasts. Where the folder may be written but \
         not read, only the content is synced, and after a system crash \
         the name may still be the old file's. The temporary file is called \
         `.amq-<16 hexadecimal digits>.tmp`; only a killed process leaves one behind, and \
         it can be deleted."
    };
    (open) => {
        "The filter in these bytes, which stay where they are: one whole file and no more, beginning \
         at a multiple of 64. Everything is checked, in one pass over the bytes.\n\
         \n\
         # Mapped files\n\
         \n\
         The bytes may be a file mapped into memory, which must not change while it is mapped: no \
         check at opening can help later. If another process shortens the file, the next query that \
         touches a missing page raises `SIGBUS` on Unix, which ends the program; if it writes into \
         the file, the filter answers anything. Replace such a file by `save`, or write another one \
         and `rename` it: the map keeps the old file. Never truncate it or write it in place, as \
         `cp` and a shell's `>` do. If you cannot rule that out, load the filter instead."
    };
    (open_without_checking_payload) => {
        "As [`open`](Self::open), with the same conditions, but only header and directory are \
         checked: at once, whatever the size. **A payload that was damaged since it was written then \
         answers anything**, keys denied included."
    };
    ($of:ident) => { "" };
}
