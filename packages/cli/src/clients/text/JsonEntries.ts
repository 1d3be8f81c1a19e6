// Entries in JSON, with or without comments: `{"mcpServers": {"name": {…}}}`. Comments and trailing commas are kept,
// because some clients allow them. A text that no client can parse is refused, and so is a repeated key.
import { Option, Result, Schema } from "effect"
import * as jsonc from "jsonc-parser"
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
import { endOf, indentAt, insertion, isFirstByte, keyOf, membersOf, removal } from "./JsonMembers.ts"

/** Clients that allow comments allow these too. */
const commas = { allowTrailingComma: true }

const parse = (text: string): Result.Result<jsonc.Node, string> => {
  const errors: Array<jsonc.ParseError> = []
  const root = jsonc.parseTree(text, errors, commas)
  const [first] = errors
  if (text.trim() === "") return Result.fail("it is empty")
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length
    return Result.fail(`it is not valid JSON (${jsonc.printParseErrorCode(first.error)} in line ${line})`)
  }
  if (root === undefined) return Result.fail("it is not valid JSON")
  return root.type === "object" ? Result.succeed(root) : Result.fail("its top level is not an object")
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The value of a document. `JSON.parse` takes a tenth of the time, but supports no comments. */
const valueIn = (text: string): Result.Result<unknown, string> =>
  Option.match(decode(text), {
    onNone: () => Result.map(parse(text), (): unknown => jsonc.parse(text, [], commas)),
    onSome: (value) => isRecord(value) ? Result.succeed(value) : Result.fail("its top level is not an object")
  })

/** The last one counts, as in `JSON.parse`. */
const memberOf = (object: jsonc.Node, key: string): jsonc.Node | undefined =>
  membersOf(object).findLast((member) => keyOf(member) === key)

const valueOf = (member: jsonc.Node): jsonc.Node => member.children?.[1] ?? member

/** The existing part of a path: its innermost object, and the keys that are missing below it. */
interface Reached {
  readonly object: jsonc.Node
  readonly missing: ReadonlyArray<string>
  /** A part of the path has a value that is no object. */
  readonly obstacle: jsonc.Node | undefined
}

const reach = (root: jsonc.Node, place: ReadonlyArray<string>): Reached => {
  let object = root
  for (const [index, key] of place.entries()) {
    const member = memberOf(object, key)
    if (member === undefined || valueOf(member).type !== "object") {
      return { object, missing: place.slice(index), obstacle: member }
    }
    object = valueOf(member)
  }
  return { object, missing: [], obstacle: undefined }
}

/** A repeated key: parsers disagree about which one counts, so an edit could change the ignored one. */
const twice = (root: jsonc.Node, path: ReadonlyArray<string>): string | undefined => {
  let object: jsonc.Node | undefined = root
  for (const key of path) {
    if (object?.type !== "object") return undefined
    if (membersOf(object).filter((member) => keyOf(member) === key).length > 1) return key
    const member: jsonc.Node | undefined = memberOf(object, key)
    object = member && valueOf(member)
  }
  return undefined
}

/** The indentation of the first member of the document. */
const unitOf = (text: string, root: jsonc.Node): string => {
  const first = membersOf(root)[0]
  return (first === undefined ? "" : indentAt(text, first.offset)) || "  "
}

/** The text of a value: on one line if the whole document is, else indented like the document. */
const printer = (text: string, root: jsonc.Node) => {
  if (!text.slice(root.offset, endOf(root)).includes("\n")) {
    return (value: unknown, _indent: string) => JSON.stringify(value, null, 1).replaceAll(/\n */g, " ")
  }
  const unit = unitOf(text, root)
  const lineEnd = lineEndOf(text)
  return (value: unknown, indent: string) => JSON.stringify(value, null, unit).replaceAll("\n", `${lineEnd}${indent}`)
}

const nested = (keys: ReadonlyArray<string>, value: unknown): unknown =>
  keys.reduceRight((inner, key) => ({ [key]: inner }), value)

const setSplices = (text: string, root: jsonc.Node, path: EntryLocation, entry: Entries) => {
  const print = printer(text, root)
  const { missing, object, obstacle } = reach(root, path)
  const [key, ...inner] = missing
  if (key === undefined || obstacle !== undefined) {
    const old = obstacle === undefined ? object : valueOf(obstacle)
    const value = (keys: ReadonlyArray<string>) => print(nested(keys, entry), indentAt(text, old.offset))
    const [name, ...below] = inner
    // directly behind the brace, as in a table that existed before
    const put = name === undefined ? value([]) : `{${JSON.stringify(name)}: ${value(below)}}`
    return [{ start: old.offset, end: endOf(old), text: put }]
  }
  return insertion(
    text,
    object,
    (indent) => `${JSON.stringify(key)}: ${print(nested(inner, entry), indent)}`
  )
}

interface Removal {
  readonly name: string
  /** The table had several entries before the first removal: it was not created for one. */
  readonly keepsTable: boolean
}

/** The object has only this member, and no comment. */
const isAlone = (text: string, object: jsonc.Node, member: jsonc.Node): boolean =>
  /^[\s,]*$/.test(text.slice(object.offset + 1, member.offset) + text.slice(endOf(member), endOf(object) - 1))

/**
 * The last entry is removed together with its table if the table was created for it. A table that existed before stays
 * empty, and so does the only table of a file.
 */
const removeSplices = (
  text: string,
  root: jsonc.Node,
  place: EntryLocation,
  { keepsTable, name }: Removal
): ReadonlyArray<Splice> => {
  const { missing, object } = reach(root, place)
  const member = memberOf(object, name)
  if (missing.length > 0 || member === undefined) return []
  if (isFirstByte(object, member) || !isAlone(text, object, member)) return removal(text, object, member)
  const holder = place.length === 1 && !keepsTable ? memberOf(root, place[0]) : undefined
  return holder !== undefined && (membersOf(root).length > 1 || isFirstByte(root, holder))
    ? removal(text, root, holder)
    : [{ start: object.offset + 1, end: endOf(object) - 1, text: "" }]
}

/** An entry of any type can be replaced. The parts of its path must be objects or missing. */
const objection = (root: jsonc.Node, place: EntryLocation): string | undefined => {
  const { obstacle } = reach(root, place)
  return obstacle === undefined || valueOf(obstacle).type === "null"
    ? undefined
    : `its ${keyOf(obstacle)} is not an object`
}

const edit = (
  text: string,
  place: EntryLocation,
  name: string,
  entry: Entries | undefined,
  keepsTable: boolean
): Result.Result<string, EditRejected> => {
  const parsed = parse(text)
  if (Result.isFailure(parsed)) return Result.fail(malformed(parsed.failure))
  const root = parsed.success
  const path: EntryLocation = [...place, name]
  const problem = objection(root, place)
  if (problem !== undefined) return Result.fail(malformed(problem))
  const repeated = twice(root, path)
  if (repeated !== undefined) return Result.fail(malformed(`it has ${JSON.stringify(repeated)} twice`))
  const before = Result.getOrElse(valueIn(text), () => undefined)
  if (says(before, path, entry)) return Result.succeed(text)
  const splices = entry === undefined
    ? removeSplices(text, root, place, { name, keepsTable })
    : setSplices(text, root, path, entry)
  return checked(spliced(text, splices), valueIn, { before, path, entry })
}

const entries = (text: string, place: EntryLocation) => Result.map(valueIn(text), (value) => entriesAt(value, place))

export const JsonEntries: EntryFormat = {
  create: (place, name, entry) => `${JSON.stringify(nested([...place, name], entry), null, 2)}\n`,
  entries,
  set: (text, place, name, entry) => edit(text, place, name, entry, false),
  remove: (text, place, ...names) => {
    const keepsTable = Object.keys(Result.getOrElse(entries(text, place), () => ({}))).length > 1
    return withoutEach(text, names, (text, name) => edit(text, place, name, undefined, keepsTable))
  }
}
