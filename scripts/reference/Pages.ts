// The pages of the reference that follow from the types of options and from the commands of the tool.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { commands } from "./Commands.ts"
import { page as options } from "./Options.ts"

const folder = join(import.meta.dirname, "..", "..", "docs", "reference")

const start = "<!-- `npm run openapi` writes what follows -->"
const end = "<!-- end of what it writes -->"

export const fileOf = (name: string): string => join(folder, `${name}.md`)

/** The page with another text between the two comments. */
const replaced = (name: string, text: string): string => {
  const page = readFileSync(fileOf(name), "utf8")
  const [before, rest = ""] = page.split(`${start}\n`, 2)
  const [, after] = rest.split(end, 2)
  if (after === undefined) throw new Error(`docs/reference/${name}.md lacks the comments around what is written`)
  return `${before}${start}\n\n${text}\n\n${end}${after}`
}

/** The pages by their names in docs/reference. */
export const pages = (): Readonly<Record<string, string>> => ({ cli: replaced("cli", commands()), options: options() })
