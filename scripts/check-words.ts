// Refuses words and phrases that the project does not use in names, comments, test titles and documents;
// docs/glossary.md has the words to use instead. Also refuses comments and prose of documents longer than 120 columns,
// and comments that name a source file which does not exist.
import { report, sourceFiles } from "./Problems.ts"

const sources = [
  "packages/**/*.{ts,tsx,mjs,md}",
  "scripts/*.{ts,mjs}",
  "docs/**/*.md",
  "clients/**/*.md",
  "*.{ts,md,yml}",
  "Dockerfile",
  ".ci/run"
]
const unchecked =
  /^docs\/glossary\.md$|^scripts\/check-(words|titles)\.ts$|^packages\/(postgres\/src\/migrations\/|features\/src\/\w+\/migrations\.ts$)/

const phrases = [
  /\b(whoever|somebody|nobodys?|untold|resting|spoken|remembered)\b/g,
  /\b(said|unsaid|told|heard|rulings?|manners?)\b/g,
  /\b(go|goes|gone|going|went) on\b/g,
  /\bat hand\b/g,
  /\b(the door|lets? go of|what (became|becomes|came) of|as good as|the world outside)\b/g,
  /\bin (\w+'?s? ){1,3}hands\b/g,
  /\bthose (who|whom|whose|that|which)\b/g,
  /\bunder way\b/g,
  /\bat the latest\b/g
]

const typeName = /\b(type|interface|class)\s+\w*(Said|Asked|Told)\b/g

/** A value is named after what it is: requested, query, request, answer. */
const valueName = /\b(const|let) (\{[^}]*\b)?asked\b|[([]asked\b(?! for)|\.\.\.asked\b/g

const maxColumns = 120
const comment = /^\s*(\/\/|\/?\*)/

/** In a document. Tables and headings cannot be wrapped, and neither can a line that is one link. */
const unwrapped = /^\s*(\||#|(?:[-*+]|\d+[.)])?\s*!?\[[^\]]*\](\([^)]*\)|: ?\S+)[.,;]?$)/

/** Whether the lines of a document are prose: blocks of code are not. */
const proseOf = (lines: ReadonlyArray<string>): ReadonlyArray<boolean> => {
  let isCode = false
  return lines.map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    return !isCode && !isFence && !unwrapped.test(line)
  })
}

/** A key of stored journal entries, which is part of their format, an answer of the demo model, and a user of Linux. */
const allowed = /\bsaid: |\bentry\.said\b|"said"|\bYou said\b|"nobody"/g

/** The words of a line, also those inside names: `snapshotOf` reads as "snapshot of". */
const wordsOf = (line: string): string =>
  line.replaceAll(allowed, "").replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase()

const problemsOf = (line: string, kind: "comment" | "prose" | undefined): ReadonlyArray<string> => [
  ...phrases.flatMap((phrase) => wordsOf(line).match(phrase) ?? []).map((found) => `says "${found}"`),
  ...(line.match(typeName) ?? []).map((found) => `declares "${found}"`),
  ...(line.match(valueName) ?? []).map((found) => `names a value "${found}"`),
  ...(kind !== undefined && line.length > maxColumns ? [`is a ${kind} line of ${line.length} columns`] : [])
]

/** Documents whose width is not limited: the history is not rewritten, and the references are generated. */
const unlimited = /^CHANGELOG\.md$|^docs\/reference\//

/** For each line: why its width is limited. */
const kindsOf = (path: string, lines: ReadonlyArray<string>) => {
  if (unlimited.test(path)) return lines.map(() => undefined)
  return path.endsWith(".md")
    ? proseOf(lines).map((isProse) => isProse ? "prose" as const : undefined)
    : lines.map((line) => comment.test(line) ? "comment" as const : undefined)
}

/** Files that examples tell their reader to create. */
const created = ["buy.ts"]

const fileNames = new Set([
  ...created,
  ...sourceFiles(["**/*.{ts,tsx,mts}"]).map(({ name }) => name.replace(/^.*\//, ""))
])

/** Files that a comment names by their path or their name, and that do not exist. */
const missingFiles = (line: string): ReadonlyArray<string> => {
  const text = comment.test(line) ? line : /\s\/\/ .*$/.exec(line)?.[0] ?? ""
  return Array.from(text.matchAll(/(?<![\w*{}/.-])(?:[\w.@-]+\/)*([\w-]+(?:\.[\w-]+)*\.tsx?)\b/g))
    .filter(([, name = ""]) => !fileNames.has(name)).map(([path]) => `names ${path}, which does not exist`)
}

const problems = sourceFiles(sources).filter(({ name }) => !unchecked.test(name)).flatMap(({ name, text }) => {
  const lines = text.split("\n")
  const kinds = kindsOf(name, lines)
  return lines.flatMap((line, index) =>
    [...problemsOf(line, kinds[index]), ...(/\.(tsx?|mjs)$/.test(name) ? missingFiles(line) : [])]
      .map((problem) => `${name}:${index + 1} ${problem}`)
  )
})

report(problems, "docs/glossary.md has the words to use.")
