// Entries in TOML: `[mcp_servers.name]`. The parser gives the line of each table and key. An edit removes whole lines,
// and inserts a block where the first table was, or at the end. An entry is found in every spelling, except inside an
// inline table that holds all entries: there the edit is refused.
import { Result } from "effect"
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser"
import {
  checked,
  type EditRejected,
  type Entries,
  entriesAt,
  type EntryFormat,
  type EntryLocation,
  isRecord,
  lineEndOf,
  malformed,
  says,
  type Splice,
  spliced,
  withoutEach
} from "./EntryFormat.ts"

const parse = (text: string): Result.Result<AST.TOMLProgram, string> =>
  Result.try({
    try: () => parseTOML(text),
    catch: (cause) =>
      cause instanceof ParseError
        ? `it is not valid TOML (${cause.message} in line ${cause.lineNumber})`
        : "it is not valid TOML"
  })

const valueOf = (program: AST.TOMLProgram): Entries => getStaticTOMLValue(program) as Entries

/** Consecutive whole lines that belong to an entry. */
interface Section {
  readonly start: number
  readonly end: number
  /** Its own table, which another table can replace. */
  readonly isTable: boolean
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1

/** Behind the line end, or at the end of the text. */
const lineEnd = (text: string, offset: number): number => {
  const found = text.indexOf("\n", offset)
  return found === -1 ? text.length : found + 1
}

const isWithin = (path: EntryLocation, key: ReadonlyArray<number | string>): boolean =>
  key.length >= path.length && path.every((part, index) => key[index] === part)

const keyOf = (node: AST.TOMLKeyValue): ReadonlyArray<string> =>
  node.key.keys.map((part) => part.type === "TOMLBare" ? part.name : part.value)

const sectionsOf = (text: string, program: AST.TOMLProgram, path: EntryLocation): ReadonlyArray<Section> => {
  const lines = ({ range }: { readonly range: AST.Range }, isTable: boolean): Section => ({
    start: lineStart(text, range[0]),
    end: lineEnd(text, range[1]),
    isTable
  })
  return program.body[0].body.flatMap((node) => {
    if (node.type === "TOMLKeyValue") return isWithin(path, keyOf(node)) ? [lines(node, false)] : []
    if (isWithin(path, node.resolvedKey)) return [lines(node, true)]
    return node.body
      .filter((pair) => isWithin(path, [...node.resolvedKey, ...keyOf(pair)]))
      .map((pair) => lines(pair, false))
  })
}

const bareKey = /^[A-Za-z0-9_-]+$/

const printKey = (key: string): string => bareKey.test(key) ? key : JSON.stringify(key)

const printValue = (value: unknown): string =>
  isRecord(value)
    ? `{ ${Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)} = ${printValue(inner)}`).join(", ")} }`
    : JSON.stringify(value)

const printBlock = (path: EntryLocation, entry: Entries, end: string): string =>
  [
    `[${path.map(printKey).join(".")}]`,
    ...Object.entries(entry).map(([key, value]) => `${printKey(key)} = ${printValue(value)}`)
  ].join(end)

/**
 * At the end, after a blank line. A text without a final line break gets none after the block either: `taken`
 * recognizes the block by that.
 */
const appended = (text: string, block: string, end: string): Splice => {
  const at = text.length
  const open = text !== "" && !text.endsWith("\n")
  const put = open ? `${end}${end}${block}` : text === "" ? `${block}${end}` : `${end}${block}${end}`
  return { start: at, end: at, text: put }
}

/** A section with what precedes it: a blank line, and the line break of a text that had none. */
const taken = (text: string, section: Section): Splice => {
  const before = text.slice(0, section.start)
  const isOpen = section.end === text.length && !text.endsWith("\n")
  const gap = !section.isTable
    ? ""
    : isOpen
    ? /(?:\r?\n){0,2}$/.exec(before)?.[0] ?? ""
    : /(?<=\n)\r?\n$/.exec(before)?.[0] ?? (/^\r?\n$/.test(before) ? before : "")
  return { start: section.start - gap.length, end: section.end, text: "" }
}

const removeSplices = (text: string, sections: ReadonlyArray<Section>): ReadonlyArray<Splice> =>
  sections.map((section, index) =>
    // consecutive tables of one entry are one section: only the first has the blank line before it
    sections[index - 1]?.end === section.start ? { ...section, text: "" } : taken(text, section)
  )

const setSplices = (text: string, sections: ReadonlyArray<Section>, block: string): ReadonlyArray<Splice> => {
  const end = lineEndOf(text)
  const first = sections.find((section) => section.isTable)
  if (first === undefined) {
    return [...sections.map((section) => ({ ...section, text: "" })), appended(text, block, end)]
  }
  const tail = text.slice(first.start, first.end).endsWith("\n") ? end : ""
  return sections.map((section) =>
    section === first ? { ...section, text: `${block}${tail}` } : { ...section, text: "" }
  )
}

const edit = (
  text: string,
  place: EntryLocation,
  name: string,
  entry: Entries | undefined
): Result.Result<string, EditRejected> => {
  const parsed = parse(text)
  if (Result.isFailure(parsed)) return Result.fail(malformed(parsed.failure))
  const path: EntryLocation = [...place, name]
  const before = valueOf(parsed.success)
  if (says(before, path, entry)) return Result.succeed(text)
  const sections = sectionsOf(text, parsed.success, path)
  const splices = entry === undefined
    ? removeSplices(text, sections)
    : setSplices(text, sections, printBlock(path, entry, lineEndOf(text)))
  const read = (after: string) => Result.map(parse(after), valueOf)
  return checked(spliced(text, splices), read, { before, path, entry })
}

export const TomlEntries: EntryFormat = {
  create: (place, name, entry) => `${printBlock([...place, name], entry, "\n")}\n`,
  entries: (text, place) => Result.map(parse(text), (program) => entriesAt(valueOf(program), place)),
  set: edit,
  remove: (text, place, ...names) => withoutEach(text, names, (text, name) => edit(text, place, name, undefined))
}
