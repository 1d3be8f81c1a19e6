// The pages of docs/recipes, made from the files in packages/examples/src/recipes: `npm run node -- scripts/recipes.ts`
// writes them, and check-docs.ts refuses pages that differ. A file begins with a comment: its title, its group, a
// paragraph, `Try:` with commands, and `Change:` with a paragraph.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { extname, join } from "node:path"

const root = join(import.meta.dirname, "..")
const sources = "packages/examples/src/recipes"
const tests = "packages/examples/test/recipes"
const folder = "docs/recipes"

/** The groups of the index, in its order. */
const groups = [
  "Agents",
  "Documents and data",
  "People",
  "Workflows",
  "Runs",
  "Sessions and memory",
  "Safety and limits",
  "Pages and servers",
  "Quality",
  "Operation"
]

interface Recipe {
  readonly name: string
  readonly file: string
  readonly title: string
  readonly group: string
  readonly summary: string
  readonly tries: string
  readonly change: string
  readonly code: string
}

const languages: Readonly<Record<string, string>> = {
  ".js": "js",
  ".py": "py",
  ".sh": "sh",
  ".ts": "ts",
  ".tsx": "tsx"
}

const recipeOf = (file: string): Recipe => {
  const lines = readFileSync(join(root, sources, file), "utf8").trimEnd().split("\n")
  const end = lines.findIndex((line) => !/^(\/\/|#)( |$)/.test(line))
  const [title = "", group = "", , ...rest] = lines.slice(0, end).map((line) => line.replace(/^(\/\/|#) ?/, ""))
  const at = (name: string) => rest.findIndex((line) => line.startsWith(`${name}:`))
  const text = (from: number, to: number) => rest.slice(from, to).join("\n").trim()
  const [tryAt, changeAt] = [at("Try"), at("Change")]
  if (!title.startsWith("# ") || !groups.includes(group) || tryAt < 1 || changeAt < tryAt) {
    throw new Error(`${sources}/${file} does not begin with a title, a group, a text, Try: and Change:`)
  }
  return {
    name: file.replace(/(\.test)?\.\w+$/, ""),
    file,
    title: title.slice(2),
    group,
    summary: text(0, tryAt),
    tries: rest.slice(tryAt + 1, changeAt).map((line) => line.slice(2)).join("\n").trim(),
    change: text(changeAt, rest.length).replace("Change: ", ""),
    code: lines.slice(end).join("\n").trim()
  }
}

const wrapped = (text: string): string => {
  const lines: Array<string> = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < 120) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join("\n")
}

const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

const inProject = "The commands are for a clone of the repository, each program in a terminal of its own. [In a " +
  "project](README.md#in-a-project), the code of the page is a file in `src`."

const pageOf = ({ change, code, file, name, summary, title, tries }: Recipe, test: string): string =>
  [
    `# ${title}`,
    wrapped(summary),
    fence(languages[extname(file)] ?? (file.endsWith(".yaml") ? "yaml" : "ini"), code),
    "## Try it",
    fence("sh", tries),
    ...tries.includes("packages/examples/") ? [wrapped(inProject)] : [],
    "## Change it",
    wrapped(change.charAt(0).toUpperCase() + change.slice(1)),
    wrapped(
      `[A test](../../${tests}/${test}) ${name === "kubernetes" ? "checks" : "executes"} ` +
        `[the file](../../${sources}/${file}). [All recipes](README.md).`
    )
  ].join("\n\n") + "\n"

const indexOf = (recipes: ReadonlyArray<Recipe>): string =>
  [
    "# Recipes",
    wrapped(
      `${recipes.length} tasks, one page each, with less than 60 lines of code. The code of a page is a file that a test ` +
        "executes, with a scripted model; the manifest of Kubernetes is only checked. `svc` in the commands is the tool of " +
        "the [command line](../reference/cli.md)."
    ),
    "## In a project",
    wrapped(
      "The commands below \"Try it\" are for a clone of the repository. In a project that `svc create` made, save the code " +
        "of a page in the folder `src`, and write `node src/NAME.ts` for `npm run node -- " +
        "packages/examples/src/recipes/NAME.ts`, and `npx svc` for `svc`. A path such as `../../documents/` is then " +
        "`../documents/`. `limits.ts` is the code of [this page](limits.md)."
    ),
    ...groups.map((group) =>
      [
        `## ${group}`,
        recipes.filter((recipe) => recipe.group === group).map(({ name, title }) => `- [${title}](${name}.md)`)
          .join("\n")
      ].join("\n\n")
    )
  ].join("\n\n") + "\n"

/** All pages, by their paths, and what is wrong with the files that they are made of. */
export const recipePages = (): { readonly pages: ReadonlyMap<string, string>; readonly problems: Array<string> } => {
  const problems: Array<string> = []
  const recipes = readdirSync(join(root, sources)).toSorted().map(recipeOf)
  const testFiles = readdirSync(join(root, tests)).filter((file) => file.endsWith(".test.ts"))
    .map((file) => ({ file, text: readFileSync(join(root, tests, file), "utf8") }))
  const pages = new Map([[`${folder}/README.md`, indexOf(recipes)]])
  for (const recipe of recipes) {
    const path = `${sources}/${recipe.file}`
    const stem = recipe.file.replace(/\.ts$/, "")
    const test = testFiles.find(({ text }) => text.includes(`recipes/${stem}"`) || text.includes(`"${recipe.file}"`))
    if (test === undefined) problems.push(`${path}: no test in ${tests} executes it`)
    const count = recipe.code.split("\n").length
    if (count >= 60) problems.push(`${path}: ${count} lines of code, and a recipe has less than 60`)
    pages.set(`${folder}/${recipe.name}.md`, pageOf(recipe, test?.file ?? ""))
  }
  return { pages, problems }
}

/** Pages that are missing, that differ, or that no file makes any more. */
export const staleRecipes = (): ReadonlyArray<string> => {
  const { pages, problems } = recipePages()
  const found = readdirSync(join(root, folder)).map((file) => `${folder}/${file}`)
  return [
    ...problems,
    ...found.filter((path) => readFileSync(join(root, path), "utf8") !== pages.get(path)),
    ...[...pages.keys()].filter((path) => !found.includes(path))
  ].map((text) => text.startsWith(folder) ? `${text} is not current: npm run node -- scripts/recipes.ts` : text)
}

if (import.meta.main) {
  const { pages, problems } = recipePages()
  rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, folder))
  for (const [path, text] of pages) writeFileSync(join(root, path), text)
  if (problems.length > 0) {
    process.stderr.write(`${problems.join("\n")}\n`)
    process.exitCode = 1
  }
}
