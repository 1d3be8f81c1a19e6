// Large texts of runs are stored separately and replaced by a short reference. Rows stay small, and a repeated text (a
// file in the input, a message and the journal) is stored once.
import { Predicate } from "effect"

/** Texts of this many characters and more are stored separately. */
const threshold = 32 * 1024

/** The same for copies of messages of earlier runs: a chain of continued runs repeats them again and again. */
const copyThreshold = 1024

/**
 * The same for results of steps. Each is in the journal and in the event of its step, in those of the steps around it,
 * in the last event and in the run: up to twelve times in all.
 */
const resultThreshold = 8 * 1024

const thresholds = { text: threshold, copy: copyThreshold, result: resultThreshold }
type Place = keyof typeof thresholds

// A caller's text that looks like a reference is stored separately itself.
const mark = "\0svc-text:"
const pattern = /^\0svc-text:([0-9a-f]{64}):(\d+):(\d+)$/

export interface Reference {
  readonly hash: string
  /** Characters. */
  readonly length: number
  readonly parts: number
}

export const referenceOf = ({ hash, length, parts }: Reference): string => `${mark}${hash}:${length}:${parts}`

export const parseReference = (text: string): Reference | undefined => {
  if (!text.startsWith(mark)) return undefined
  const [, hash, length, parts] = pattern.exec(text) ?? []
  return hash === undefined ? undefined : { hash, length: Number(length), parts: Number(parts) }
}

const isLarge = (text: string, place: Place): boolean => text.length >= thresholds[place] || text.startsWith(mark)

const isCopied = (value: object): boolean =>
  "role" in value && Predicate.hasProperty(value, "from_history") && value.from_history === true

/** Outputs and events of steps, and a workflow's run and its last event. */
const hasResult = (value: object): boolean => "step_id" in value || "step_results" in value

/** A copy has texts itself, and not in values inside of it. A result is all that is in `content`. */
const placeIn = (value: object, key: string, place: Place): Place => {
  if (place === "result" || (key === "content" && hasResult(value))) return "result"
  return isCopied(value) ? "copy" : "text"
}

const forEachText = (value: unknown, visit: (text: string, place: Place) => void, place: Place = "text"): void => {
  if (typeof value === "string") visit(value, place)
  else if (Array.isArray(value)) {
    for (const item of value) forEachText(item, visit, place === "result" ? place : "text")
  } else if (typeof value === "object" && value !== null) {
    for (const key in value) {
      forEachText((value as Readonly<Record<string, unknown>>)[key], visit, placeIn(value, key, place))
    }
  }
}

/** The long texts of a value. */
export const find = (value: unknown): ReadonlySet<string> => {
  const found = new Set<string>()
  forEachText(value, (text, place) => {
    if (isLarge(text, place)) found.add(text)
  })
  return found
}

/** The references of a value, in their order. One that is repeated is there as often. */
export const references = (value: unknown): ReadonlyArray<Reference> => {
  const found: Array<Reference> = []
  forEachText(value, (text) => {
    const reference = parseReference(text)
    if (reference !== undefined) found.push(reference)
  })
  return found
}

/** The replacement of a text. Undefined: the text is left out. */
type Change = (text: string) => string | undefined

/** The content of an image, a clip or a document may be absent. Of anything else a text has to stand in its place. */
const isContentOfMedia = (key: string, holder: object): boolean =>
  key === "content" && !("role" in holder) && (Predicate.hasProperty(holder, "mime_type") || "id" in holder)

const leftOut = (text: string): string => {
  const length = parseReference(text)?.length ?? text.length
  return `[${length} characters are left out: this response would be too large with them]`
}

/** The value with replaced texts. An unchanged value is the same object. */
export const replace = <A>(value: A, change: Change): A => replaced(value, change) as A

const replaced = (value: unknown, change: Change): unknown => {
  if (typeof value === "string") return change(value) ?? leftOut(value)
  if (Array.isArray(value)) {
    let isChanged = false
    const items = value.map((item: unknown) => {
      const next = replaced(item, change)
      if (next !== item) isChanged = true
      return next
    })
    return isChanged ? items : value
  }
  if (typeof value !== "object" || value === null) return value
  let copy: Record<string, unknown> | undefined
  for (const [key, item] of Object.entries(value)) {
    const isAbsent = typeof item === "string" && isContentOfMedia(key, value) && change(item) === undefined
    const next = isAbsent ? undefined : replaced(item, change)
    if (next === item) continue
    copy ??= Object.assign(Object.create(Object.getPrototypeOf(value)) as Record<string, unknown>, value)
    if (isAbsent) delete copy[key]
    else copy[key] = next
  }
  return copy ?? value
}

/** The mark in JSON, without its quotation mark. */
const inJson = JSON.stringify(mark).slice(1, -1)

/** A reference in JSON. A quotation mark of a text has a backslash before it, and so has a backslash. */
const inText = /"\\u0000(svc-text:[0-9a-f]{64}:\d+:\d+)"/g

/** Whether a value with this JSON can have one. Most events have less JSON than a large text has characters. */
export const canBeIn = (json: string): boolean => json.length >= copyThreshold || json.includes(inJson)

export const referencesInText = (json: string): ReadonlyArray<Reference> =>
  // most texts have none, and this search is the fastest
  json.includes(inJson) ? [...json.matchAll(inText)].flatMap(([, found]) => parseReference(`\0${found}`) ?? []) : []

/** Replaces each reference by its text, encoded as JSON. */
export const replaceInText = (json: string, next: () => string): string =>
  json.replace(inText, () => JSON.stringify(next()))
