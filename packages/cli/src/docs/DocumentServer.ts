// The MCP server of the documents, on standard input and output, for coding assistants. It needs no service.
import { Effect, Fiber, Layer, Schema, Stdio, Stream } from "effect"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
import { sentencesOf } from "../CliError.ts"
import { version } from "../version.ts"
import * as Documents from "./Documents.ts"
import { type Page, search } from "./Search.ts"

const Found = Schema.Struct({
  path: Schema.String,
  title: Schema.String,
  section: Schema.String,
  excerpt: Schema.String
})

const searchDocs = Tool.make("search_docs", {
  description: "Searches the documents of Svc, the runtime service for AI agents in TypeScript. It returns sections " +
    "with a path, which read_doc reads.",
  parameters: Schema.Struct({
    query: Schema.String.annotate({ description: "Words, names of options, settings or error messages" }),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })).annotate({
        description: "How many sections, at most 20. Default: 8"
      })
    )
  }),
  success: Schema.Struct({ results: Schema.Array(Found) })
}).annotate(Tool.Readonly, true).annotate(Tool.Destructive, false).annotate(Tool.OpenWorld, false)

const readDoc = Tool.make("read_doc", {
  description: "Reads a page of the documents of Svc, or one section of it, as Markdown.",
  parameters: Schema.Struct({
    path: Schema.String.annotate({
      description: "A path of search_docs, such as guides/tools.md#durable-calls. README.md lists the pages"
    })
  }),
  success: Schema.Struct({ path: Schema.String, text: Schema.String }),
  failure: Schema.String
}).annotate(Tool.Readonly, true).annotate(Tool.Destructive, false).annotate(Tool.OpenWorld, false)

const toolkit = Toolkit.make(searchDocs, readDoc)

const handlers = (pages: ReadonlyArray<Page>) =>
  toolkit.toLayer({
    search_docs: ({ limit = 8, query }) =>
      Effect.sync(() => ({
        results: search(pages, query, limit).map(({ anchor, excerpt, path, section, title }) => ({
          path: anchor === "" ? path : `${path}#${anchor}`,
          title,
          section,
          excerpt
        }))
      })),
    read_doc: ({ path }) => Effect.mapError(Documents.page(pages, path), sentencesOf)
  })

const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05,
  McpProtocol.v2026_07_28
] as const

const isJson = (line: string): boolean => {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

const parseError = `${
  JSON.stringify({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32700, message: "Parse error: the line is no JSON" }
  })
}\n`

/** A line that is no JSON gets an error. Effect's reader of lines would fail, and lose what follows. */
const lines = Effect.map(Stdio.Stdio, (stdio) => ({
  ...stdio,
  stdin: stdio.stdin.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.filter((line) => line.trim() !== ""),
    Stream.filterEffect((line) =>
      isJson(line) ? Effect.succeed(true) : Effect.as(Stream.run(Stream.make(parseError), stdio.stdout()), false)
    ),
    Stream.map((line) => `${line}\n`),
    Stream.encodeText
  )
}))

/** Serves until standard input ends, which interrupts the server and not the command. */
export const run = Effect.gen(function*() {
  const pages = yield* Documents.pages
  const server = McpServer.layerStdio({
    name: "svc-docs",
    version,
    instructions: "The documents of Svc. Search before you write code for it: names of options are checked at start.",
    protocols,
    registrations: McpServer.toolkit(toolkit).pipe(Layer.provide(handlers(pages)))
  }).pipe(Layer.provide(Layer.effect(Stdio.Stdio, lines)))
  yield* Fiber.await(yield* Effect.forkChild(Layer.launch(server)))
})
