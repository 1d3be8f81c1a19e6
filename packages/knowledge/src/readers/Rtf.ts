// Rich Text: its text, without the tables of fonts, styles and pictures. Headers and footers are above and below it,
// once.
import { Effect, Result } from "effect"
import { Unreadable } from "../Unreadable.ts"
import { commentOf } from "./comment.ts"
import type { Read } from "./Input.ts"
import { RtfCells } from "./rtfCells.ts"
import { oneLine } from "./table.ts"

/** Groups whose text does not belong to the document. */
const leftOut = new Set(
  ("fonttbl colortbl stylesheet info pict objclass objdata objname objalias listtable listoverridetable rsidtbl " +
    "generator filetbl revtbl themedata colorschememapping datastore latentstyles xmlnstbl fldinst sp shprslt xe tc " +
    "nonesttables").split(" ")
)

const isMargin = (word: string): boolean => /^(?:header|footer)[lrf]?$/.test(word)

const isNote = (word: string): boolean => word === "footnote" || word === "annotation"

/** Of the groups that begin with `\*`, those with text of the document: notes, what is in shapes, and ends of rows. */
const kept = new Set(["footnote", "annotation", "shpinst", "nesttableprops", "ud"])

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
  /** The next group has a text for programs without Unicode, and the group behind it the text itself. */
  readonly isTwice: boolean
  /** The note that ends with the group. */
  readonly note: string | undefined
  /** One of the groups around it can be the note. */
  readonly isInNote: boolean
  /** Where its text is written to. */
  readonly parts: Array<string>
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

const tidy = (parts: ReadonlyArray<string>): string =>
  parts.join("").replace(/ \| *\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim()

/** Each section repeats its headers. */
const once = (margins: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => [...new Set(margins.map(tidy))]

const textOf = (rtf: string): string => {
  const groups: Array<Group> = []
  const body: Array<string> = []
  const margins: Record<"header" | "footer", Array<ReadonlyArray<string>>> = { header: [], footer: [] }
  let group: Group = {
    isLeftOut: false,
    isHidden: false,
    isFontTable: false,
    isTwice: false,
    note: undefined,
    isInNote: false,
    parts: body,
    font: -1,
    fallback: 1
  }
  const cells = new RtfCells()
  let cell = { parts: body, start: 0 }
  let decoder = decoderOf(1252)
  const fonts = new Map<number, TextDecoder>()
  let [skipped, start, starred] = [0, true, false]
  let [pending, isInside] = ["", false]
  const decodePending = (stream: boolean) => {
    const isAscii = !isInside && !/[^\0-\x7f]/.test(pending)
    group.parts.push(
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
    if (isShown()) group.parts.push(text)
  }
  const startGroup = () => {
    groups.push(group)
    change({ isLeftOut: group.isLeftOut || group.isTwice, isTwice: false, note: undefined })
  }
  const endGroup = () => {
    const { note, parts } = group
    group = groups.pop() ?? group
    if (note === undefined) return
    const text = oneLine(parts.join(""))
    const shown = note === "annotation" ? commentOf(text) : text === "" ? "" : `(${text})`
    if (shown !== "") group.parts.push(` ${shown}`)
  }
  const startCell = () => {
    flush()
    cell = { parts: group.parts, start: group.parts.length }
  }
  const endCell = () => {
    flush()
    add(cell.parts === group.parts ? cells.endCell(group.parts.slice(cell.start).join("")) : "")
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
      if (brace === "{") startGroup()
      else endGroup()
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
    } else if (word !== undefined && isStart && isMargin(word)) {
      change({ parts: [] })
      margins[word.startsWith("header") ? "header" : "footer"].push(group.parts)
    } else if (word !== undefined && (isStart || isStarred) && isNote(word)) {
      // a note inside of a note is a part of it: else each would copy what is in it
      if (group.isInNote) add(" ")
      else change({ note: word, parts: [], isInNote: true })
    } else if (word === "upr" && isStart) change({ isTwice: true })
    else if (word === "ud" && isStarred) change({ isLeftOut: groups.at(-1)?.isLeftOut ?? false })
    else if (word !== undefined && /^(?:trowd|clv?mrg|cellx)$/.test(word)) {
      cells.define(word)
      if (word === "trowd" && cells.isRowEmpty) startCell()
    } else if (word !== undefined || symbol !== undefined) {
      const shown = written.get(word ?? symbol ?? "")
      if (shown !== undefined && skipped > 0 && !/\s/.test(shown)) skip()
      else if (shown !== undefined) {
        skipped = 0
        if (word === "cell") endCell()
        add(shown)
        if (word === "row") cells.endRow()
        if (word === "cell" || word === "row") startCell()
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
  while (groups.length > 0) endGroup()
  return [...once(margins.header), tidy(body), ...once(margins.footer)].filter((text) => text !== "").join("\n\n")
}

export const read: Read = ({ content }) => {
  const rtf = typeof content === "string" ? content : Buffer.from(content).toString("latin1")
  return rtf.startsWith("{\\rtf")
    ? Effect.sync(() => [{ text: textOf(rtf) }])
    : Effect.fail(new Unreadable({ reason: "mismatch", message: "The content is not a Rich Text document" }))
}
