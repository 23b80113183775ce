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
        // A terminal has 80 columns, and a command that is broken cannot be copied.
        let (_, after) = text.split_once("\nExamples:\n").unwrap();
        let long = after.lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None, "amq {help}");
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

/// The commands of a page's shell blocks, in order, each with what is shown under it. Those of
/// `cargo` are left out: they install or test this program.
fn shown(page: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut kind = None;
    let mut skipped = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), kind) {
            (Some("console" | "sh"), None) => kind = line.strip_prefix("```"),
            (Some(_), None) => kind = Some("other"),
            (Some(_), Some(_)) => kind = None,
            (None, Some("other") | None) => {}
            (None, Some(block)) => {
                let given = if block == "sh" { Some(line) } else { command(line) };
                match given {
                    Some(given) if given.starts_with("cargo ") => skipped = true,
                    Some(given) => {
                        skipped = false;
                        commands.push((given.to_owned(), String::new()));
                    }
                    None if skipped => {}
                    None => {
                        let (_, output) = commands.last_mut().unwrap();
                        *output += &format!("{line}\n");
                    }
                }
            }
        }
    }
    commands
}

/// What is printed under a command in the README is what it prints, errors included, if all are run
/// in their order in one folder. Every command shows what it prints.
#[test]
fn every_example_of_the_readme_gives_what_is_printed_under_it() {
    let room = Room::new();
    let page = include_str!("../../README.md");
    // As `wc -w` counts them.
    assert!(page.split_whitespace().count() <= 1800, "{}", page.split_whitespace().count());
    let commands = shown(page);
    assert!(commands.len() >= 20, "{}", commands.len());
    for (command, output) in commands {
        let run = room.bash(&format!("export HOME=$PWD; {{ {command}\n}} 2>&1"));
        assert_eq!(run.text(), output, "{command}");
    }
    // What the README says is kept for next time is there.
    assert!(room.exists(".local/share/man/man1/amq-build.1"));
}

/// The commands of the first page and of the page on choosing, in blocks and in lines of text: they
/// run, in their order in one folder, and show no output.
#[test]
fn every_example_of_the_first_pages_runs() {
    let pages = [include_str!("../../../../README.md"), include_str!("../../../amq/CHOOSING.md")];
    let room = Room::new();
    for page in pages {
        // What has no options is the name of a command.
        let of_text = page.lines().flat_map(|line| line.split('`'));
        let of_text = of_text.filter(|code| code.starts_with("amq ") && code.contains(" -"));
        let of_text = of_text.map(|code| (code.to_owned(), String::new()));
        let commands: Vec<_> = of_text.chain(shown(page)).collect();
        assert!(!commands.is_empty());
        for (command, output) in commands {
            assert_eq!(output, "", "{command}");
            assert_eq!(room.bash(&command).status, Some(0), "{command}");
        }
    }
}
