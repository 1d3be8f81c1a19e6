// Reads and edits the text of a config file: a format finds the entries and changes nothing else, so comments, order,
// large numbers and line ends stay. Every edit is parsed again and compared before it is returned.
import { Result } from "effect"
import { isDeepStrictEqual } from "node:util"

/** The path of the table of entries: keys from the top of the document. */
export type EntryLocation = readonly [string, ...Array<string>]

export type Entries = Readonly<Record<string, unknown>>

export interface EntryFormat {
  /** The text of a file with this entry only. */
  readonly create: (place: EntryLocation, name: string, entry: Entries) => string
  /** The entries of a table; none if the table is missing. Fails with the problem of the text. */
  readonly entries: (text: string, place: EntryLocation) => Result.Result<Entries, string>
  /** Writes an entry, and replaces one of the same name. Fails with the reason. */
  readonly set: (
    text: string,
    place: EntryLocation,
    name: string,
    entry: Entries
  ) => Result.Result<string, EditRejected>
  readonly remove: (
    text: string,
    place: EntryLocation,
    ...names: ReadonlyArray<string>
  ) => Result.Result<string, EditRejected>
}

export interface EditRejected {
  /** `malformed`: the text cannot be parsed. `layout`: it is valid, in a form that cannot be edited safely. */
  readonly why: "malformed" | "layout"
  readonly problem: string
}

export const malformed = (problem: string): EditRejected => ({ why: "malformed", problem })
const unsupported = (problem: string): EditRejected => ({ why: "layout", problem })

export const isRecord = (value: unknown): value is Entries =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Replaces the text between two offsets. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Splices must not overlap. Two at one offset keep their order. */
export const spliced = (text: string, splices: ReadonlyArray<Splice>): string => {
  let out = ""
  let at = 0
  for (const splice of splices.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(at, splice.start) + splice.text
    at = splice.end
  }
  return out + text.slice(at)
}

export const lineEndOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? "\n"

/** A document without one of its entries, and without tables that are empty then. */
const without = (value: unknown, path: ReadonlyArray<string>): unknown => {
  const [key, ...rest] = path
  if (key === undefined || !isRecord(value) || !(key in value)) return value
  const { [key]: inner, ...others } = value
  if (rest.length === 0) return others
  const left = without(inner, rest)
  const isEmpty = left === null || (isRecord(left) && Object.keys(left).length === 0)
  return isEmpty ? others : { ...others, [key]: left }
}

const valueAt = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce((inner: unknown, key) => isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined, value)

/** The table of entries; empty if it is missing or no table. */
export const entriesAt = (document: unknown, place: EntryLocation): Entries => {
  const found = valueAt(document, place)
  return isRecord(found) ? found : {}
}

/** Checks that a document has exactly this entry. */
export const says = (document: unknown, path: EntryLocation, entry: Entries | undefined): boolean =>
  isDeepStrictEqual(valueAt(document, path), entry)

/** Removes one entry after the other. */
export const withoutEach = (
  text: string,
  names: ReadonlyArray<string>,
  remove: (text: string, name: string) => Result.Result<string, EditRejected>
): Result.Result<string, EditRejected> =>
  names.reduce<Result.Result<string, EditRejected>>(
    (left, name) => Result.flatMap(left, (text) => remove(text, name)),
    Result.succeed(text)
  )

interface Edit {
  /** The text of the entry before the change. */
  readonly before: unknown
  readonly path: EntryLocation
  /** The entry after the change. Undefined: it is removed. */
  readonly entry: Entries | undefined
}

/** Returns an edited text if it has the intended content and nothing else changed. */
export const checked = (
  text: string,
  read: (text: string) => Result.Result<unknown, string>,
  { before, entry, path }: Edit
): Result.Result<string, EditRejected> => {
  const isMeant = (after: unknown): boolean =>
    says(after, path, entry) && isDeepStrictEqual(without(before, path), without(after, path))
  const again = read(text)
  return Result.isSuccess(again) && isMeant(again.success)
    ? Result.succeed(text)
    : Result.fail(unsupported("the result would be invalid"))
}
