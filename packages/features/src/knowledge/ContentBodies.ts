// The uploaded bytes of contents, in pieces: one statement with all of them would need several times their memory.
import { Effect, Option } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"

/** Bytes of a piece. */
const pieceBytes = 1024 * 1024

export const make = (sql: SqlClient.SqlClient) => {
  const insert = (seq: number, body: Uint8Array) =>
    Effect.forEach(
      Array.from({ length: Math.max(1, Math.ceil(body.length / pieceBytes)) }, (_, place) => place),
      (place) =>
        sql`
          insert into svc_content_bodies (content_seq, place, bytes)
          values (${seq}, ${place}, ${body.subarray(place * pieceBytes, (place + 1) * pieceBytes)})`,
      { discard: true }
    )

  /** Needs the transaction that locks the content. */
  const replace = (seq: number, body: Uint8Array | undefined): Effect.Effect<void, SqlError.SqlError> =>
    Effect.andThen(
      sql`delete from svc_content_bodies where content_seq = ${seq}`,
      body === undefined ? Effect.void : insert(seq, body)
    )

  /** Of the content `s` that matches. The condition holds for each piece, so no pieces of two versions are mixed. */
  const find = Effect.fnUntraced(function*(condition: Statement.Fragment) {
    const [sized] = yield* sql<{ readonly bytes: number; readonly pieces: number }>`
      select sum(octet_length(b.bytes))::float8 as bytes, count(*)::int as pieces
      from svc_contents s join svc_content_bodies b on b.content_seq = s.seq where ${condition}`
    if (sized === undefined || sized.pieces === 0) return Option.none<Uint8Array>()
    const body = new Uint8Array(sized.bytes)
    let length = 0
    for (let place = 0; place < sized.pieces; place++) {
      const [piece] = yield* sql<{ readonly bytes: Uint8Array }>`
        select b.bytes from svc_contents s join svc_content_bodies b on b.content_seq = s.seq
        where ${condition} and b.place = ${place}`
      if (piece === undefined || length + piece.bytes.length > body.length) return Option.none<Uint8Array>()
      body.set(piece.bytes, length)
      length += piece.bytes.length
    }
    return length === body.length ? Option.some(body) : Option.none<Uint8Array>()
  })

  return { replace, find }
}
