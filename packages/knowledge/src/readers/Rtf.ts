// Rich Text: its text, without the tables of fonts, styles and pictures.
import { Effect, Result } from "effect"
import { Unreadable } from "../Unreadable.ts"
import type { Read } from "./Input.ts"

/** Groups whose text does not belong to the document. Groups that begin with `\*` are left out as well. */
const leftOut = new Set(
  ("fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf " +
    "listtable listoverridetable rsidtbl generator filetbl revtbl themedata colorschememapping datastore " +
    "latentstyles xmlnstbl annotation fldinst").split(" ")
)

const written = new Map([
  ["par", "\n"],
  ["line", "\n"],
  ["row", "\n"],
  ["sect", "\n\n"],
  ["page", "\n\n"],
  ["tab", " "],
  ["cell", " | "],
  ["nestcell", " | "],
  ["emdash", "—"],
  ["endash", "–"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["bullet", "•"],
  ["~", "\u00a0"],
  ["_", "-"],
  ["\n", "\n"],
  ["\r", "\n"],
  ["{", "{"],
  ["}", "}"],
  ["\\", "\\"]
])

/** Code pages whose name is not `windows-` and the number. */
const codePages = new Map([
  [437, "windows-1252"],
  [850, "windows-1252"],
  [866, "ibm866"],
  [874, "windows-874"],
  [932, "shift_jis"],
  [936, "gb18030"],
  [949, "euc-kr"],
  [950, "big5"],
  [10000, "macintosh"],
  [65001, "utf-8"]
])

interface Group {
  isLeftOut: boolean
  /** How many characters follow a Unicode character for programs that cannot show it. */
  fallback: number
}

const copyOf = ({ fallback, isLeftOut }: Group): Group => ({ fallback, isLeftOut })

const decoderOf = (codePage: number): TextDecoder =>
  Result.getOrElse(
    Result.try(() => new TextDecoder(codePages.get(codePage) ?? `windows-${codePage}`)),
    () => new TextDecoder("windows-1252")
  )

/** A control word, a hexadecimal byte, a control symbol, a brace, or text. */
const tokens = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}]+)/gi

const textOf = (rtf: string): string => {
  const groups: Array<Group> = []
  let group: Group = { isLeftOut: false, fallback: 1 }
  let decoder = decoderOf(1252)
  let [skipped, start] = [0, true]
  const parts: Array<string> = []
  let bytes: Array<number> = []
  const flush = () => {
    if (bytes.length > 0) parts.push(decoder.decode(Uint8Array.from(bytes)))
    bytes = []
  }
  const add = (text: string) => {
    flush()
    if (!group.isLeftOut) parts.push(text)
  }
  tokens.lastIndex = 0
  for (let token = tokens.exec(rtf); token !== null; token = tokens.exec(rtf)) {
    const [, word, number, byte, symbol, brace, text] = token
    const isStart = start
    start = brace === "{"
    if (brace === "{") {
      groups.push(group)
      group = copyOf(group)
    } else if (brace === "}") {
      flush()
      skipped = 0
      group = groups.pop() ?? group
    } else if (symbol === "*") {
      if (isStart) group.isLeftOut = true
    } else if (byte !== undefined) {
      if (skipped > 0) skipped -= 1
      else if (!group.isLeftOut) bytes.push(Number.parseInt(byte, 16))
    } else if (word === "u") {
      add(String.fromCharCode((Number(number) + 0x10000) % 0x10000))
      skipped = group.fallback
    } else if (word === "uc") group.fallback = Math.min(Number(number), 16)
    else if (word === "ansicpg") decoder = decoderOf(Number(number))
    else if (word === "bin") tokens.lastIndex += Math.max(Number(number ?? 0), 0)
    else if (word !== undefined && isStart && leftOut.has(word)) group.isLeftOut = true
    else if (word !== undefined || symbol !== undefined) {
      const shown = written.get(word ?? symbol ?? "")
      if (shown !== undefined) add(shown)
    } else if (text !== undefined) {
      const line = text.replace(/[\r\n]/g, "")
      const shown = line.slice(skipped)
      skipped = Math.max(0, skipped - line.length)
      if (shown !== "") add(shown)
    }
  }
  flush()
  return parts.join("").replace(/ \| *\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim()
}

export const read: Read = ({ content }) => {
  const rtf = typeof content === "string" ? content : Buffer.from(content).toString("latin1")
  return rtf.startsWith("{\\rtf")
    ? Effect.sync(() => [{ text: textOf(rtf) }])
    : Effect.fail(new Unreadable({ reason: "mismatch", message: "The content is not a Rich Text document" }))
}
