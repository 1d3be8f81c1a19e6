// Reads a session with the messages of its runs: a short one with one statement, others in pages.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { type Conversation, SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option, Schema } from "effect"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import * as ConversationPages from "../runs/ConversationPages.ts"
import * as LargeTextStores from "../runs/LargeTextStores.ts"
import { readOrUnavailable } from "../sql/orUnavailable.ts"
import { isPresent } from "../sql/Ownership.ts"
import { sessionColumns, SessionRow, text, unchecked } from "../sql/rows.ts"
import * as SessionRows from "./SessionRows.ts"

// The driver hashes the text of a statement at each execution, and its servers parse it on each connection.
const comments = /--[^\n]*/g
const spaces = /\s+/g

/** A statement without comments and indentation. It must have no spaces or dashes in its literals. */
const compact = (statement: string): string => statement.replaceAll(comments, "").replaceAll(spaces, " ").trim()

export const ConversationRow = Schema.Struct({
  ...SessionRow.fields,
  ...ConversationPages.Page,
  leaf: Schema.NullOr(Run.Id)
})
// compiled, because every read of a session decodes it
SchemaJITCompiler.enable(ConversationRow.ast)

const decodeRow = Schema.decodeUnknownEffect(ConversationRow)

// as text, because every read of a session would put it together
const shortStatement = compact(
  `select ${sessionColumns}, ${ConversationPages.leaf} as leaf, page.chat, page.bytes, page.before
  from svc_sessions s cross join lateral (${ConversationPages.shortPage}) page
  where s.session_id = $1 and ${isPresent} and ${ConversationPages.isShortSession}`
)
const shortOfUser = `${shortStatement} and s.user_id = $2`

export interface Key {
  readonly id: Session.Id
  readonly owner: Owner.Owner
}

export interface Dependencies {
  readonly sql: SqlClient.SqlClient
  /** For statements that share a connection with others. */
  readonly short: SqlClient.SqlClient
  readonly responseLimit: number
  readonly isAt: (key: Key) => Statement.Fragment
}

export const make = ({ responseLimit, isAt, short, sql }: Dependencies) => {
  const largeTexts = LargeTextStores.make(sql)
  const columns = sql.literal(sessionColumns)
  const leaf = sql.literal(ConversationPages.leaf)
  const maxPages = ConversationPages.maxPages(responseLimit)
  const chatOf = (before: string, bytes: number) =>
    sql.literal(ConversationPages.page(before, String(Math.min(bytes, ConversationPages.pageBytes)), String(bytes)))

  /** The newest runs of the session `s`. */
  const newestChat = chatOf(ConversationPages.newest, responseLimit)

  const findConversation = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: ConversationRow,
    execute: (key) =>
      sql`
        select ${columns}, ${leaf} as leaf, page.chat, page.bytes, page.before
        from svc_sessions s cross join lateral (${newestChat}) page where ${isAt(key)}`
  })

  /** None if it is not short, or not the owner's. Only the newest runs are there if the others do not fit. */
  const findShort = ({ id, owner }: Key) => {
    const isEither = owner._tag === "User" || owner._tag === "Anyone"
    if (!isEither || !Owner.coversSession(owner, id)) return Effect.succeedNone
    const rows = owner._tag === "User"
      ? short.unsafe(shortOfUser, [text(id), text(owner.user_id)])
      : short.unsafe(shortStatement, [text(id)])
    return Effect.flatMap(rows, ([row]) => row === undefined ? Effect.succeedNone : Effect.asSome(decodeRow(row)))
  }

  const newestBytes = sql.literal(ConversationPages.newestBytes(String(responseLimit)))

  // the memory that a conversation takes, without reading it
  const findSize = SqlSchema.findOneOption({
    Request: unchecked<Key>(),
    Result: Schema.Struct({ bytes: Schema.Finite }),
    execute: (key) =>
      sql`
        select coalesce(octet_length(s.session_state::text), 0) + ${newestBytes}::float8 as bytes
        from svc_sessions s where ${isAt(key)}`
  })

  const admitConversation = (key: Key) =>
    ReadLimiter.admit(
      Effect.map(
        findSize(key),
        Option.match({
          onNone: () => ({}),
          onSome: ({ bytes }) => ReadLimiter.ofText(Math.min(bytes, responseLimit))
        })
      )
    )

  const findEarlier = SqlSchema.findOneOption({
    Request: unchecked<{ readonly id: Session.Id; readonly before: bigint; readonly bytes: number }>(),
    Result: Schema.Struct(ConversationPages.Page),
    execute: ({ before, bytes, id }) =>
      sql`
        select page.chat, page.bytes, page.before
        from svc_sessions s cross join lateral (${chatOf(String(before + 1n), bytes)}) page
        where s.session_id = ${text(id)}`
  })

  const toConversation = Effect.fnUntraced(function*(id: Session.Id, row: Option.Option<typeof ConversationRow.Type>) {
    if (Option.isNone(row)) return yield* new SessionNotFound({ session_id: id })
    const session = yield* SessionRows.toSession(row.value)
    const { chat, leaf } = row.value
    const pages = chat === null ? [] : [chat]
    let { before, bytes } = row.value
    // runs without messages could be any number
    for (let read = 1; before !== null && bytes < responseLimit && read < maxPages; read++) {
      const page = yield* findEarlier({ id, before: BigInt(before), bytes: responseLimit - bytes })
      if (Option.isNone(page)) break
      // what comes next does not fit
      if (page.value.before === before) break
      before = page.value.before
      bytes += page.value.bytes
      if (page.value.chat !== null) pages.unshift(page.value.chat)
    }
    const whole = yield* largeTexts.resolveInJson(id, `[${pages.join(",")}]`)
    const conversation: Conversation = { session, leaf, chat: whole, isWhole: before === null }
    return conversation
  })

  const get = Effect.fnUntraced(function*(id: Session.Id, owner: Owner.Owner) {
    const found = yield* findShort({ id, owner })
    if (Option.isSome(found) && found.value.before === null) return yield* toConversation(id, found)
    yield* admitConversation({ id, owner })
    return yield* toConversation(id, Option.isSome(found) ? found : yield* findConversation({ id, owner }))
  }, readOrUnavailable)

  return { newestChat, admit: admitConversation, toConversation, get }
}
