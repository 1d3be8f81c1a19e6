// The rows of large texts. A text is written and read in parts, so that no row and no protocol message is large.
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { text, texts } from "../sql/rows.ts"
import type { Reference } from "./LargeTexts.ts"

/** Characters. UTF-8 has at most three bytes for each. */
const partLength = 1024 * 1024

/** How many characters are read by one statement. */
const readTogether = 8 * 1024 * 1024

const isHighSurrogate = (code: number) => code >= 0xd800 && code < 0xdc00

/** No part ends inside a character. */
const partsOf = (whole: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const parts: Array<readonly [number, number]> = []
  for (let start = 0; start < whole.length;) {
    let end = Math.min(start + partLength, whole.length)
    if (end < whole.length && isHighSurrogate(whole.charCodeAt(end - 1))) end--
    parts.push([start, end])
    start = end
  }
  return parts
}

// UTF-8 has no halves of characters: the first byte of a part says which encoding it has.
const utf8 = 0
const utf16 = 1

const encode = (part: string): Buffer => {
  const encoding = part.isWellFormed() ? utf8 : utf16
  const body = Buffer.from(part, encoding === utf8 ? "utf8" : "utf16le")
  return Buffer.concat([Buffer.of(encoding), body])
}

const decode = (bytes: Uint8Array): string => {
  if (bytes.byteLength === 0) return ""
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.byteLength - 1)
  return body.toString(bytes[0] === utf16 ? "utf16le" : "utf8")
}

/** The content hash of a text. Other requests are served between its parts. */
export const nameOf = Effect.fnUntraced(function*(whole: string) {
  const hash = createHash("sha256")
  const parts = partsOf(whole)
  for (const [start, end] of parts) {
    hash.update(encode(whole.slice(start, end)))
    yield* Effect.yieldNow
  }
  const reference: Reference = { hash: hash.digest("hex"), length: whole.length, parts: parts.length }
  return reference
})

export const make = (sql: SqlClient.SqlClient) => {
  const countsOf = (session: string, hashes: ReadonlyArray<string>) =>
    sql<{ readonly hash: string; readonly parts: number }>`
      select hash, count(*)::int as parts from svc_large_texts
      where session_id = ${text(session)} and hash = any(${texts(hashes)}::text[]) group by hash`

  /** Whether not all parts of some texts are stored. */
  const absence = Effect.fnUntraced(function*(session: string, references: ReadonlyArray<Reference>) {
    const rows = yield* countsOf(session, references.map(({ hash }) => hash))
    const counts = new Map(rows.map(({ hash, parts }) => [hash, parts]))
    return ({ hash, parts }: Reference) => counts.get(hash) !== parts
  })

  return {
    sessionOf: Effect.fnUntraced(function*(run: string) {
      const [row] = yield* sql<{ readonly session_id: string }>`
        select session_id from svc_runs where run_id = ${text(run)}`
      return row?.session_id
    }),
    /** Stores the missing texts and returns their number. */
    put: Effect.fnUntraced(function*(session: string, named: ReadonlyMap<string, Reference>) {
      const isAbsent = yield* absence(session, [...named.values()])
      const absent = [...named].filter(([, reference]) => isAbsent(reference))
      for (const [whole, { hash }] of absent) {
        for (const [part, [start, end]] of partsOf(whole).entries()) {
          yield* sql`
            insert into svc_large_texts (session_id, hash, part, body)
            values (${text(session)}, ${hash}, ${part}, ${encode(whole.slice(start, end))})
            on conflict do nothing`
        }
      }
      return absent.length
    }),
    /** The texts that are stored whole, by their hashes. */
    get: Effect.fnUntraced(function*(session: string, wanted: ReadonlyArray<Reference>) {
      const found = new Map<string, string>()
      let together: Array<Reference> = []
      let length = 0
      const flush = Effect.suspend(() => {
        const batch = together
        together = []
        length = 0
        return batch.length === 0 ? Effect.void : Effect.map(
          sql<{ readonly hash: string; readonly body: Uint8Array }>`
            select hash, body from svc_large_texts
            where session_id = ${text(session)} and hash = any(${texts(batch.map(({ hash }) => hash))}::text[])
            order by hash, part`,
          (rows) => {
            const pieces = Map.groupBy(rows, ({ hash }) => hash)
            for (const { hash, length, parts } of batch) {
              const bodies = pieces.get(hash) ?? []
              const whole = bodies.map(({ body }) => decode(body)).join("")
              // anything else is damaged
              if (bodies.length === parts && whole.length === length) found.set(hash, whole)
            }
          }
        )
      })
      for (const reference of wanted) {
        if (length + reference.length > readTogether) yield* flush
        together.push(reference)
        length += reference.length
      }
      yield* flush
      return found
    }),
    /** Removes the texts of a session that was never created. */
    forget: (session: string) =>
      sql`
        delete from svc_large_texts t where t.session_id = ${text(session)}
          and not exists (select from svc_sessions s where s.session_id = t.session_id)`,
    /** Texts of missing sessions: their run was never accepted, or continued while its session was deleted. */
    sweep: sql`
      delete from svc_large_texts t where t.stored_at < now() - interval '1 hour'
        and not exists (select from svc_sessions s where s.session_id = t.session_id)`
  }
}
