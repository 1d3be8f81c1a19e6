// Encodes values as parameters, and decodes rows.
//
// PostgreSQL has no text with U+0000 in it, and UTF-8 has no lone surrogates. JSON escapes both, so a value that is
// stored as `json` is read back unchanged. In ids, names and `jsonb` they become U+FFFD, both when written and when
// searched (`storableText`).
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Session from "@svc-runtime/domain/Session"
import { replacement, storableText } from "@svc-runtime/domain/storableText"
import { Result, Schema } from "effect"
import * as Path from "./Path.ts"

/** For a `text` column. */
export const text = storableText

export const textOrNull = (value: string | null): string | null => value === null ? null : text(value)

/** For a `json` column. */
export const json = (value: {}): string => JSON.stringify(value)

export const jsonOrNull = (value: {} | null): string | null => value === null ? null : JSON.stringify(value)

// an escaped backslash is matched too, so that the second one in "\\u0000" is never taken for the start of an escape
const unstorable = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g

/** For a `jsonb` column. */
export const jsonb = (value: {}): string =>
  JSON.stringify(value).replaceAll(unstorable, (escape) => escape === "\\\\" ? escape : replacement)

export const jsonbOrNull = (value: {} | null): string | null => value === null ? null : jsonb(value)

// Arrays have a declared type: the driver infers it from the values, and cannot if all of them are null.
const arrayOf = (oid: number) => (values: ReadonlyArray<unknown>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, oid))

export const texts: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = arrayOf(PgTypes.OID.text)
export const integers: (values: ReadonlyArray<number>) => PgTypes.Parameter = arrayOf(PgTypes.OID.int4)
export const byteStrings: (values: ReadonlyArray<Uint8Array | null>) => PgTypes.Parameter = arrayOf(PgTypes.OID.bytea)
export const booleans: (values: ReadonlyArray<boolean>) => PgTypes.Parameter = arrayOf(PgTypes.OID.bool)
/** Epoch seconds, for `bigint`. */
export const times = (values: ReadonlyArray<number>): PgTypes.Parameter => arrayOf(PgTypes.OID.int8)(values.map(BigInt))

/** A request of our own code, which needs no check at run time. */
export const unchecked = <A>() => Schema.declare((_: unknown): _ is A => true)

const nullableText = Schema.NullOr(Schema.String)

/** `sessionRows.ts` decodes what is free-form, part by part. */
export const SessionRow = Schema.Struct({
  session_id: Session.Id,
  session_type: ComponentKind.ComponentKind,
  agent_id: nullableText,
  team_id: nullableText,
  workflow_id: nullableText,
  user_id: Schema.NullOr(Ids.UserId),
  session_name: nullableText,
  derived_name: nullableText,
  session_state: Schema.Unknown,
  session_metrics: Schema.Unknown,
  component_data: Schema.Unknown,
  metadata: Schema.Unknown,
  summary: Schema.Unknown,
  created_at: Schema.Int,
  updated_at: Schema.Int
})

/** The columns of `SessionRow`, of a session `s`. The driver would make a JavaScript `bigint` of the two times. */
export const sessionColumns = `s.session_id, s.session_type, s.agent_id, s.team_id, s.workflow_id, s.user_id,
  s.session_name, s.derived_name, s.session_state, s.session_metrics, s.component_data, s.metadata,
  case when ${
  Path.covers(Path.ofLeaf)
} then s.summary end as summary, s.created_at::float8 as created_at, s.updated_at::float8 as updated_at`
