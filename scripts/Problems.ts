// What the checks of texts share: the files that they read, and how they report what they refuse.
import { globSync, readFileSync } from "node:fs"
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
    .toSorted((one, other) => one.name < other.name ? -1 : 1)
    .map(({ name, path }) => ({ name, text: readFileSync(join(root, path), "utf8") }))

export const report = (problems: ReadonlyArray<string>, hint: string): void => {
  if (problems.length === 0) return
  process.stderr.write(`${[...problems, hint].join("\n")}\n`)
  process.exitCode = 1
}
