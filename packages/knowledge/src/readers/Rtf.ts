// Rich Text: its text, without the tables of fonts, styles and pictures.
import { Effect, Result } from "effect"
import { Unreadable } from "../Unreadable.ts"
import type { Read } from "./Input.ts"

/** Groups whose text does not belong to the document. */
const leftOut = new Set(
  ("fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf " +
    "listtable listoverridetable rsidtbl generator filetbl revtbl themedata colorschememapping datastore " +
    "latentstyles xmlnstbl annotation fldinst sp shprslt xe tc nonesttables").split(" ")
)

/** Of the groups that begin with `\*`, those with text of the document: notes, what is in shapes, and ends of rows. */
const kept = new Set(["footnote", "shpinst", "nesttableprops"])

const written = new Map([
  ["par", "\n"],
  ["line", "\n"],
  ["row", "\n"],
  ["nestrow", "\n"],
  ["shptxt", "\n"],
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

/** Code pages by the charset of a font. Other fonts have that of the document. */
const charsets = new Map([
  [77, 10000],
  [128, 932],
  [129, 949],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250]
])

interface Group {
  readonly isLeftOut: boolean
  /** Deleted, or not shown. */
  readonly isHidden: boolean
  readonly isFontTable: boolean
  readonly font: number
  /** How many characters follow a Unicode character for programs that cannot show it. */
  readonly fallback: number
}

const decoderOf = (codePage: number): TextDecoder =>
  Result.getOrElse(
    Result.try(() => new TextDecoder(codePages.get(codePage) ?? `windows-${codePage}`)),
    () => new TextDecoder("windows-1252")
  )

/** A control word, a hexadecimal byte, a control symbol, a brace, or text. */
const tokens = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}]+)/gi

const isBytes = (text: string): boolean => !/[^\0-\xff]/.test(text)

/** Bytes are decoded in parts of this length. */
const maxPending = 4096

const textOf = (rtf: string): string => {
  const groups: Array<Group> = []
  let group: Group = { isLeftOut: false, isHidden: false, isFontTable: false, font: -1, fallback: 1 }
  let decoder = decoderOf(1252)
  const fonts = new Map<number, TextDecoder>()
  let [skipped, start, starred] = [0, true, false]
  const parts: Array<string> = []
  let [pending, isInside] = ["", false]
  const decodePending = (stream: boolean) => {
    const isAscii = !isInside && !/[^\0-\x7f]/.test(pending)
    parts.push(
      isAscii ? pending : (fonts.get(group.font) ?? decoder).decode(Buffer.from(pending, "latin1"), { stream })
    )
    isInside = !isAscii && stream
    pending = ""
  }
  const flush = () => {
    if (pending !== "" || isInside) decodePending(false)
  }
  const change = (changed: Partial<Group>) => {
    group = { ...group, ...changed }
  }
  const isShown = () => !group.isLeftOut && !group.isHidden
  const add = (text: string) => {
    flush()
    if (isShown()) parts.push(text)
  }
  // a character of two bytes can begin with an escaped byte and end with a letter
  const addBytes = (text: string) => {
    if (!isShown()) return
    pending += text
    if (pending.length > maxPending) decodePending(true)
  }
  const skip = () => {
    skipped -= 1
  }
  tokens.lastIndex = 0
  for (let token = tokens.exec(rtf); token !== null; token = tokens.exec(rtf)) {
    const [, word, number, byte, symbol, brace, text] = token
    const [isStart, isStarred] = [start, starred]
    start = brace === "{"
    starred = isStart && symbol === "*"
    if (brace !== undefined) {
      flush()
      skipped = 0
      if (brace === "{") groups.push(group)
      else group = groups.pop() ?? group
    } else if (isStarred && !kept.has(word ?? "")) change({ isLeftOut: true })
    else if (starred) continue
    else if (byte !== undefined) {
      if (skipped > 0) skip()
      else addBytes(String.fromCharCode(Number.parseInt(byte, 16)))
    } else if (word === "u" && number !== undefined) {
      add(String.fromCharCode(Number(number)))
      skipped = group.fallback
    } else if (word === "uc") change({ fallback: Math.min(Math.max(Number(number ?? 1), 0), 16) })
    else if (word === "ansicpg") decoder = decoderOf(Number(number))
    else if (word === "mac") decoder = decoderOf(10_000)
    else if (word === "f") {
      flush()
      change({ font: Number(number ?? 0) })
    } else if (word === "deff" && group.font < 0) change({ font: Number(number ?? 0) })
    else if (word === "fcharset" && group.isFontTable) {
      const codePage = charsets.get(Number(number))
      if (codePage !== undefined) fonts.set(group.font, decoderOf(codePage))
    } else if (word === "deleted" || word === "v") {
      flush()
      change({ isHidden: number !== "0" })
    } else if (word === "plain") {
      flush()
      change({ isHidden: false })
    } else if (word === "bin") tokens.lastIndex += Math.max(Number(number ?? 0), 0)
    else if (word !== undefined && isStart && leftOut.has(word)) {
      change({ isLeftOut: true, isFontTable: word === "fonttbl" })
    } else if (word === "footnote") add(" ")
    else if (word !== undefined || symbol !== undefined) {
      const shown = written.get(word ?? symbol ?? "")
      if (shown !== undefined && skipped > 0 && !/\s/.test(shown)) skip()
      else if (shown !== undefined) {
        skipped = 0
        add(shown)
      }
    } else if (text !== undefined) {
      const line = text.replace(/[\r\n]/g, "")
      const shown = line.slice(skipped)
      skipped = Math.max(0, skipped - line.length)
      if (isBytes(shown)) addBytes(shown)
      else add(shown)
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
