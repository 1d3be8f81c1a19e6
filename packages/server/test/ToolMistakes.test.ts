// Mistakes in what is made for tools and jobs: the toolkit, MCP servers, databases, tools of providers.
import { describe } from "@effect/vitest"
import { areRefused, type Mistaken, untyped } from "./Mistaken.ts"

const { Agent, DatabaseHandle, JobKind, McpTools, ProviderTool, Toolkit } = untyped

const form = "postgres://user:password@host:port/database"

const mistakes: ReadonlyArray<Mistaken> = [
  [
    "SQL without options",
    () => Toolkit.sqlQuery(),
    "Toolkit.sqlQuery takes an object with options, and was given undefined. Write an object, such as { url: … }"
  ],
  [
    "SQL of an address",
    () => Toolkit.sqlQuery("postgres://u:p@h/d"),
    "Toolkit.sqlQuery takes an object with options, and was given a text. Write an object, such as { url: … }"
  ],
  [
    "SQL without an address",
    () => Toolkit.sqlQuery({}),
    `The tool of SQL queries: there is no url. Give it one of the form ${form}`
  ],
  [
    "SQL with a number as its address",
    () => Toolkit.sqlQuery({ url: 5 }),
    "Toolkit.sqlQuery: url must be a secret (a text or Redacted), and is a number"
  ],
  [
    "a number of rows as a text",
    () => Toolkit.sqlQuery({ url: "postgres://u:p@h/d", maxRows: "5" }),
    "The tool of SQL queries: maxRows must be a whole number of at least 1, and is the text '5'"
  ],
  [
    "files of a path",
    () => Toolkit.fileSystem("./"),
    "Toolkit.fileSystem takes an object with options, and was given the text './'. Write an object, such as { root: … }"
  ],
  [
    "files without a root",
    () => Toolkit.fileSystem({}),
    "The tools of files: there is no root. Give it the directory that models may read"
  ],
  [
    "files of a directory by another name",
    () => Toolkit.fileSystem({ directory: "." }),
    "Toolkit.fileSystem: there is no option 'directory'. Did you mean 'root'?"
  ],
  [
    "HTTP of an address",
    () => Toolkit.httpFetch("https://example.org"),
    "Toolkit.httpFetch takes an object with options, and was given the text 'https://example.org'. Write an object, such " +
    "as { maxBytes: … }"
  ],
  [
    "a waiting time as a text",
    () => Toolkit.sleep("5 seconds"),
    "Toolkit.sleep takes an object with options, and was given the text '5 seconds'. Write an object, such as " +
    "{ longest: … }"
  ],
  [
    "a tool of the toolkit that was not called",
    () => Agent.make({ id: "a", tools: [Toolkit["calculator"]] }),
    "Agent 'a': tools[0] must be a tool, and is Toolkit.calculator. Call it with its options: Toolkit.calculator({ … })"
  ],
  [
    "an MCP server without an address and a program",
    () => McpTools.make({ name: "m" }),
    "The MCP server 'm' needs a url, for HTTP, or a command, which is started, and has none"
  ],
  [
    "an MCP server with an address and a program",
    () => McpTools.make({ name: "m", url: "http://x", command: "y" }),
    "The MCP server 'm' needs a url, for HTTP, or a command, which is started, and has both"
  ],
  [
    "a tool of a provider without a name",
    () => ProviderTool.make({ type: "provider" }),
    "ProviderTool takes a name first, and was given an object with type. Write ProviderTool.make(\"name\", tool)"
  ],
  [
    "a tool of a provider without the tool",
    () => ProviderTool.make("web_search"),
    "ProviderTool takes the tool of the provider behind the name, and was given undefined. Write " +
    "ProviderTool.make(\"name\", tool)"
  ],
  [
    "a database without options",
    () => DatabaseHandle.postgres(),
    "The database takes an object with options, and was given undefined. Write an object, such as { id: … }"
  ],
  [
    "a database of an address",
    () => DatabaseHandle.postgres("postgres://u:secret@h/d"),
    "The database takes an object with options, and was given a text. Write an object, such as { id: … }"
  ],
  [
    "an embedded database by another name",
    () => DatabaseHandle.embedded({ id: "d", path: "x" }),
    "The database 'd': there is no option 'path'. Its options are id, dataDir"
  ],
  [
    "jobs of a name",
    () => JobKind.make("mail"),
    "JobKind takes an object with options, and was given the text 'mail'. Write an object, such as { name: … }"
  ],
  [
    "jobs without a schema",
    () => JobKind.make({ name: "mail", handle: () => undefined }),
    "JobKind 'mail': payload must be a Schema of Effect, and is undefined. Is it exported under this name, and defined " +
    "before it is used?"
  ],
  [
    "jobs with another name of the function",
    () => JobKind.make({ name: "mail", handler: () => undefined }),
    "JobKind 'mail': there is no option 'handler'. Did you mean 'handle'?"
  ]
]

describe("mistakes in what is made for tools and jobs", () => areRefused(mistakes))
