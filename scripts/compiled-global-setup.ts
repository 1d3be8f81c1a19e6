// Removes what Node keeps of compiled sources, by compile-cache.mjs, when it is too much: each run of vitest adds its
// test files once more, because they have another query in their URL, and nothing removes what belongs to old sources.
import { existsSync, readdirSync, rmSync } from "node:fs"

const directory = new URL("../node_modules/.cache/compiled/", import.meta.url)

/** A run of all tests adds two thousand, and one version of the sources has four thousand. */
const mostFiles = 40_000

export default function setup(): void {
  if (existsSync(directory) && readdirSync(directory, { recursive: true }).length > mostFiles) {
    rmSync(directory, { recursive: true, force: true })
  }
}
