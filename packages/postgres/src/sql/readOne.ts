// Reads of one row that a request awaits. A row that cannot be decoded is damaged data and not an outage, so it is a
// defect: no retry helps. Its message names the row and the damaged columns, never their values.
import { UnreadableRow } from "@svc-runtime/engine/UnreadableRow"
import { Effect, Schema, SchemaIssue } from "effect"
import type { SqlClient } from "effect/sql"
import { inTransaction } from "./inTransaction.ts"
import { orUnavailable, readOrUnavailable } from "./orUnavailable.ts"

interface Subject {
  /** What people call it, for the message. */
  readonly kind: string
  readonly id: string
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Deeper parts of a path can be values. */
const columnsOf = ({ issue }: Schema.SchemaError): ReadonlyArray<string> => [
  ...new Set(issuesOf(issue).issues.flatMap(({ path }) => path?.slice(0, 1).map(String) ?? []))
]

const isUnreadable = <E>(error: E): error is E & Schema.SchemaError => Schema.isSchemaError(error)

const unreadable = ({ id, kind }: Subject, error: Schema.SchemaError): UnreadableRow =>
  new UnreadableRow({
    message: `The stored ${kind} '${id}' cannot be read. Damaged columns: ${columnsOf(error).join(", ")}`
  })

const orDefect = <A, E, R>(effect: Effect.Effect<A, E, R>, subject: Subject) =>
  Effect.catchIf(effect, isUnreadable, (error) => Effect.die(unreadable(subject, error)))

export const readOne = <A, E, R>(effect: Effect.Effect<A, E, R>, subject: Subject) =>
  readOrUnavailable(orDefect(effect, subject))

/** Of a statement that changes the row that it reads. A row that cannot be read stays as it was. */
export const changeOne = (sql: SqlClient.SqlClient) => <A, E, R>(effect: Effect.Effect<A, E, R>, subject: Subject) =>
  orUnavailable(inTransaction(sql)(orDefect(effect, subject)))
