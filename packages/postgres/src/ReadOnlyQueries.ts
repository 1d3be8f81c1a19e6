// Queries of models on a database of the author. Each is one statement in a read-only transaction of its own, with
// limits of time, rows and bytes, which is rolled back. A cursor accepts queries alone, and no statement that changes
// data.
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Data, Duration, Effect, Layer, Predicate, type Redacted, Result, type Scope } from "effect"
import { Hex } from "effect/encoding"
import { Reactivity } from "effect/reactivity"
import { SqlError } from "effect/sql"

// Rows inside of rows, such as `row(1, 2)`, as the text that PostgreSQL has for them: the client of the database knows
// no type for them, and would take their bytes for a text.

const record = 2249
const recordArray = 2287

const quoted = (text: string): string => /^$|[\s"(),\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, "$&$&")}"` : text

const textOf = (value: unknown): string => {
  if (value === null) return ""
  if (typeof value === "boolean") return value ? "t" : "f"
  if (value instanceof Uint8Array) return quoted(`\\x${Hex.encode(value)}`)
  if (value instanceof Date) return quoted(value.toISOString())
  return quoted(typeof value === "object" ? JSON.stringify(value) : String(value))
}

const refused = (message: string) => Result.fail(new PgTypes.CodecError({ message }))

const decodeWith = (types: PgTypes.Registry) => (bytes: Uint8Array): Result.Result<string, PgTypes.CodecError> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const texts: Array<string> = []
  let at = 4
  for (let fields = view.getInt32(0); fields > 0; fields--) {
    if (at + 8 > bytes.length) return refused("The fields of a record end too early")
    const [oid, size] = [view.getUint32(at), view.getInt32(at + 4)]
    at += 8
    const value = size < 0 ? Result.succeed(null) : PgTypes.decode(bytes.subarray(at, at + size), oid, 1, types)
    if (Result.isFailure(value)) return Result.fail(value.failure)
    texts.push(textOf(value.success))
    at += Math.max(0, size)
  }
  return Result.succeed(`(${texts.join()})`)
}

const recordTypes = (): PgTypes.Registry => {
  const types = PgTypes.makeRegistry()
  const codec: PgTypes.Codec<string> = {
    decode: decodeWith(types),
    encode: () => refused("A record is not sent")
  }
  types.register(record, codec, { arrayOid: recordArray })
  return types
}

export interface Options {
  readonly url: Redacted.Redacted
  readonly maxConnections: number
  readonly timeout: Duration.Duration
  readonly maxRows: number
  /** Of the rows as JSON. */
  readonly maxBytes: number
}

/** The message is for a model: of the place of the database it says nothing. */
export class QueryFailed extends Data.TaggedError("QueryFailed")<{ readonly message: string }> {}

type Row = Readonly<Record<string, unknown>>

export interface Rows {
  readonly rows: ReadonlyArray<Row>
  /** There are more rows. */
  readonly isCut: boolean
}

export interface ReadOnlyQueries {
  readonly run: (query: string) => Effect.Effect<Rows, QueryFailed>
}

/** Rows that are read at once. */
const batch = 20

/** Of one message of the server: a row with more bytes fails. */
const maxMessage = 16 * 1024 * 1024

const maxQuery = 20_000

const failureOf = ({ reason: { cause } }: SqlError.SqlError): QueryFailed => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  // an SQLSTATE, apart from those of connections and logins
  const isReply = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("08") && !code.startsWith("28")
  if (isReply && cause instanceof Error) return new QueryFailed({ message: `${cause.message} (${code})` })
  if (Predicate.isTagged(cause, "PgTypesCodecError")) {
    return new QueryFailed({ message: "A column has a type that is not shown: cast it to text" })
  }
  return new QueryFailed({ message: "The database did not reply" })
}

/** A type that the client does not know: no text of PostgreSQL has zero bytes. */
const unknownType = "a value of a type that is not shown: cast it to text"

/** JSON has neither: numbers that it would round are texts, and bytes are written as PostgreSQL writes them. */
const shown = (value: unknown): unknown => {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === "string" && value.includes("\0")) return unknownType
  if (value instanceof Uint8Array) return `\\x${Hex.encode(value)}`
  return Array.isArray(value) ? value.map(shown) : value
}

const shownRow = (row: Row): Row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)]))

/** Ends a transaction that is rolled back, so that settings which a query has changed are not those of the next one. */
class Done extends Data.TaggedError("Done")<Rows> {}

/** The server stops a statement that takes too long. A query that has lifted that limit is stopped here, later. */
const grace = Duration.seconds(1)

export const make = Effect.fnUntraced(
  function*(options: Options) {
    const { maxBytes, maxConnections, maxRows, timeout, url } = options
    const milliseconds = Math.ceil(Duration.toMillis(timeout))
    const client = yield* PgClient.make({
      url,
      applicationName: "svc tool",
      startupParameters: { default_transaction_read_only: "on", TimeZone: "UTC" },
      maxConnections,
      connectTimeout: timeout,
      idleTimeout: "30 seconds",
      prepare: false,
      types: recordTypes(),
      maxMessageSize: maxMessage
    })

    const read = Effect.fnUntraced(function*() {
      const rows: Array<Row> = []
      let bytes = 0
      for (;;) {
        const found = yield* client.unsafe<Row>(`FETCH ${Math.min(batch, maxRows + 1 - rows.length)} FROM svc_rows`)
        for (const row of found.map(shownRow)) {
          bytes += JSON.stringify(row).length
          if (rows.length === maxRows || bytes > maxBytes) return { rows, isCut: true }
          rows.push(row)
        }
        if (found.length < batch) return { rows, isCut: false }
      }
    })

    const queries: ReadOnlyQueries = {
      run: (query) => {
        if (query.length > maxQuery) {
          return Effect.fail(new QueryFailed({ message: `The query has more than ${maxQuery} characters` }))
        }
        const reading = Effect.gen(function*() {
          yield* client.unsafe("SET TRANSACTION READ ONLY")
          // locks of an earlier query outlive its transaction
          yield* client.unsafe(
            `SELECT set_config('statement_timeout', '${milliseconds}', true), pg_advisory_unlock_all()`
          )
          // one statement: the protocol refuses several
          yield* client.unsafe(`DECLARE svc_rows NO SCROLL CURSOR FOR ${query}`)
          return yield* read()
        }).pipe(
          Effect.timeoutOrElse({
            duration: Duration.sum(timeout, grace),
            orElse: () =>
              Effect.fail(new QueryFailed({ message: `The query takes longer than ${Duration.format(timeout)}` }))
          })
        )
        return client.withTransaction(Effect.flatMap(reading, (rows) => Effect.fail(new Done(rows)))).pipe(
          Effect.catchTags({
            Done: ({ isCut, rows }) => Effect.succeed({ isCut, rows }),
            SqlError: (error) => Effect.fail(failureOf(error))
          }),
          // a value that cannot be read closes the connection, and its transaction cannot be ended
          Effect.catchDefect((defect) =>
            SqlError.isSqlError(defect) ? Effect.fail(failureOf(defect)) : Effect.die(defect)
          )
        )
      }
    }
    return queries
  },
  (effect: Effect.Effect<ReadOnlyQueries, SqlError.SqlError, Reactivity.Reactivity | Scope.Scope>) =>
    // @effect-diagnostics-next-line strictEffectProvide:off because no other client shares it
    effect.pipe(Effect.mapError(failureOf), Effect.provide(Layer.fresh(Reactivity.layer)))
)
