// The documents, which `@svc-runtime/server` contains: those of the project, or those beside this tool.
import { Effect, FileSystem, Path } from "effect"
import { CommandFailed } from "../CliError.ts"
import { Environment } from "../Environment.ts"
import { inWords } from "../FileError.ts"
import type { Page } from "./Search.ts"
import { type Section, sectionsOf } from "./Sections.ts"

const inModules = "node_modules/@svc-runtime/server/docs"

/** A folder is that of the documents if it has this page. */
const known = "concepts/durability.md"

const missing = new CommandFailed({
  message: "The documents are in @svc-runtime/server, which is not installed here.",
  hint: "Run npm install in a project, or create one with svc create."
})

/** The folder of the documents. The version of a project comes before that of the tool. */
export const folder = Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  const above = cwd.split(path.sep).map((_, index, names) => names.slice(0, names.length - index).join(path.sep))
  // installed beside the tool, and in the repository
  const beside = ["../server/docs", "../../../../docs"].map((place) => path.join(import.meta.dirname, place))
  const candidates = [...above.map((directory) => path.join(directory || path.sep, inModules)), ...beside]
  for (const directory of candidates) {
    if (yield* Effect.orElseSucceed(files.exists(path.join(directory, known)), () => false)) return directory
  }
  return yield* missing
})

/** All pages. */
export const pages = Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* folder
  const names = yield* files.readDirectory(directory, { recursive: true })
  return yield* Effect.forEach(
    names.map((name) => name.replaceAll("\\", "/")).filter((name) => name.endsWith(".md")).toSorted(),
    (name) => Effect.map(files.readFileString(path.join(directory, name)), (text): Page => ({ path: name, text })),
    { concurrency: 16 }
  )
}).pipe(
  Effect.catchTag(
    "PlatformError",
    (error) => Effect.fail(new CommandFailed({ message: `Could not read the documents: ${inWords(error)}` }))
  )
)

/** The section with an anchor, and the sections below it. */
const sectionOf = (sections: ReadonlyArray<Section>, anchor: string): string | undefined => {
  const start = sections.findIndex((section) => section.anchor === anchor)
  if (start < 0) return undefined
  const level = sections[start]?.level ?? 0
  const end = sections.findIndex((section, index) => index > start && section.level <= level)
  return sections.slice(start, end < 0 ? undefined : end).map(({ text }) => text).join("\n").trim()
}

/** A page by its path or by the end of it, such as `tools`. With an anchor, as in `tools#durable-calls`, a section. */
export const page = (all: ReadonlyArray<Page>, name: string): Effect.Effect<Page, CommandFailed> => {
  const [wanted = "", anchor = ""] = name.trim().replace(/^(\.?\/|docs\/)+/, "").split("#")
  const file = wanted.endsWith(".md") ? wanted : `${wanted}.md`
  const found = all.filter(({ path }) => path === file)
  const ending = found.length > 0 ? found : all.filter(({ path }) => path.endsWith(`/${file}`))
  const [first, ...others] = ending
  if (first === undefined) {
    return Effect.fail(
      new CommandFailed({ message: `There is no page ${wanted}.`, hint: "svc docs lists the pages." })
    )
  }
  if (others.length > 0) {
    const names = ending.map(({ path }) => path).join(", ")
    return Effect.fail(new CommandFailed({ message: `Several pages have this name: ${names}.` }))
  }
  if (anchor === "") return Effect.succeed(first)
  const sections = sectionsOf(first.text)
  const text = sectionOf(sections, anchor)
  const anchors = sections.map((section) => section.anchor).filter((each) => each !== "").join(", ")
  return text === undefined
    ? Effect.fail(
      new CommandFailed({ message: `${first.path} has no section ${anchor}.`, hint: `It has: ${anchors}.` })
    )
    : Effect.succeed({ path: `${first.path}#${anchor}`, text })
}
