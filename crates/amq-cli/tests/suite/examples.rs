//! Every example of the help and of the README, run as it stands.

use crate::room::Room;

/// A line of an example that is a command, without its prompt and remark.
fn command(line: &str) -> Option<&str> {
    let command = line.strip_prefix("$ ")?;
    Some(command.split("  #").next().unwrap_or(command).trim_end())
}

#[test]
fn every_example_of_the_help_runs() {
    let root = Room::new().amq("--help").ends(0).text();
    let (_, commands) = root.split_once("Commands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.split_whitespace().next());
    let helps: Vec<String> = std::iter::once("--help".to_owned())
        .chain(names.filter(|&name| name != "help").map(|name| format!("{name} --help")))
        .collect();
    for help in helps {
        let room = Room::new();
        let text = room.amq(&help).ends(0).text();
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        let examples: Vec<&str> =
            text.lines().filter_map(|line| command(line.trim_start())).collect();
        assert!(!examples.is_empty(), "no example in amq {help}");
        if !examples.iter().any(|example| example.contains("-o seen.amq")) {
            room.amq("build -o seen.amq --fpr 1% keys.txt").ends(0);
        }
        room.write("table.csv", "key1,1\nkey2,2\n");
        for example in examples {
            let run = room.bash(example);
            assert_eq!(run.status, Some(0), "amq {help}: {example}: {run:?}");
        }
    }
}

/// What is printed under a command in the README is what it prints, errors included.
#[test]
fn every_example_of_the_readme_gives_what_is_printed_under_it() {
    let room = Room::new();
    let readme = include_str!("../../README.md");
    let blocks = readme.split("```console\n").skip(1);
    let mut commands = 0;
    for block in blocks {
        let block = block.split("```").next().unwrap();
        let mut lines = block.lines().peekable();
        while let Some(line) = lines.next() {
            let Some(command) = command(line) else {
                panic!("not a command: {line}");
            };
            let mut want = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                want += line;
                want.push('\n');
            }
            let run = room.bash(&format!("{{ {command}\n}} 2>&1"));
            assert_eq!(run.text(), want, "{command}");
            commands += 1;
        }
    }
    assert!(commands >= 10, "{commands}");
}
