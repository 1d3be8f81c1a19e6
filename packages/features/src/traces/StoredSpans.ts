// Reads the spans of rows. A row names a line of a pack.
import * as Span from "@svc-runtime/domain/Span"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { logDamagedPack } from "@svc-runtime/postgres/sql/rejectedStatements"
import { times, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import * as SpanPacks from "./SpanPacks.ts"

/** Of the packs that are read at once. */
const maxBytes = 1024 * 1024

/** The columns of a row `s` of `svc_spans` with its pack `k`. */
export const columns = "s.pack_id::float8 as pack_id, s.pack_line, k.bytes"

const Row = Schema.Struct({
  pack_id: Schema.Finite,
  pack_line: Schema.Natural,
  /** Of the pack. Null if it was removed meanwhile. */
  bytes: Schema.NullOr(Schema.Natural)
})
type Row = typeof Row.Type

interface Pack {
  readonly pack_id: number
  readonly bytes: number
  readonly lines: ReadonlySet<number>
}

const readable = ReadableRows.make(Schema.Struct({ body: Span.Span }))
const readableRows = ReadableRows.make(Row)

/** A damaged span does not hide the others of its row. */
const spansOf = (bodies: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Span.Span>> =>
  Effect.map(
    readable(bodies.flatMap((body) => Array.isArray(body) ? body.map((span) => ({ body: span })) : { body })),
    (read) => read.map(({ body }) => body)
  )

const packsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Pack> => {
  const packs = new Map<number, { readonly pack_id: number; readonly bytes: number; readonly lines: Set<number> }>()
  for (const { bytes, pack_id, pack_line } of rows) {
    const known = packs.get(pack_id)
    if (known === undefined) packs.set(pack_id, { pack_id, bytes: bytes ?? 0, lines: new Set([pack_line]) })
    else known.lines.add(pack_line)
  }
  return [...packs.values()].toSorted((one, other) => one.pack_id - other.pack_id)
}

/** Packs that are read at once. */
const piecesOf = (packs: ReadonlyArray<Pack>): ReadonlyArray<ReadonlyArray<Pack>> => {
  const pieces: Array<Array<Pack>> = []
  let bytes = 0
  for (const pack of packs) {
    const last = pieces.at(-1)
    bytes += pack.bytes
    if (last !== undefined && bytes <= maxBytes) last.push(pack)
    else {
      pieces.push([pack])
      bytes = pack.bytes
    }
  }
  return pieces
}

/** Undefined: it is damaged. */
const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

export const make = (sql: SqlClient.SqlClient) => {
  const BodyRow = Schema.Struct({ pack_id: Schema.Finite, body: unchecked<Uint8Array>() })
  const readablePacks = ReadableRows.make(BodyRow, "pack_id")

  const linesOf = Effect.fnUntraced(function*(pack: Pack, body: Uint8Array) {
    const lines = SpanPacks.linesOf(body)
    if (Option.isSome(lines)) {
      // a line that was removed meanwhile is empty
      return [...pack.lines].map((place) => lines.value[place] ?? "").filter((line) => line !== "")
    }
    yield* logDamagedPack(pack.pack_id)
    return []
  })

  /** A pack that was removed meanwhile has no lines. */
  const readPiece = Effect.fnUntraced(function*(packs: ReadonlyArray<Pack>) {
    const ids = times(packs.map(({ pack_id }) => pack_id))
    const rows = yield* Effect.flatMap(
      sql`select pack_id::float8 as pack_id, body from svc_span_packs where pack_id = any(${ids}::bigint[])`,
      readablePacks
    )
    const found = new Map(rows.map(({ body, pack_id }) => [pack_id, body]))
    const lines = yield* Effect.forEach(packs, (pack) => {
      const body = found.get(pack.pack_id)
      return body === undefined ? Effect.succeed([]) : linesOf(pack, body)
    })
    return lines.flat()
  })

  /** In the order of their starts. */
  const all = Effect.fnUntraced(function*(given: ReadonlyArray<object>) {
    const rows = yield* readableRows(given)
    const bodies: Array<unknown> = []
    for (const piece of piecesOf(packsOf(rows))) {
      for (const line of yield* readPiece(piece)) bodies.push(parsed(line))
    }
    return (yield* spansOf(bodies)).toSorted((one, other) => one.started_at - other.started_at)
  })

  /** The span with the id among rows, of which only lines with `text` are parsed. */
  const find = Effect.fnUntraced(function*(
    given: ReadonlyArray<object>,
    span_id: string,
    text: string
  ): Effect.fn.Return<Option.Option<Span.Span>, SqlError.SqlError> {
    const rows = yield* readableRows(given)
    const among = (bodies: ReadonlyArray<unknown>) =>
      Effect.map(spansOf(bodies), (spans) => spans.find((span) => span.span_id === span_id))
    for (const piece of piecesOf(packsOf(rows))) {
      const lines = (yield* readPiece(piece)).filter((line) => line.includes(text))
      const inPiece = yield* among(lines.map(parsed))
      if (inPiece !== undefined) return Option.some(inPiece)
    }
    return Option.none()
  })

  return { all, find }
}
