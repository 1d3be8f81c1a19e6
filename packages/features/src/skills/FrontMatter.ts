// The first lines of a SKILL.md, between two lines `---`: a small part of YAML, with texts, lists of texts and one
// level of names with texts. Everything else is refused with its line, so that there is nothing to guess, and nothing
// that a hostile file could unfold.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { Result } from "effect"

export type Value = string | ReadonlyArray<string> | ReadonlyMap<string, string>

export interface Parts {
  readonly values: ReadonlyMap<string, Value>
  /** What follows the second line `---`. */
  readonly body: string
}

/** Lines and characters between the two lines `---`. */
const maxLines = 200
const maxCharacters = 16_384

const entry = /^([A-Za-z0-9_.-]{1,64}):(?:[ \t]+(.*))?$/s

const at = (line: number, problem: string): Mistake => new Mistake(`line ${line}: ${problem}`)

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\"": "\"", "\\": "\\", "/": "/" }

const quoted = (text: string, line: number): string | undefined => {
  const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(text)?.[1]
  if (double !== undefined) {
    return double.replaceAll(/\\(.)/g, (_, letter: string) => {
      const character = escapes[letter]
      if (character === undefined) throw at(line, `\\${letter} is not known. Write the character itself`)
      return character
    })
  }
  const single = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(text)?.[1]
  if (single !== undefined) return single.replaceAll("''", "'")
  if (/^["']/.test(text)) throw at(line, "the quotation mark is not closed on its line")
  return undefined
}

/** A text, alone on its line. */
const scalar = (given: string, line: number): string => {
  const text = given.trim()
  const inner = quoted(text, line)
  if (inner !== undefined) return inner
  if (/^[&*!%@`{}|>]/.test(text)) throw at(line, `a text that begins with ${text.slice(0, 1)} needs quotation marks`)
  // begins at the first space only, so that many spaces are read once
  return text.replace(/(?<!\s)\s+#.*$/s, "")
}

const list = (text: string, line: number): ReadonlyArray<string> => {
  const inner = /^\[(.*)\]\s*(?:#.*)?$/s.exec(text)?.[1]
  if (inner === undefined) throw at(line, "the list is not closed on its line")
  if (/["'[\]{}]/.test(inner)) throw at(line, "write each item of the list on a line of its own, after a dash")
  return inner.split(",").map((item) => item.trim()).filter((item) => item !== "")
}

const indentOf = (line: string): number => line.length - line.trimStart().length

const isSkipped = (line: string): boolean => /^\s*(?:#.*)?$/.test(line)

/** The lines of a text after `|` or `>`. */
const block = (lines: ReadonlyArray<string>, style: string): string => {
  const indent = Math.min(...lines.filter((line) => line.trim() !== "").map(indentOf))
  const cut = lines.map((line) => line.slice(Math.min(indent, indentOf(line) === line.length ? line.length : indent)))
  const text = style === "|" ? cut.join("\n") : cut.join("\n").replaceAll(/([^\n])\n(?=[^\n])/g, "$1 ")
  return text.trimEnd()
}

const nested = (lines: ReadonlyArray<string>, first: number): Value => {
  const kept = lines.map((line, index) => ({ line, number: first + index })).filter(({ line }) => !isSkipped(line))
  if (kept.length === 0) return ""
  if (kept.every(({ line }) => /^\s*- /.test(line))) {
    return kept.map(({ line, number }) => scalar(line.replace(/^\s*- /, ""), number))
  }
  const values = new Map<string, string>()
  const indent = indentOf(kept[0]?.line ?? "")
  for (const { line, number } of kept) {
    const found = entry.exec(line.trim())
    if (found === null || indentOf(line) !== indent || found[2] === undefined) {
      throw at(number, "expected a name, a colon and a text on one line")
    }
    const [, name = "", text = ""] = found
    if (values.has(name)) throw at(number, `'${name}' is given twice`)
    values.set(name, scalar(text, number))
  }
  return values
}

/** Whether a line belongs to the name before it. */
const isInside = (line: string, isOpen: boolean): boolean =>
  line === "" || /^\s/.test(line) || (isOpen && line.startsWith("- "))

const valuesOf = (lines: ReadonlyArray<string>): ReadonlyMap<string, Value> => {
  const values = new Map<string, Value>()
  let place = 0
  while (place < lines.length) {
    const line = lines[place] ?? ""
    // the first line is `---`
    const number = place + 2
    place++
    if (isSkipped(line)) continue
    const found = entry.exec(line.trimEnd())
    if (found === null) throw at(number, "expected a name, a colon and a text, such as `name: pdf-forms`")
    const [, name = "", text = ""] = found
    if (values.has(name)) throw at(number, `'${name}' is given twice`)
    const from = place
    const next = lines.findIndex((each, index) => index >= from && !isInside(each, text === ""))
    place = next < 0 ? lines.length : next
    const inside = lines.slice(from, place)
    const style = /^([|>])[+-]?\s*(?:#.*)?$/.exec(text)?.[1]
    if (style !== undefined) values.set(name, block(inside, style))
    else if (text === "" || text.startsWith("#")) values.set(name, nested(inside, from + 2))
    else if (inside.some((each) => !isSkipped(each))) {
      if (/^["'[]/.test(text)) throw at(from + 2, "a text in quotation marks or a list is on one line")
      values.set(name, [text, ...inside].map((each, index) => scalar(each, number + index)).join(" ").trim())
    } else values.set(name, text.startsWith("[") ? list(text, number) : scalar(text, number))
  }
  return values
}

const isMark = (line: string): boolean => /^---[ \t]*$/.test(line)

/** The values and what follows them, or what is wrong with them. */
export const parse = (text: string): Result.Result<Parts, string> => {
  const lines = text.slice(0, maxCharacters + 8).replace(/^\ufeff/, "").split(/\r?\n/, maxLines + 2)
  if (!isMark(lines[0] ?? "")) return Result.fail("its first line is not ---")
  const end = lines.findIndex((line, index) => index > 0 && isMark(line))
  if (end < 0) {
    return Result.fail(`there is no second line --- in its first ${maxLines} lines and ${maxCharacters} characters`)
  }
  try {
    const values = valuesOf(lines.slice(1, end))
    const head = /^\ufeff?---[^\n]*\n(?:[^\n]*\n)*?---[ \t]*\r?(?:\n|$)/.exec(text)?.[0] ?? ""
    return Result.succeed({ values, body: text.slice(head.length).trim() })
  } catch (fault) {
    if (fault instanceof Mistake) return Result.fail(fault.message)
    throw fault
  }
}
