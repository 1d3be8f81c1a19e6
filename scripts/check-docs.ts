// The TypeScript blocks of the documents are regions of files in packages/*/test/documents, which the compiler checks.
// Those of docs/recipes are made from files that tests execute. A block that no region equals is refused, and so is a
// script, a command of svc, a link, an anchor or a file that does not exist.
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, matchesGlob } from "node:path"
import { staleErrors } from "./errors.ts"
import { staleRecipes } from "./recipes.ts"
import { anchorsIn } from "./site/Links.ts"

const root = join(import.meta.dirname, "..")

const read = (patterns: ReadonlyArray<string>) =>
  globSync([...patterns], { cwd: root, exclude: (name) => /^(node_modules|dist)$/.test(name) })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

const documents = read([
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "clients/*/README.md",
  "packages/*/src/**/README.md"
])

const matches = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(text.matchAll(pattern), ([, found]) => found ?? "")

const blocksOf = (text: string, language: string) =>
  matches(text, new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm")).map((block) => block.trimEnd())

const regions = new Set(
  read(["packages/*/test/documents/**/*.ts"])
    .flatMap(({ text }) => matches(text, /^\/\/ #region\n([\s\S]*?)^\/\/ #endregion$/gm))
    .map((region) => region.trimEnd())
)

const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)

const commandFiles = read(["packages/cli/src/**/*.ts"])
const commands = new Set(commandFiles.flatMap(({ text }) => matches(text, /\bCommand\.make\(\s*"([\w-]+)"/g)))

/** Files that a document tells its reader to create. */
const created = /(^|\/)(mine|shop|orders|buy|receiver|Note|Notes(Api|Handlers)|(Sql)?NoteStore|migrations)\.ts$/

const exists = (document: string, file: string): boolean =>
  created.test(file) || ["", "packages", dirname(document)].some((folder) => existsSync(join(root, folder, file)))

const sources = globSync(["packages/**/*.{ts,tsx}", "scripts/**/*.ts", "*.ts"], {
  cwd: root,
  exclude: (name) => /^(node_modules|dist)$/.test(name)
}).map((path) => `/${path.replaceAll("\\", "/")}`)

/** A path from the root or from `packages`. */
const rooted = /^(?:packages|docs|scripts|[a-z]+\/(?:src|test))\//

/** The alternatives of `a/{b,c}.ts`. */
const expanded = (path: string): ReadonlyArray<string> => {
  const [, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? []
  return choices === undefined ? [path] : choices.split(",").flatMap((choice) => expanded(`${before}${choice}${after}`))
}

/** A page names only the end of a path that has no root. A path with `../` begins at the folder of the page. */
const isThere = (document: string, path: string): boolean =>
  exists(document, path) || (!path.startsWith("../") && (
    globSync([path, `packages/${path}`], { cwd: root }).length > 0 ||
    (!rooted.test(path) && sources.some((source) => matchesGlob(source, `/**/${path}`)))
  ))

/** The headings that the links of a document name, and that are not there. */
const missingAnchors = (path: string, text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)).flatMap(([, file = "", anchor = ""]) => {
    const target = file === "" ? path : join(dirname(path), file)
    const isThere = !target.endsWith(".md") || !existsSync(join(root, target)) ||
      anchorsIn(file === "" ? text : readFileSync(join(root, target), "utf8")).has(anchor)
    return isThere ? [] : [`${path}: ${target} has no heading #${anchor}`]
  })

const problemsOf = (path: string, text: string): ReadonlyArray<string> => {
  const shell = blocksOf(text, "sh").join("\n").replaceAll(/(^|\s)# .*$/gm, "")
  const prose = matches(text, /`([^`\n]+)`/g).join("\n")
  const commanded = `${shell}\n${prose}`
  const written = path.startsWith("docs/recipes/") ? [] : blocksOf(text, "ts")
  return [
    ...written.filter((block) => !regions.has(block)).map((block) =>
      `${path}: no file in packages/*/test/documents has the block that begins with: ${block.split("\n", 1).join()}`
    ),
    ...matches(commanded, /\bnpm run (?:-s )?([\w:-]+)/g).filter((name) => scripts[name] === undefined)
      .map((name) => `${path}: package.json has no script ${name}`),
    ...matches(commanded, /(?:\bnpm run (?:-s )?svc -- |(?:^|\n)svc )([a-z][\w-]*)/g)
      .filter((name) => !commands.has(name)).map((name) => `${path}: svc has no command ${name}`),
    ...[
      ...matches(shell, /\bnode (?:-- )?((?:packages|scripts)\/[\w./-]+)/g),
      ...matches(text, /\]\((?!https?:)([^)#\s]+)/g)
    ].filter((file) => !exists(path, file)).map((file) => `${path}: there is no file ${file}`),
    ...missingAnchors(path, text),
    ...matches(text, /`((?:\.\.\/)*[\w{][\w./{},*-]*)`/g).filter((name) => rooted.test(name) || /\w\.tsx?$/.test(name))
      .flatMap(expanded).filter((name) => !isThere(path, name)).map((name) => `${path}: there is no file ${name}`)
  ]
}

/** What the comparison claims of Svc, without a link to a test. */
const unproved = (): ReadonlyArray<string> => {
  const [, claims = ""] =
    /^## What Svc does, and the proof$([^]*?)^## /m.exec(read(["docs/comparison.md"])[0]?.text ?? "") ?? []
  const items = claims.split(/^- /m).slice(1)
  if (items.length === 0) return ["docs/comparison.md has no list of what Svc does"]
  return items.filter((item) => !/\]\(\.\.\/packages\/[^)]+\.test\.ts\)/.test(item))
    .map((item) => `docs/comparison.md: no test proves: ${item.split("\n", 1).join()}`)
}

const problems = [
  ...unproved(),
  ...staleRecipes(),
  ...staleErrors(),
  ...documents.flatMap(({ path, text }) => problemsOf(path, text))
]
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`)
  process.exitCode = 1
}
