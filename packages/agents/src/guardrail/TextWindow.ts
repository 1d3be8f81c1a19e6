// Shows a text while it arrives, as guardrails leave the whole of it: what may still become a match is held back.
import type * as Hook from "../agent/define/Hook.ts"
import * as Findings from "./Finding.ts"
import * as NormalizedText from "./NormalizedText.ts"
import * as PartialMatch from "./PartialMatch.ts"

/** Shows all that arrives. */
export const open = (): Hook.TextWindow => ({ isBlocked: () => false, add: (part) => part, end: () => "" })

/** Shows nothing until the decision about the beginning, and nothing from a refusal on. */
export const deciding = (decide: (text: string) => "hold" | "refuse" | "show") => (): Hook.TextWindow => {
  let [text, shown, isRefused] = ["", 0, false]
  return {
    isBlocked: () => isRefused,
    add: (part) => {
      text += part
      if (isRefused) return ""
      const decision = decide(text)
      isRefused = decision === "refuse"
      if (decision !== "show") return ""
      const added = text.slice(shown)
      shown = text.length
      return added
    },
    end: () => isRefused ? "" : text.slice(shown)
  }
}

/** The beginning of a JSON text with escapes is decided only by its end. */
const json = /^\s*(?:\{\s*["}]|\[\s*(?:[\][{"\d-]|true|false|null))/

const beginningOfJson = PartialMatch.of(json)

/** Characters before a match that a pattern looks at, such as the name of a password. */
const before = 1000

/** Characters that are looked at in one go. Of more, the rest is shown at the end, when it is looked at in pieces. */
const maxPart = 16_000

interface Reader {
  readonly pattern: Findings.Pattern
  /** Where a match may begin that is not decided. */
  readonly begun: RegExp
  readonly order: number
}

interface Found extends Findings.Finding {
  readonly order: number
  /** The start in the normalized text. */
  readonly at: number
}

export interface Patterns {
  readonly patterns: ReadonlyArray<Findings.Pattern>
  /** Undefined: what is found blocks the text. */
  readonly maskOf: ((type: string) => string) | undefined
}

/** Masks what the patterns find, or shows nothing from the first finding on. */
export const ofPatterns = ({ maskOf, patterns }: Patterns): () => Hook.TextWindow => {
  const readers = patterns.map((pattern, order): Reader => ({
    order,
    pattern,
    begun: PartialMatch.of(pattern.pattern)
  }))
  return () => windowOf(readers, maskOf)
}

const windowOf = (readers: ReadonlyArray<Reader>, maskOf: Patterns["maskOf"]): Hook.TextWindow => {
  // offsets count from the beginning of the whole text, of which the last part is kept
  let [text, textAt] = ["", 0]
  let [plain, plainAt] = ["", 0]
  let shifts: Array<NormalizedText.NormalizedText["shifts"][number]> = []
  let waiting = ""
  let shown = 0
  let isBlocked = false
  let [isAtStart, isHeld] = [true, false]
  const found: Array<Found> = []
  /** Up to where each pattern has decided, in the normalized text. */
  const decided = readers.map(() => 0)

  const original = (at: number): number => NormalizedText.originalOffset({ shifts }, at)

  const take = (part: string): void => {
    const normalized = NormalizedText.make(part)
    const [from, by] = [plainAt + plain.length, textAt + text.length - plainAt - plain.length]
    for (const shift of normalized.shifts) shifts.push({ from: shift.from + from, by: shift.by + by })
    text += part
    plain += normalized.text
  }

  /** Reads on with one pattern, up to what more text may change. */
  const read = ({ begun, order, pattern }: Reader, isEnd: boolean): void => {
    let at = decided[order] ?? 0
    for (;;) {
      begun.lastIndex = at - plainAt
      const open = isEnd ? null : begun.exec(plain)
      const undecided = open === null ? plainAt + plain.length : plainAt + open.index
      const match = Findings.next(pattern, plain, at - plainAt)
      if (match === undefined || (!isEnd && plainAt + match.start >= undecided)) {
        decided[order] = Math.max(at, undecided)
        return
      }
      const start = plainAt + match.start
      if (match.length > 0) {
        const { type } = pattern
        found.push({ type, order, at: start, start: original(start), end: original(start + match.length) })
      }
      at = start + Math.max(1, match.length)
    }
  }

  /** What is decided, as a text without what was found. */
  const show = (): string => {
    const safe = Math.min(...decided)
    const ready = found.filter(({ at }) => at < safe).sort((one, other) =>
      one.start - other.start || other.end - one.end || one.order - other.order
    )
    let added = ""
    const until = (to: number) => {
      added += text.slice(shown - textAt, Math.max(shown, to) - textAt)
      shown = Math.max(shown, to)
    }
    for (const { end, start, type } of ready) {
      if (start >= shown) {
        until(start)
        if (maskOf === undefined) {
          isBlocked = true
          return added
        }
        added += maskOf(type)
      }
      shown = Math.max(shown, end)
    }
    if (ready.length > 0) found.splice(0, found.length, ...found.filter(({ at }) => at >= safe))
    until(Math.min(original(safe), textAt + text.length))
    forget(safe)
    return added
  }

  const forget = (safe: number): void => {
    const to = Math.min(safe - before, plainAt + plain.length)
    if (to - plainAt < before) return
    const from = Math.min(original(to), shown)
    plain = plain.slice(to - plainAt)
    text = text.slice(from - textAt)
    ;[plainAt, textAt] = [to, from]
    const last = shifts.findLastIndex((shift) => shift.from <= to)
    if (last > 0) shifts = shifts.slice(last)
  }

  const look = (isEnd: boolean): string => {
    const end = isEnd ? waiting.length : waiting.length - (/[\uD800-\uDBFF]$/.test(waiting) ? 1 : 0)
    take(waiting.slice(0, end))
    waiting = waiting.slice(end)
    for (const reader of readers) read(reader, isEnd)
    return show()
  }

  return {
    isBlocked: () => isBlocked,
    add: (part) => {
      if (isBlocked) return ""
      waiting += part
      if (isAtStart) {
        isHeld = json.test(waiting)
        isAtStart = !isHeld && beginningOfJson.test(waiting)
      }
      if (waiting.length > maxPart) isHeld = true
      if (isAtStart || isHeld) return ""
      // a long text that is held back is not read again for each word
      const held = textAt + text.length - shown
      return waiting.length < held >> 4 ? "" : look(false)
    },
    end: () => isBlocked ? "" : look(true)
  }
}
