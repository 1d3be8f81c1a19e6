// Reads runs by their ids, in pieces of bounded size: most pages are one statement.
import type * as Run from "@svc-runtime/domain/Run"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as ReadableRows from "../sql/ReadableRows.ts"
import { text, texts } from "../sql/rows.ts"
import * as RunRows from "./RunRows.ts"

const pieceBytes = 8 * 1024 * 1024

export interface Sized {
  readonly run_id: Run.Id
  readonly bytes: number
}

const piecesOf = (rows: ReadonlyArray<Sized>): ReadonlyArray<ReadonlyArray<Run.Id>> => {
  const pieces: Array<Array<Run.Id>> = []
  let bytes = pieceBytes
  for (const row of rows) {
    if (bytes + row.bytes > pieceBytes) {
      pieces.push([])
      bytes = 0
    }
    pieces.at(-1)?.push(row.run_id)
    bytes += row.bytes
  }
  return pieces
}

const readable = ReadableRows.make(RunRows.RunRow)

/** `columns`: what is read of a run `r`. */
export const make = (sql: SqlClient.SqlClient, columns: Statement.Fragment) => {
  const find = (runs: ReadonlyArray<Run.Id>) =>
    Effect.flatMap(
      sql<object>`
        select r.run_id, ${columns} from svc_runs r where r.run_id = any(${texts(runs.map(text))}) order by r.seq`,
      readable
    )
  return (rows: ReadonlyArray<Sized>) => Effect.map(Effect.forEach(piecesOf(rows), find), (pieces) => pieces.flat())
}
