// `svc docs WORDS`: searches the documents, without a network. `svc docs --page NAME` prints a page.
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { UsageError } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import * as Flags from "../Flags.ts"
import { Output } from "../terminal/Output.ts"

// loaded on demand, because other commands do not need them
const documents = Effect.promise(() => import("../docs/Documents.ts"))
const searching = Effect.promise(() => import("../docs/Search.ts"))
const sections = Effect.promise(() => import("../docs/Sections.ts"))

const printPage = Effect.fnUntraced(function*(name: string) {
  const output = yield* Output
  const { page, pages } = yield* documents
  const found = yield* page(yield* pages, name)
  return { document: { ...found }, human: output.line(found.text.trimEnd()) }
})

const listPages = Effect.gen(function*() {
  const output = yield* Output
  const { pages } = yield* documents
  const { sectionsOf } = yield* sections
  const listed = (yield* pages).map(({ path, text }) => ({
    path,
    title: sectionsOf(text).find(({ level }) => level === 1)?.heading ?? path
  }))
  return {
    document: { pages: listed },
    human: output.table(
      [{ title: "Page" }, { title: "Title" }],
      listed.map(({ path, title }) => [path, title])
    )
  }
})

const findSections = Effect.fnUntraced(function*(query: string, limit: number) {
  const output = yield* Output
  const { pages } = yield* documents
  const { search } = yield* searching
  const { bold, cyan, dim } = output.style
  const results = search(yield* pages, query, limit).map(({ anchor, path, ...found }) => ({
    path: anchor === "" ? path : `${path}#${anchor}`,
    ...found
  }))
  const human = Effect.gen(function*() {
    if (results.length === 0) return yield* output.line(`Nothing was found for: ${query}`)
    for (const { excerpt, path, section, title } of results) {
      yield* output.line(`${bold(section === "" ? title : `${title} › ${section}`)}  ${cyan(path)}`)
      yield* output.line(`  ${excerpt}\n`)
    }
    yield* output.line(dim(`svc docs --page ${results[0]?.path ?? ""} prints the first one.`))
  })
  return { document: { query, results }, ending: results.length === 0 ? "failed" as const : undefined, human }
})

export const docs = Command.make("docs", {
  words: Argument.String("words").pipe(
    Argument.withDescription("What to look for (default: list the pages)"),
    Argument.variadic()
  ),
  page: Flags.text("page", "NAME", "Print a page, or with #HEADING a section"),
  limit: Flags.limit,
  json: Flags.json
}, ({ json, limit, page, words }) =>
  present(
    json,
    Effect.gen(function*() {
      if (page !== undefined && words.length > 0) {
        return yield* new UsageError({ message: "Give words to look for, or --page, not both" })
      }
      if (page !== undefined) return yield* printPage(page)
      return words.length === 0 ? yield* listPages : yield* findSections(words.join(" "), Math.min(limit, 20))
    })
  )).pipe(
    Command.withDescription(
      "Search the documents in the terminal, without a network. They are those of @svc-runtime/server in the project, " +
        "in node_modules/@svc-runtime/server/docs. Without words it lists the pages."
    ),
    Command.withShortDescription("Search and read the documents"),
    Command.withExamples([
      { command: "svc docs tool that needs an approval" },
      { command: "svc docs --page guides/tools.md#durable-calls", description: "One section" },
      { command: "svc docs requiresConfirmation --json --limit 3" }
    ])
  )
