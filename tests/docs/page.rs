//! The dialogues of a page.

use crate::figures::without_figures;

/// A page, and the commands in it.
pub struct Page {
    lines: Vec<String>,
    pub commands: Vec<Command>,
    /// The line, from 1, of a command that is neither run nor said to be left out.
    pub stray: Option<usize>,
}

/// A command of a dialogue.
pub struct Command {
    /// Its first line in the page, from 0.
    pub line: usize,
    /// As it is typed, without the prompt; several lines where it has a here-document.
    pub text: String,
    /// What the page says that it prints.
    pub expected: Vec<String>,
    /// A whole block of commands that must end well.
    pub is_script: bool,
    /// The lines of `expected` in the page.
    shown: std::ops::Range<usize>,
}

impl Page {
    pub fn new(text: &str) -> Page {
        let lines: Vec<String> = text.lines().map(String::from).collect();
        let (mut commands, mut stray) = (vec![], None);
        let mut at = 0;
        while at < lines.len() {
            at += 1;
            let Some(language) = lines[at - 1].strip_prefix("```") else { continue };
            let end = at + lines[at..].iter().position(|line| line == "```").expect("a block has an end");
            match language {
                _ if is_left_out(&lines[..at - 1]) => {}
                "console" => {
                    while at < end {
                        commands.push(Command::read(&lines, &mut at));
                    }
                }
                "sh" => commands.push(Command {
                    line: at,
                    text: format!("set -e\n{}", lines[at..end].join("\n")),
                    expected: vec![],
                    is_script: true,
                    shown: end..end,
                }),
                _ => {
                    let is_command = |line: &String| line.starts_with("$ ") || line.starts_with("ggsolve ");
                    stray = stray.or(lines[at..end].iter().position(is_command).map(|line| at + line + 1));
                }
            }
            at = end + 1;
        }
        Page { lines, commands, stray }
    }

    /// Shows `printed` below a command.
    pub fn replace(&mut self, place: usize, printed: &str) {
        let new: Vec<String> = printed.trim_end().lines().map(String::from).collect();
        let shown = self.commands[place].shown.clone();
        let more = new.len() as isize - shown.len() as isize;
        self.lines.splice(shown, new);
        for command in &mut self.commands[place + 1..] {
            let moved = |line: usize| line.checked_add_signed(more).expect("lines of a page");
            command.shown = moved(command.shown.start)..moved(command.shown.end);
        }
    }

    pub fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}

impl Command {
    /// The command at a line, which is left behind what it prints.
    fn read(lines: &[String], at: &mut usize) -> Command {
        let line = *at;
        let first = lines[line].strip_prefix("$ ");
        let first = first.unwrap_or_else(|| panic!("line {}: a block starts with a command", line + 1));
        let mut text = first.to_owned();
        *at += 1;
        if let Some((_, mark)) = first.split_once("<<") {
            let mark = mark.trim().trim_matches('\'');
            loop {
                text = format!("{text}\n{}", lines[*at]);
                *at += 1;
                if lines[*at - 1] == mark {
                    break;
                }
            }
        }
        while text.ends_with('\\') {
            text = format!("{text}\n{}", lines[*at]);
            *at += 1;
        }
        let start = *at;
        while lines[*at] != "```" && !lines[*at].starts_with("$ ") {
            *at += 1;
        }
        Command { line, text, expected: lines[start..*at].to_vec(), is_script: false, shown: start..*at }
    }

    /// Whether what is printed is what the page shows.
    pub fn agrees(&self, printed: &str) -> bool {
        let expected: Vec<String> = self.expected.iter().map(|line| without_figures(line)).collect();
        let printed: Vec<String> = printed.trim_end().lines().map(without_figures).collect();
        expected.is_empty() || matches(&expected, &printed)
    }
}

/// Whether the lines above a block say why it is not run.
fn is_left_out(above: &[String]) -> bool {
    let told = above.iter().rev().find(|line| !line.is_empty());
    let reason = told.and_then(|line| line.strip_prefix("<!-- not run: ")?.strip_suffix(" -->"));
    reason.is_some_and(|reason| !reason.is_empty())
}

/// `…` alone on a line stands for any number of lines.
fn matches(expected: &[String], printed: &[String]) -> bool {
    match expected {
        [] => printed.is_empty(),
        [first, rest @ ..] if first.trim() == "…" => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        [first, rest @ ..] => printed.first().is_some_and(|line| line == first) && matches(rest, &printed[1..]),
    }
}

#[test]
fn figures_may_differ_and_nothing_else() {
    let command = |expected: &[&str]| Command {
        line: 0,
        text: String::new(),
        expected: expected.iter().map(|line| line.to_string()).collect(),
        is_script: false,
        shown: 0..0,
    };
    assert!(command(&["parse 0.3 ms, 7 states", "…", "end"]).agrees("parse 12.9 s, 7 states\na\nb\nend\n"));
    assert!(command(&["…", "end"]).agrees("end\n"));
    assert!(!command(&["parse 0.3 ms, 7 states"]).agrees("parse 0.3 ms, 8 states\n"));
    assert!(!command(&["a", "b"]).agrees("a\n"));
    assert!(!command(&["a"]).agrees("a\nb\n"));
}

#[test]
fn a_page_is_read_and_written_back() {
    let text = "x\n```console\n$ cat <<'E'\n$ no\nE\n$ no\n$ true\n```\ny\n```console\n$ a\nb\n```\n";
    let mut page = Page::new(text);
    let texts: Vec<&str> = page.commands.iter().map(|command| command.text.as_str()).collect();
    assert_eq!(texts, ["cat <<'E'\n$ no\nE", "no", "true", "a"]);
    assert_eq!(page.commands[3].expected, ["b"]);
    page.replace(0, "new\nlines\n");
    page.replace(3, "c\n");
    let new = "x\n```console\n$ cat <<'E'\n$ no\nE\nnew\nlines\n$ no\n$ true\n```\ny\n```console\n$ a\nc\n```\n";
    assert_eq!(page.text(), new);
}

#[test]
fn a_block_is_run_or_says_why_not() {
    let page = |text: &str| Page::new(text);
    let script = page("```sh\nfalse\ntrue\n```\n");
    assert!(script.commands[0].is_script && script.commands[0].text == "set -e\nfalse\ntrue");
    for left_out in
        ["<!-- not run: it takes hours -->\n```sh\na\n```\n", "<!-- not run: a b -->\n\n```console\n$ a\n```\n"]
    {
        assert!(page(left_out).commands.is_empty() && page(left_out).stray.is_none());
    }
    assert_eq!(page("<!-- not run:  -->\n```sh\na\n```\n").commands.len(), 1);
    assert_eq!(page("x\n```bash\ny\nggsolve check a.gdl\n```\n").stray, Some(4));
    assert_eq!(page("```text\nggsolve: solves games\n```\n").stray, None);
}
