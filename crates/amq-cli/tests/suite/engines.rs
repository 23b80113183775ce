//! `amq engines` prints what the library says.

use crate::room::Room;
use amq_advisor::engines::Engine;
use serde_json::Value;

#[test]
fn every_engine_has_its_lines_or_says_why_not() {
    let room = Room::new();
    let run = room.amq("engines --keys 1e8 --fpr 0.5% --json").ends(0).text();
    let lines: Vec<Value> = run.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), Engine::ALL.len());
    for (told, engine) in lines.iter().zip(Engine::ALL) {
        match engine.setting(100_000_000, 0.005) {
            Ok(setting) => {
                assert_eq!(told["line"], setting.line.as_str());
                assert_eq!(told["fpr"], setting.fpr);
                assert_eq!(told["default"], setting.default);
            }
            Err(error) => assert_eq!(told["error"], error.to_string()),
        }
    }
    let words = room.amq("engines --keys 1e8 --fpr 0.5%").ends(0).text();
    for line in lines.iter().filter_map(|told| told["line"].as_str()) {
        assert!(line.lines().all(|line| words.contains(line)), "{line}");
    }
    let one = room.amq("engines --keys 1e6 --columns 2 postgresql").ends(0).text();
    assert!(one.contains("CREATE EXTENSION IF NOT EXISTS bloom;") && one.contains("(c1, c2)"));
    assert!(!one.contains("Redis"));
    let none = room.amq("engines --keys 1e6 oracle").ends(2).err;
    assert!(none.contains("oracle") && none.contains("Cassandra"), "{none}");
}
