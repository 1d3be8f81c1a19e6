// Makes a skill of its files, or says in one sentence what to do.
import { Result } from "effect"
import * as FrontMatter from "./FrontMatter.ts"
import * as Skill from "./Skill.ts"

export const fileName = "SKILL.md"

/** `license: MIT` in another spelling is a mistake, not a field of a newer format. */
const known = ["name", "description", "license", "compatibility", "allowed-tools", "metadata"]

/** Characters of a description and of the other texts. */
const longest = { description: 1024, compatibility: 500, license: 500 } as const

const text = (values: FrontMatter.Parts["values"], name: keyof typeof longest): string | null => {
  const value = values.get(name)
  if (value === undefined || value === "") return null
  if (typeof value !== "string") throw new Error(`${name} must be a text`)
  if (value.length > longest[name]) {
    throw new Error(`${name} has ${value.length} characters: at most ${longest[name]}`)
  }
  return value
}

const toolsOf = (value: FrontMatter.Value = []): ReadonlyArray<string> => {
  const tools = typeof value === "string" ? value.split(/[\s,]+/).filter((name) => name !== "") : value
  if (!Array.isArray(tools)) throw new Error("allowed-tools must be a list of names")
  return tools
}

const metadataOf = (value: FrontMatter.Value = ""): Readonly<Record<string, string>> => {
  if (value === "") return {}
  if (!(value instanceof Map)) throw new Error("metadata must have names with texts")
  return Object.fromEntries(value)
}

const nameOf = (value: FrontMatter.Value | undefined): Skill.Name => {
  if (value === undefined || value === "") throw new Error("it has no name. Add a line such as `name: pdf-forms`")
  if (typeof value !== "string" || value.length > 64 || !Skill.nameRule.test(value)) {
    const shown = typeof value === "string" ? `'${value.slice(0, 80)}'` : "a list"
    throw new Error(
      `name is ${shown}. A name has small letters, digits and single hyphens between them, at most 64 characters`
    )
  }
  return Skill.Name.make(value)
}

const isControl = (path: string): boolean => /\p{Cc}|\p{Cf}/u.test(path)

/** Why a file of a skill cannot have this path. */
export const pathProblem = (path: string): string | undefined => {
  const segments = path.split("/")
  if (path === "" || path.length > Skill.limits.path) return `has no path of 1 to ${Skill.limits.path} characters`
  if (isControl(path) || path.includes("\\") || !path.isWellFormed()) {
    return "has a path with characters that a path cannot have"
  }
  return segments.some((segment) => ["", ".", ".."].includes(segment))
    ? "has a path that leads out of its folder, or has empty parts"
    : undefined
}

/** Two of them are one file on some disks. */
const folded = (path: string): string => path.normalize("NFC").toLowerCase()

const checkFiles = (given: string, files: ReadonlyArray<Skill.File>): void => {
  const { all, file: longestFile, files: most, text: longestText } = Skill.limits
  if (given.length > longestText) throw new Error(`it has ${given.length} characters: at most ${longestText}`)
  if (files.length > most) throw new Error(`there are ${files.length} files beside it: at most ${most}`)
  const paths = new Set([folded(fileName)])
  let sum = given.length
  for (const { content, path } of files) {
    const problem = pathProblem(path)
    if (problem !== undefined) throw new Error(`the file '${path.slice(0, 80)}' ${problem}`)
    if (paths.has(folded(path))) throw new Error(`two files have the path '${path}', whatever their case`)
    paths.add(folded(path))
    if (content.length > longestFile) {
      throw new Error(`the file '${path}' has ${content.length} characters: at most ${longestFile}`)
    }
    if (content.includes("\0")) throw new Error(`the file '${path}' is no text. Leave it out`)
    sum += content.length
  }
  if (sum > all) throw new Error(`its files have ${sum} characters together: at most ${all}`)
}

const read = (given: string, files: ReadonlyArray<Skill.File>): Skill.Content => {
  checkFiles(given, files)
  if (given.includes("\0")) throw new Error("it is no text")
  const parts = FrontMatter.parse(given)
  if (Result.isFailure(parts)) throw new Error(parts.failure)
  const { body, values } = parts.success
  const unknown = [...values.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new Error(
      `'${unknown}' is not a field of the format. Its fields are ${known.join(", ")}: others go into metadata`
    )
  }
  const name = nameOf(values.get("name"))
  const description = text(values, "description")
  if (description === null) throw new Error("it has no description. Add a line that says when the skill helps")
  return {
    name,
    description,
    license: text(values, "license"),
    compatibility: text(values, "compatibility"),
    allowed_tools: toolsOf(values.get("allowed-tools")),
    metadata: metadataOf(values.get("metadata")),
    instructions: body,
    files: files.toSorted((one, other) => one.path < other.path ? -1 : 1)
  }
}

/** A skill, or a sentence about its file `SKILL.md`. */
export const of = (given: string, files: ReadonlyArray<Skill.File>): Result.Result<Skill.Content, string> =>
  Result.try({
    try: () => read(given, files),
    catch: (error) => `${fileName}: ${error instanceof Error ? error.message : String(error)}`
  })
