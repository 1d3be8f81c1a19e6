// Problems that a check tolerates are counted for each file in a JSON file. The counts can only shrink: `--rewrite`
// stores the present ones.
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

export interface SourceFile {
  /** Its path from the root of the repository, with slashes. */
  readonly name: string
  readonly text: string
}

const unchecked = /(^|\/)(node_modules|dist|coverage|generated)(\/|$)/

export const sourceFiles = (patterns: ReadonlyArray<string>): ReadonlyArray<SourceFile> =>
  globSync([...patterns], { cwd: root, exclude: (name) => /^(node_modules|dist)$/.test(name) })
    .map((path) => ({ name: path.replaceAll("\\", "/"), path }))
    .filter(({ name }) => !unchecked.test(name))
    .map(({ name, path }) => ({ name, text: readFileSync(join(root, path), "utf8") }))

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

const fail = (lines: ReadonlyArray<string>) => {
  process.stderr.write(`${lines.join("\n")}\n`)
  process.exitCode = 1
}

/** `problems` has the problems of each file, as lines to show. */
export const compare = (
  countsName: string,
  problems: ReadonlyMap<string, ReadonlyArray<string>>,
  hint: string
): void => {
  const path = join(import.meta.dirname, countsName)
  const known: Readonly<Record<string, number>> = JSON.parse(readFileSync(path, "utf8"))
  const found = [...problems].filter(([, lines]) => lines.length > 0).sort()
  const counts = Object.fromEntries(found.map(([name, lines]) => [name, lines.length]))
  if (process.argv.includes("--rewrite")) {
    // a file may have been renamed or split, so that only the sum says whether something was added
    if (sum(counts) > sum(known)) {
      fail([`${sum(counts)} problems, and scripts/${countsName} allows ${sum(known)}`])
    } else writeFileSync(path, `${JSON.stringify(counts, null, 2)}\n`)
    return
  }
  const grown = found.filter(([name, lines]) => lines.length > (known[name] ?? 0))
  if (grown.length === 0) return
  fail([
    ...grown.flatMap(([name, lines]) => [
      `${name}: ${lines.length} problems, and scripts/${countsName} allows ${known[name] ?? 0}`,
      ...lines.map((line) => `  ${line}`)
    ]),
    hint
  ])
}
