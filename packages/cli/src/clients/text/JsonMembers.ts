// Inserts and removes members of objects in a JSON text, by offsets. Removing an inserted member restores the bytes.
// jsonc-parser finds the offsets; its own edits reformat lines and lose comments.
import type { Node } from "jsonc-parser"
import { lineEndOf, type Splice } from "./EntryFormat.ts"

export const endOf = (node: Node): number => node.offset + node.length

export const keyOf = (member: Node): string => String(member.children?.[0]?.value)

export const membersOf = (object: Node): ReadonlyArray<Node> => object.children ?? []

/** The text between two members: blanks, comments and perhaps a comma. */
interface Gap {
  readonly comma: number | undefined
  /** The end of its last part that is not blank. */
  readonly end: number
  /** It ends with a line comment. */
  readonly isOpen: boolean
}

const tokens = /(?<line>\/\/[^\r\n]*)|\/\*[^]*?\*\/|,/g

const gapOf = (text: string, start: number, end: number): Gap => {
  let gap: Gap = { comma: undefined, end: start, isOpen: false }
  for (const { 0: token, groups, index } of text.slice(start, end).matchAll(tokens)) {
    gap = {
      comma: token === "," ? start + index : gap.comma,
      end: start + index + token.length,
      isOpen: groups?.["line"] !== undefined
    }
  }
  return gap
}

/** The indentation of the line of an offset. */
export const indentAt = (text: string, offset: number): string => {
  const start = text.lastIndexOf("\n", offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ""
}

/** The separator before a member: a new line, or a blank. */
const leadOf = (text: string, offset: number): string =>
  /(?:\r?\n|(?<![ \t]))[ \t]*$/.exec(text.slice(0, offset))?.[0] ?? ""

/**
 * Inserts behind the last member, in the same layout. In an empty object it inserts directly behind the brace: by that
 * `remove` recognizes an object that existed before its only member.
 */
export const insertion = (
  text: string,
  object: Node,
  member: (indent: string) => string
): ReadonlyArray<Splice> => {
  const last = membersOf(object).at(-1)
  if (last === undefined) {
    const at = object.offset + 1
    return [{ start: at, end: at, text: member(indentAt(text, at)) }]
  }
  const gap = gapOf(text, endOf(last), endOf(object) - 1)
  const lead = leadOf(text, last.offset)
  const ownLine = lead.includes("\n")
  const indent = ownLine ? lead.replace(/^\r?\n/, "") : indentAt(text, last.offset)
  const separator = ownLine ? lead : gap.isOpen ? `${lineEndOf(text)}${indent}` : " "
  const put = `${separator}${member(indent)}`
  return gap.comma === undefined
    ? [{ start: endOf(last), end: endOf(last), text: "," }, { start: gap.end, end: gap.end, text: put }]
    : [{ start: gap.end, end: gap.end, text: `${put},` }]
}

/**
 * The member with its comma and the blanks before it. Comments stay: they may be about other members. The next member
 * takes the place directly behind the brace.
 */
export const removal = (text: string, object: Node, member: Node): ReadonlyArray<Splice> => {
  const members = membersOf(object)
  const index = members.indexOf(member)
  const previous = members[index - 1]
  const next = members[index + 1]
  if (
    next !== undefined && isFirstByte(object, member) && /^[ \t]*,[ \t]*$/.test(text.slice(endOf(member), next.offset))
  ) {
    return [{ start: member.offset, end: next.offset, text: "" }]
  }
  const before = gapOf(text, previous === undefined ? object.offset + 1 : endOf(previous), member.offset)
  const after = gapOf(text, endOf(member), next === undefined ? endOf(object) - 1 : next.offset)
  // the next member must not become a part of the comment before it
  const hasLineBehind = /^[ \t]*(?:,[ \t]*)?\r?\n/.test(text.slice(endOf(member)))
  const start = before.isOpen && !hasLineBehind ? member.offset : before.end
  const own: Splice = { start, end: endOf(member), text: "" }
  const comma = after.comma ?? before.comma
  return comma === undefined ? [own] : [own, { start: comma, end: comma + 1, text: "" }]
}

/** It is directly behind the brace of its object. */
export const isFirstByte = (object: Node, member: Node): boolean => member.offset === object.offset + 1
