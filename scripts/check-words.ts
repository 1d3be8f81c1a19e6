// Refuses words and phrases that the project does not use in names, comments, test titles and documents;
// docs/glossary.md has the words to use instead. Also refuses comments longer than 120 columns. Text that is older than
// this check is counted for each file in words.json, and these counts may only shrink: `node scripts/check-words.ts
// --rewrite` stores today's.
import { compare, sourceFiles } from "./Counts.ts"

const sources = [
  "packages/**/*.{ts,tsx,mjs,md}",
  "scripts/*.{ts,mjs}",
  "docs/**/*.md",
  "*.{ts,md,yml}",
  "Dockerfile",
  ".ci/run"
]
const unchecked = /^docs\/glossary\.md$|^scripts\/check-(words|titles)\.ts$|^packages\/storage\/src\/migrations\//

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

const maximumColumns = 120
const comment = /^\s*(\/\/|\/?\*)/

/** A key of stored journal entries, which is part of their format, and an answer of the demo model. */
const allowed = /\bsaid: |\bentry\.said\b|"said"|\bYou said\b/g

/** The words of a line, also those inside names: `snapshotOf` reads as "snapshot of". */
const wordsOf = (line: string): string =>
  line.replaceAll(allowed, "").replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase()

const problemsOf = (path: string, line: string): ReadonlyArray<string> => [
  ...phrases.flatMap((phrase) => wordsOf(line).match(phrase) ?? []).map((found) => `says "${found}"`),
  ...(line.match(typeName) ?? []).map((found) => `declares "${found}"`),
  ...(line.match(valueName) ?? []).map((found) => `names a value "${found}"`),
  ...(!path.endsWith(".md") && comment.test(line) && line.length > maximumColumns
    ? [`is a comment of ${line.length} columns`]
    : [])
]

const problems = new Map(
  sourceFiles(sources).filter(({ name }) => !unchecked.test(name)).map(({ name, text }) => [
    name,
    text.split("\n").flatMap((line, index) =>
      problemsOf(name, line).map((problem) => `${name}:${index + 1} ${problem}`)
    )
  ])
)

compare(
  "words.json",
  problems,
  "docs/glossary.md has the words to use. A file was renamed or split: node scripts/check-words.ts --rewrite"
)
