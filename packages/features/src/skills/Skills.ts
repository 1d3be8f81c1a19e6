// Skills that the code of an application has: from folders on its disk, or from texts.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { Effect, Predicate, Result } from "effect"
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import type { FolderFile, Params, Source } from "../knowledge/ContentSource.ts"
import * as Format from "./Skill.ts"
import * as SkillReading from "./SkillReading.ts"

export interface Skill extends Format.Content {
  readonly _tag: "Skill"
}

export interface Options {
  /** The whole text of `SKILL.md`. */
  readonly text: string
  /** The other files, by their paths from the folder. Default: none. */
  readonly files?: Readonly<Record<string, string>> | undefined
}

export const isSkill = (value: unknown): value is Skill => Predicate.isTagged(value, "Skill")

const made = (owner: string, text: string, files: ReadonlyArray<Format.File>): Skill => {
  const read = SkillReading.of(text, files)
  if (Result.isFailure(read)) throw new Mistake(`${owner}: ${read.failure}`)
  return { _tag: "Skill", ...read.success }
}

/**
 * A skill of texts.
 *
 * Throws an `Error` that says what to do if the text is not that of a `SKILL.md`.
 *
 * ```ts
 * import { Agent, Skills } from "@svc-runtime/server"
 *
 * const refunds = Skills.make({
 *   text: `---
 * name: refunds
 * description: How to pay an order back. Use it before any refund.
 * ---
 * Ask for the number of the order first. Amounts above 100 euros need a reason: see reasons.md.`,
 *   files: { "reasons.md": "Damaged, late, or wrong." }
 * })
 *
 * export const desk = Agent.make({ id: "desk", skills: [refunds] })
 * ```
 */
export const make = ({ files = {}, text }: Options): Skill => {
  if (!Predicate.isString(text)) throw new Mistake("The skill has no text. Give it the whole text of its SKILL.md")
  for (const [path, content] of Object.entries(files)) {
    if (!Predicate.isString(content)) throw new Mistake(`The file '${path}' of the skill is no text. Give it its text`)
  }
  return made("The skill", text, Object.entries(files).map(([path, content]) => ({ path, content })))
}

/** Folders within folders. */
const deepest = 8

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Bytes of a large file that show whether it is text. */
const beginning = 64 * 1024

/** Throws a `TypeError` for other bytes. */
const hasTextAt = (file: number): boolean => {
  const bytes = new Uint8Array(beginning)
  const first = bytes.subarray(0, readSync(file, bytes))
  return !new TextDecoder("utf-8", { fatal: true }).decode(first, { stream: true }).includes("\0")
}

/** A link is not followed, also if it replaced the file a moment ago. Undefined: the file is no text. */
const textAt = (place: string, most: number, shown: string): string | undefined => {
  const file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return undefined
    if (stats.size > most * 4) {
      if (!hasTextAt(file)) return undefined
      throw new Mistake(`${shown} has ${stats.size} bytes. A skill has smaller files`)
    }
    const text = decoder.decode(readFileSync(file))
    return text.includes("\0") ? undefined : text
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  } finally {
    closeSync(file)
  }
}

const filesIn = (folder: string, at: string, found: Array<Format.File>): void => {
  for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
    const path = at === "" ? entry.name : `${at}/${entry.name}`
    if (entry.name.startsWith(".") || path === SkillReading.fileName) continue
    if (entry.isSymbolicLink()) throw new Mistake(`The skill ${folder}: ${path} is a link. Put the file itself there`)
    if (entry.isDirectory()) {
      if (path.split("/").length > deepest) throw new Mistake(`The skill ${folder}: ${path} is too deep a folder`)
      filesIn(folder, path, found)
      continue
    }
    // scripts and pictures are for other programs: a model cannot read what is no text
    const content = entry.isFile()
      ? textAt(join(folder, path), Format.limits.file, `The skill ${folder}: ${path}`)
      : undefined
    if (content !== undefined) found.push({ path, content })
    if (found.length > Format.limits.files) {
      throw new Mistake(
        `The skill ${folder} has more than ${Format.limits.files} files beside ${SkillReading.fileName}`
      )
    }
  }
}

const isFile = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false })?.isFile() === true

const one = (folder: string): Skill => {
  const owner = `The skill ${folder}`
  const text = textAt(join(folder, SkillReading.fileName), Format.limits.text, `${owner}: ${SkillReading.fileName}`)
  if (text === undefined) throw new Mistake(`${owner}: ${SkillReading.fileName} is no text in UTF-8`)
  const files: Array<Format.File> = []
  filesIn(folder, "", files)
  const skill = made(owner, text, files)
  if (skill.name !== basename(folder)) {
    throw new Mistake(`${owner}: its name is '${skill.name}', and must be that of its folder, '${basename(folder)}'`)
  }
  return skill
}

/**
 * The skills in a folder: of each folder in it that has a `SKILL.md`, or of the folder itself. They are read once, when
 * it is called. Scripts and other files that are no text are left out: nothing of a skill is executed.
 *
 * Throws an `Error` that says what to do if a `SKILL.md` is broken, if a file is a link, or if there is no skill.
 *
 * As in `Agent.make({ id: "desk", skills: Skills.fromFolder("./skills") })`.
 */
export const fromFolder = (path: string): ReadonlyArray<Skill> => {
  const folder = resolve(path)
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Mistake(`There is no folder ${folder} with skills`)
  }
  if (isFile(join(folder, SkillReading.fileName))) return [one(folder)]
  const skills = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isFile(join(folder, entry.name, SkillReading.fileName)))
    .map(({ name }) => one(join(folder, name)))
  if (skills.length === 0) throw new Mistake(`No folder in ${folder} has a ${SkillReading.fileName}`)
  return skills.toSorted((first, second) => first.name < second.name ? -1 : 1)
}

export interface SourceOptions {
  /** The folder in the source that has the skills, or that is one. Default: all of the source. */
  readonly path?: string | undefined
  /** What the source takes beside a path, such as the `branch` of a repository. Default: none. */
  readonly params?: Params | undefined
}

/** Of all skills of a source together. */
const maxSourceFiles = 1000

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    const text = decoder.decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

interface Listed {
  readonly folder: string
  readonly files: ReadonlyArray<FolderFile>
}

/** The folders that have a `SKILL.md`, and are in no other such folder. */
const skillFolders = (files: ReadonlyArray<FolderFile>): ReadonlyArray<Listed> => {
  const end = `/${SkillReading.fileName}`
  const folders = files.flatMap(({ key }) => key.endsWith(end) ? [key.slice(0, -end.length)] : [])
  return folders
    .filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)))
    .map((folder) => ({ folder, files: files.filter(({ key }) => key.startsWith(`${folder}/`)) }))
}

/**
 * The skills in a folder of a content source: a repository of GitHub, a bucket, a site of SharePoint. They are read
 * once, when it is called.
 *
 * Rejects with an `Error` that says what to do if the source cannot be read, if a `SKILL.md` is broken, or if there is
 * no skill.
 *
 * As in `skills: await Skills.fromSource(GitHubSource.make({ id: "skills", repo: "example/skills" }))`.
 */
export const fromSource = (
  source: Source,
  { params = {}, path = source.prefix }: SourceOptions = {}
): Promise<ReadonlyArray<Skill>> =>
  Effect.runPromise(Effect.gen(function*() {
    const owner = `The skills of the source '${source.id}'`
    if (source.folder === undefined) throw new Mistake(`${owner}: the source has no folders`)
    const found = skillFolders(yield* source.folder({ path, params, maximum: maxSourceFiles }))
    if (found.length === 0) throw new Mistake(`${owner}: no folder in '${path}' has a ${SkillReading.fileName}`)
    return yield* Effect.forEach(found, ({ files, folder }) =>
      Effect.gen(function*() {
        const of = `${owner}: ${folder}`
        const large = files.find(({ size }) => (size ?? 0) > Format.limits.file * 4)
        if (large !== undefined) {
          throw new Mistake(`${of}: ${large.key} has ${large.size} bytes. A skill has smaller files`)
        }
        if (files.length > Format.limits.files + 1) {
          throw new Mistake(`${of} has more than ${Format.limits.files} files`)
        }
        const read = yield* Effect.forEach(
          files,
          ({ key }) =>
            Effect.map(
              source.fetch(key, params),
              ({ bytes }) => [key.slice(folder.length + 1), textOf(bytes)] as const
            ),
          { concurrency: 4 }
        )
        const texts = read.flatMap(([path, content]) => content === undefined ? [] : [{ path, content }])
        const main = texts.find(({ path }) => path === SkillReading.fileName)
        if (main === undefined) throw new Mistake(`${of}: ${SkillReading.fileName} is no text in UTF-8`)
        return made(of, main.content, texts.filter((file) => file !== main))
      }))
  }))
