// Config files as users have them, in what they hold and in how they are laid out: every one of them has to survive an
// entry that comes and goes to the last byte.
export interface Sample {
  readonly title: string
  readonly text: string
}

const sample = (title: string, text: string): Sample => ({ title, text })

const stored = {
  numStartups: 184,
  tipsHistory: { "new-user-warmup": 1 },
  projects: { "/home/ada/work": { allowedTools: [], mcpServers: {}, history: [{ display: "say \"hi\"" }] } },
  mcpServers: { docs: { type: "http", url: "https://docs.example.com/mcp" } },
  userID: "9f86d081884c7d659a2feaa0c55ad015"
}

export const json: ReadonlyArray<Sample> = [
  sample("an empty object", "{}"),
  sample("an empty object with a line end", "{}\n"),
  sample("an empty object on two lines", "{\n}\n"),
  sample("an empty table of servers", "{\n  \"mcpServers\": {}\n}\n"),
  sample("an empty table of servers on one line", "{\"mcpServers\":{}}"),
  sample("an empty table of servers on two lines", "{\n  \"mcpServers\": {\n  }\n}\n"),
  sample("a table of servers with a blank in it", "{ \"mcpServers\": { } }"),
  sample("stored by a program, two blanks", JSON.stringify(stored, null, 2)),
  sample("stored by a program, four blanks", `${JSON.stringify(stored, null, 4)}\n`),
  sample("stored by a program, tabs", `${JSON.stringify(stored, null, "\t")}\n`),
  sample("stored by a program, on one line", JSON.stringify(stored)),
  sample("Windows line ends", JSON.stringify(stored, null, 2).replaceAll("\n", "\r\n")),
  sample(
    "mixed line ends",
    "{\r\n  \"a\": 1,\n  \"mcpServers\": {\r\n    \"x\": {\"url\": \"http://x/mcp\"}\n  }\r\n}"
  ),
  sample("other settings only", "{\n  \"theme\": \"dark\",\n  \"globalShortcut\": \"Ctrl+Space\"\n}\n"),
  sample("other settings on one line", "{\"theme\": \"dark\", \"scale\": 1.0}"),
  sample(
    "numbers that no double can hold",
    "{\n  \"big\": 123456789012345678901234567890,\n  \"exact\": 1.0,\n  \"tiny\": 1E-7,\n  \"zero\": -0\n}\n"
  ),
  sample("keys that look like indexes", "{\"10\": 1, \"2\": 2, \"1\": {\"b\": 1, \"a\": 2}}"),
  sample(
    "comments",
    "// mine\n{\n  /* block */ \"a\": 1, // one\n  // before\n  \"b\": 2 // two\n  // last\n}\n// after\n"
  ),
  sample("comments among servers", "{\n  \"mcpServers\": {\n    // the first\n    \"x\": {} // about x\n  }\n}\n"),
  sample("only a comment among servers", "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n"),
  sample("only a comment", "{ // nothing\n}\n"),
  sample("a comment behind the last member on its line", "{ \"a\": 1 /* one */ }"),
  sample("a line comment behind members on one line", "{ \"a\": 1, \"b\": 2 // two\n}"),
  sample(
    "trailing commas",
    "{\n  \"a\": [1, 2,],\n  \"mcpServers\": {\n    \"x\": { \"url\": \"http://x\", },\n  },\n}\n"
  ),
  sample("a trailing comma and a comment", "{\n  \"mcpServers\": {\n    \"x\": {}, // x\n    // end\n  }, // end\n}\n"),
  sample("commas in front", "{\n    \"a\": 1\n  , \"mcpServers\": {\n        \"x\": {}\n      , \"y\": {}\n    }\n}\n"),
  sample("a comma inside of a comment", "{\n  \"a\": 1 /* , */\n}\n"),
  sample(
    "names that look alike",
    "{\"mcpServers\": {\"Svc\": {}, \"svc \": {}, \"svc-2\": {}, \"my.svc\": {}, \"\\u0073vc2\": {}}}"
  ),
  sample(
    "tables that look alike",
    "{\n  \"mcpservers\": {\"svc\": {}},\n  \"mcp_servers\": {\"svc\": {}},\n  \"nested\": {\"mcpServers\": {\"svc\": {}}}\n}\n"
  ),
  sample(
    "the name inside of a string",
    "{\n  \"note\": \"\\\"mcpServers\\\": {\\\"svc\\\": {}}\",\n  \"mcpServers\": {\"x\": {\"url\": \"{svc}\"}}\n}\n"
  ),
  sample(
    "unicode",
    "{\n  \"größe\": \"日本語 🦆\",\n  \"mcpServers\": {\"ünï\": {\"url\": \"http://ü\"}},\n  \"escaped\": \"\\ud83e\\udd86 \\/\"\n}\n"
  ),
  sample(
    "no final line end, deep indentation",
    "      {\n        \"mcpServers\": {\n          \"x\": {}\n        }\n      }"
  ),
  sample("blank lines", "\n\n{\n\n  \"a\": 1,\n\n  \"mcpServers\": {\n\n    \"x\": {}\n\n  }\n\n}\n\n"),
  sample("blanks at the ends of lines", "{  \n  \"mcpServers\": {  \n    \"x\": {}  \n  }  \n}  \n"),
  sample("colons aligned", "{\n  \"a\"          : 1,\n  \"mcpServers\" : { \"x\" : { } }\n}\n"),
  sample(
    "servers first, more behind",
    "{\n  \"mcpServers\": {\n    \"x\": {}\n  },\n  \"z\": null,\n  \"y\": [\n    1\n  ]\n}\n"
  )
]

export const toml: ReadonlyArray<Sample> = [
  sample("an empty file", ""),
  sample("a line end", "\n"),
  sample("only a comment", "# nothing yet\n"),
  sample("a comment without line end", "# nothing yet"),
  sample("settings", "model = \"gpt-5-codex\"\napproval_policy = \"on-request\"\n"),
  sample("settings without line end", "model = \"gpt-5-codex\""),
  sample("blank lines at the end", "model = \"gpt-5-codex\"\n\n\n"),
  sample("Windows line ends", "# mine\r\nmodel = \"m\"\r\n\r\n[mcp_servers.docs]\r\nurl = \"https://d/mcp\"\r\n"),
  sample("Windows line ends, none at the end", "model = \"m\"\r\n[tui]\r\ntheme = \"x\""),
  sample(
    "other servers",
    "[mcp_servers.docs]\ncommand = \"npx\"\nargs = [\"-y\", \"docs\"]\n\n[mcp_servers.docs.env]\nKEY = \"v\"\n"
  ),
  sample("a table of servers", "[mcp_servers]\nx = { url = \"http://x\" } # x\ny.url = \"http://y\"\n\n[tui]\na = 1\n"),
  sample("an empty table of servers", "[mcp_servers]\n"),
  sample("dotted keys", "mcp_servers.x.url = \"http://x\"\nmcp_servers.y.url = \"http://y\"\n"),
  sample(
    "names that look alike",
    "[mcp_servers.Svc]\nurl=\"a\"\n[mcp_servers.\"svc \"]\nurl=\"b\"\n[mcp_servers.svc-2]\nurl=\"c\"\n"
  ),
  sample("tables that look alike", "[mcp_server.svc]\na = 1\n[other.mcp_servers.svc]\na = 1\n[svc]\nb = 2\n"),
  sample("arrays of tables", "[[hooks]]\nname = \"a\"\n\n[[hooks]]\nname = \"b\"\n[hooks.mcp_servers.svc]\nx = 1\n"),
  sample(
    "headers with blanks and quotes",
    "[ mcp_servers . 'a b' ] # c\nurl = 'x'\n[\"mcp_servers\".x]\nurl = \"y\"\n"
  ),
  sample(
    "text that looks like tables",
    "a = \"\"\"\n[mcp_servers.svc]\nsvc = { }\n\"\"\"\nb = '''\n[mcp_servers.svc]\n'''\n"
  ),
  sample("arrays over several lines", "notify = [\n  # first\n  \"a\",\n  [\"b\"],\n]\n[tools]\nx = [\n[1],\n]\n"),
  sample(
    "numbers and dates",
    "big = 9007199254740993123\nhex = 0xDEAD_beef\nf = 1.0\nd = 1979-05-27T07:32:00.999999-08:00\nt = 07:32:00\ninf = inf\n"
  ),
  sample("comments everywhere", "# top\n\n[a] # a\n# in a\nx = 1 # x\n\n# before b\n[b]\ny = 2\n\n# the end\n"),
  sample("unicode", "\"größe\" = \"日本語 🦆\"\n[mcp_servers.\"ünï\"]\nurl = \"http://ü\"\n"),
  sample("tabs and blanks", "\tmodel\t=\t\"m\"  \n\n  [tui]  \n\ttheme = \"x\"\t# t\n"),
  sample(
    "tables out of order",
    "[mcp_servers.x]\nurl = \"a\"\n[tui]\na = 1\n[mcp_servers.y]\nurl = \"b\"\n[profiles.fast]\nmodel = \"m\"\n"
  )
]
