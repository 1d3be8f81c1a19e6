// Workbooks: a document for each sheet, with a line for each row.
import { type CellObject, read as readWorkbook, type WorkBook } from "@e965/xlsx"
import { Effect } from "effect"
import type { ReaderLimits } from "../ReaderLimits.ts"
import { Unreadable } from "../Unreadable.ts"
import type { Read } from "./Input.ts"
import { signatureOf } from "./signatures.ts"
import { isEncrypted, openOffice, repack } from "./unpack.ts"

const legacy = { title: "a workbook", advice: "The workbook cannot be read. Save it as .xlsx" }

const broken = (error: unknown) =>
  error instanceof Error && /password/i.test(error.message)
    ? new Unreadable({ reason: "encrypted", message: "The workbook is protected by a password" })
    : new Unreadable({ reason: "broken", message: "The content is not a workbook, or is damaged" })

/** The library opens archives itself: it gets one that was unpacked within the limits. */
const toBytes = (content: Uint8Array | string, limits: ReaderLimits) =>
  typeof content !== "string" && signatureOf(content)?.format === "compound" && !isEncrypted(content)
    ? Effect.succeed(content)
    : Effect.map(
      openOffice(content, limits, legacy, (name) => !/^xl\/(?:media|drawings|charts|embeddings)\//i.test(name)),
      repack
    )

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim()

const textOf = (cell: CellObject | undefined): string =>
  cell?.v === undefined || cell.v === null ? "" : oneLine(cell.w ?? String(cell.v))

/** Iterates over existing cells only: a sheet can declare billions. */
const linesOf = (rows: ReadonlyArray<ReadonlyArray<CellObject | undefined> | undefined>, limits: ReaderLimits) => {
  const lines: Array<string> = []
  let cells = 0
  // holes are skipped
  rows.forEach((row) => {
    if (row === undefined) return
    const texts: Array<string> = []
    row.forEach((cell, column) => {
      const text = textOf(cell)
      if (text === "") return
      cells += 1
      while (texts.length < column && texts.length < 1000) texts.push("")
      texts.push(text)
    })
    if (cells > limits.nodes) {
      throw new Unreadable({ reason: "too_large", message: `A sheet has more than ${limits.nodes} cells` })
    }
    if (texts.length > 0) lines.push(texts.join(", "))
  })
  return lines.join("\n")
}

const sheetsOf = ({ SheetNames, Sheets }: WorkBook, limits: ReaderLimits) =>
  SheetNames.map((sheet, index) => ({
    text: linesOf(Sheets[sheet]?.["!data"] ?? [], limits),
    metadata: { sheet, page: index + 1 }
  }))

export const read: Read = Effect.fnUntraced(function*({ content, limits }) {
  const bytes = yield* toBytes(content, limits)
  return yield* Effect.try({
    try: () =>
      sheetsOf(
        readWorkbook(bytes, { type: "array", dense: true, cellFormula: false, cellHTML: false, dateNF: "yyyy-mm-dd" }),
        limits
      ),
    catch: (error) => (error instanceof Unreadable ? error : broken(error))
  })
})
