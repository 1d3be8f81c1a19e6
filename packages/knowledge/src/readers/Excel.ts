// Workbooks: a document for each sheet, with a line for each row.
import { type CellObject, type ParsingOptions, type Range, read as readWorkbook, type WorkBook } from "@e965/xlsx"
import { Effect } from "effect"
import type { Draft } from "../Document.ts"
import type { ReaderLimits } from "../ReaderLimits.ts"
import { Unreadable } from "../Unreadable.ts"
import { commentOf } from "./comment.ts"
import type { Read } from "./Input.ts"
import { signatureOf } from "./signatures.ts"
import { oneLine, textOf } from "./table.ts"
import { type Entries, isEncrypted, openOffice, repack } from "./unpack.ts"

const legacy = { title: "a workbook", advice: "The workbook cannot be read. Save it as .xlsx" }

const broken = (error: unknown) =>
  error instanceof Error && /password/i.test(error.message)
    ? new Unreadable({ reason: "encrypted", message: "The workbook is protected by a password" })
    : new Unreadable({ reason: "broken", message: "The content is not a workbook, or is damaged" })

const readFailure = (error: unknown) => error instanceof Unreadable ? error : broken(error)

/** The columns of a sheet that are read with their place. A sheet can declare thousands of them. */
const maxColumns = 1000

const tooLarge = (message: string) => new Unreadable({ reason: "too_large", message })

/** The places of a sheet: its cells, and the empty ones before them, of which a row can have many. */
const maxPlacesOf = ({ nodes }: ReaderLimits): number => 10 * nodes

const checkPlaces = (places: number, limits: ReaderLimits): void => {
  if (places > maxPlacesOf(limits)) throw tooLarge(`A sheet has more than ${maxPlacesOf(limits)} places`)
}

const columnOf = (letters: string): number =>
  [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0)

const isSheet = (name: string): boolean => /^xl\/worksheets\/[^/]+\.xml$/i.test(name)

/** Before the sheets become rows, because a row with one cell in its last column takes the time of all its columns. */
const checkSheets = (parts: Entries, limits: ReaderLimits): void => {
  for (const [name, part] of Object.entries(parts)) {
    if (!isSheet(name)) continue
    let [places, last] = [0, 0]
    for (const [, letters] of new TextDecoder().decode(part).matchAll(/<row\b|<c r="([A-Z]{1,3})\d/g)) {
      if (letters !== undefined) last = Math.max(last, Math.min(columnOf(letters), maxColumns))
      else {
        places += last
        last = 0
      }
      checkPlaces(places + last, limits)
    }
  }
}

const noStyles = new TextEncoder().encode(
  `<?xml version="1.0" encoding="UTF-8"?><office:document-styles ` +
    `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>`
)

/** OpenDocument can do without styles, and the library cannot. */
const withStyles = (parts: Entries): Entries =>
  "content.xml" in parts && !("styles.xml" in parts) ? { ...parts, "styles.xml": noStyles } : parts

/** Without more than an empty value. A document can have millions of blanks: only one part matches at each place. */
const cellWithFormula =
  /<((?:\w+:)?)c\b([^<>]*)>\s*<\1f\b(?:[^<>]*\/>|[^<>]*>([^<]*)<\/\1f>)\s*(?:(<\1v\s*\/>|<\1v>\s*<\/\1v>)\s*)?<\/\1c>/g

/** Without more than an empty text. */
const openCell = /<table:table-cell\b([^<>]*?)(?:\/>|>\s*(?:(<text:p\s*\/>)\s*)?<\/table:table-cell>)/g

const openFormula = /\stable:formula="(?:\w+:)?([^"]*)"/
const openValue = /\soffice:value="([^"]*)"/
const openType = /\soffice:value-type="([^"]*)"/

/** Formulas whose value is not stored become texts: programs other than spreadsheets do not calculate values. */
const showFormulas = (parts: Entries): { readonly shown: Entries; readonly formulas: number } => {
  let formulas = 0
  const textOfFormula = (formula: string | undefined): string => {
    formulas += 1
    return `=${(formula ?? "").trim().replace(/^=/, "") || "(formula)"}`
  }
  const inOpenDocument = (xml: string): string =>
    xml.replace(openCell, (cell, attributes: string, empty: string | undefined) => {
      const formula = openFormula.exec(attributes)?.[1]
      const value = openValue.exec(attributes)?.[1]
      // the library takes a cell without a text for an empty one
      if (value !== undefined && empty === undefined) {
        return `<table:table-cell${attributes}><text:p>${value}</text:p></table:table-cell>`
      }
      const isStored = /\soffice:(?:\w+-)?value=/.test(attributes) ||
        empty !== undefined && openType.exec(attributes)?.[1] === "string"
      if (formula === undefined || isStored) return cell
      const text = textOfFormula(formula.replace(/\[\.([^[\]]*)\]/g, (_, cells: string) => cells.replace(":.", ":")))
      const others = attributes.replace(openFormula, "").replace(openType, "")
      return `<table:table-cell${others} office:value-type="string"><text:p>${text}</text:p></table:table-cell>`
    })
  const inSheet = (xml: string): string =>
    xml.replace(
      cellWithFormula,
      (cell, prefix: string, attributes: string, formula: string | undefined, empty: string | undefined) => {
        // the value is the empty text
        if (empty !== undefined && /\st="str"/.test(attributes)) return cell
        const value = `<${prefix}v>${textOfFormula(formula)}</${prefix}v>`
        return `<${prefix}c${attributes.replace(/\st="[^"]*"/, "")} t="str">${value}</${prefix}c>`
      }
    )
  const shown = Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const replace = isSheet(name) ? inSheet : name === "content.xml" ? inOpenDocument : undefined
      if (replace === undefined) return [name, part]
      const xml = new TextDecoder().decode(part)
      const replaced = replace(xml)
      return [name, replaced === xml ? part : new TextEncoder().encode(replaced)]
    })
  )
  return { shown, formulas }
}

/** The library opens archives itself: it gets one that was unpacked within the limits. */
const toBytes = (content: Uint8Array | string, limits: ReaderLimits) =>
  typeof content !== "string" && signatureOf(content)?.format === "compound" && !isEncrypted(content)
    ? Effect.succeed({ bytes: content, formulas: 0 })
    : Effect.flatMap(
      openOffice(content, limits, legacy, (name) => !/^xl\/(?:media|drawings|charts|embeddings)\//i.test(name)),
      (parts) =>
        Effect.try({
          try: () => {
            checkSheets(parts, limits)
            const { formulas, shown } = showFormulas(withStyles(parts))
            return { bytes: repack(shown), formulas }
          },
          catch: readFailure
        })
    )

/** Numbers are stored with 15 digits. */
const digitsOf = (number: number): string => {
  if (Number.isSafeInteger(number)) return String(number)
  const stored = Number(number.toPrecision(15))
  return Math.abs(stored) < Number.MAX_SAFE_INTEGER ? String(stored) : stored.toExponential()
}

/** Narrow cells, and the formats that a number has by default, show less digits than there are. */
const isShortened = ({ w = "", z }: CellObject): boolean => z === "General" || /^-?[\d.,]+E[+-]?\d+$/i.test(w)

const valueOf = (cell: CellObject): string =>
  cell.v === undefined || cell.v === null
    ? ""
    : typeof cell.v === "number" && cell.t === "n" && isShortened(cell)
    ? digitsOf(cell.v)
    : oneLine(cell.w ?? String(cell.v))

const fieldOf = (cell: CellObject | undefined): string =>
  cell === undefined
    ? ""
    : [valueOf(cell), ...(cell.c ?? []).map(({ t }) => t === undefined ? "" : commentOf(t))]
      .filter((text) => text !== "").join(" ")

type Rows = ReadonlyArray<ReadonlyArray<CellObject | undefined> | undefined>

/** What an array has, in its order. Its own loops look at each hole, of which a row can have thousands. */
const existing = <A>(list: ReadonlyArray<A>): ReadonlyArray<readonly [number, A | undefined]> =>
  Object.keys(list).map((key) => [Number(key), list[Number(key)]])

/** The fields of the rows that have cells. Iterates over existing cells only: a sheet can declare billions. */
const fieldsOf = (rows: Rows, limits: ReaderLimits): ReadonlyMap<number, Array<string>> => {
  const fields = new Map<number, Array<string>>()
  let [cells, places] = [0, 0]
  for (const [index, row] of existing(rows)) {
    const texts: Array<string> = []
    for (const [column, cell] of existing(row ?? [])) {
      const text = fieldOf(cell)
      if (text === "") continue
      cells += 1
      while (texts.length < column && texts.length < maxColumns) texts.push("")
      texts.push(text)
    }
    places += texts.length
    if (cells > limits.nodes) throw tooLarge(`A sheet has more than ${limits.nodes} cells`)
    checkPlaces(places, limits)
    if (texts.length > 0) fields.set(index, texts)
  }
  return fields
}

/** What merged cells add to a sheet, in characters. */
const maxRepeated = 1024 * 1024

/** Merged cells have their value in each of their places: a row is read without the rows above it. */
const repeatMerged = (fields: ReadonlyMap<number, Array<string>>, merged: ReadonlyArray<Range>): void => {
  let repeated = 0
  for (const { e: end, s: start } of merged) {
    const text = fields.get(start.r)?.[start.c] ?? ""
    if (text === "") continue
    for (let row = start.r; row <= end.r; row++) {
      const texts = fields.get(row) ?? []
      repeated += 1
      for (let column = start.c; texts.length > 0 && column <= end.c && column < maxColumns; column++) {
        repeated += text.length
        while (texts.length < column) texts.push("")
        if (repeated < maxRepeated) texts[column] = text
      }
      if (repeated >= maxRepeated) return
    }
  }
}

const sheetsOf = ({ SheetNames, Sheets }: WorkBook, limits: ReaderLimits) =>
  SheetNames.map((sheet, index) => {
    const fields = fieldsOf(Sheets[sheet]?.["!data"] ?? [], limits)
    repeatMerged(fields, Sheets[sheet]?.["!merges"] ?? [])
    return { text: textOf([...fields.values()], limits.outputLength), metadata: { sheet, page: index + 1 } }
  })

const options: ParsingOptions = {
  type: "array",
  dense: true,
  cellFormula: false,
  cellHTML: false,
  cellNF: true,
  dateNF: "yyyy-mm-dd"
}

const withoutValues = (formulas: number): ReadonlyArray<Draft> => {
  if (formulas === 0) return []
  const subject = formulas === 1
    ? "A formula has no stored value and is shown as it is written"
    : `${formulas} formulas have no stored value and are shown as they are written`
  return [{ text: "", problem: `${subject}. Save the workbook in a spreadsheet program to store the values` }]
}

export const read: Read = Effect.fnUntraced(function*({ content, limits }) {
  const { bytes, formulas } = yield* toBytes(content, limits)
  const sheets = yield* Effect.try({ try: () => sheetsOf(readWorkbook(bytes, options), limits), catch: readFailure })
  return [...sheets, ...withoutValues(formulas)]
})
