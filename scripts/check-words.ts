// Refuses words and phrases that the project does not use in names, comments, test titles and documents;
// docs/glossary.md has the words to use instead. Also refuses comments longer than 120 columns. Text that is older than
// this check is counted for each file in words.json, and these counts may only shrink: `node scripts/check-words.ts
// --rewrite` stores today's.
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const countsFile = join(import.meta.dirname, "words.json")

const sources = ["packages/**/*.{ts,mjs,md}", "scripts/*.{ts,mjs}", "docs/**/*.md", "*.{ts,md}", ".ci/run"]
const unchecked = /(^|\/)(node_modules|dist|coverage)(\/|$)|^docs\/glossary\.md$|^scripts\/check-words\.ts$/

const phrases = [
  /\b(whoever|somebody|nobody|untold|resting|spoken)\b/g,
  /\b(go|goes|gone|going|went) on\b/g,
  /\b(is|are|was|were|be|been) told\b/g,
  /\bin (\w+'?s? ){1,3}hands\b/g,
  /\bthose who\b/g
]

const typeName = /\b(type|interface|class)\s+\w*(Said|Asked|Told)\b/g

const maximumColumns = 120
const comment = /^\s*(\/\/|\/?\*)/

/** The words of a line, also those inside names: `snapshotOf` reads as "snapshot of". */
const wordsOf = (line: string): string => line.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase()

const problemsOf = (path: string, line: string): ReadonlyArray<string> => [
  ...phrases.flatMap((phrase) => wordsOf(line).match(phrase) ?? []).map((found) => `says "${found}"`),
  ...(line.match(typeName) ?? []).map((found) => `declares "${found}"`),
  ...(!path.endsWith(".md") && comment.test(line) && line.length > maximumColumns
    ? [`is a comment of ${line.length} columns`]
    : [])
]

const found = new Map<string, ReadonlyArray<string>>()
for (const path of globSync(sources, { cwd: root, exclude: (name) => /^(node_modules|dist)$/.test(name) })) {
  const name = path.replaceAll("\\", "/")
  if (unchecked.test(name)) continue
  const problems = readFileSync(join(root, path), "utf8").split("\n").flatMap((line, index) =>
    problemsOf(name, line).map((problem) => `${name}:${index + 1} ${problem}`)
  )
  if (problems.length > 0) found.set(name, problems)
}

const readCounts = (): Readonly<Record<string, number>> => JSON.parse(readFileSync(countsFile, "utf8"))

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

const fail = (lines: ReadonlyArray<string>) => {
  process.stderr.write(`${lines.join("\n")}\n`)
  process.exitCode = 1
}

const counted = Object.fromEntries([...found].sort().map(([name, problems]) => [name, problems.length]))
const known = readCounts()

if (process.argv.includes("--rewrite")) {
  // a file may have been renamed or split, so that only the sum says whether something was added
  if (sum(counted) > sum(known)) fail([`${sum(counted)} problems, and scripts/words.json allows ${sum(known)}`])
  else writeFileSync(countsFile, `${JSON.stringify(counted, null, 2)}\n`)
} else {
  const grown = [...found].filter(([name, problems]) => problems.length > (known[name] ?? 0))
  if (grown.length > 0) {
    fail([
      ...grown.flatMap(([name, problems]) => [
        `${name}: ${problems.length} problems, and scripts/words.json allows ${known[name] ?? 0}`,
        ...problems.map((problem) => `  ${problem}`)
      ]),
      "docs/glossary.md has the words to use. A file was renamed or split: node scripts/check-words.ts --rewrite"
    ])
  }
}
