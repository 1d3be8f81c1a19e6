// A tool that queries a PostgreSQL database.
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type * as ReadOnlyQueries from "@svc-runtime/postgres/ReadOnlyQueries"
import { Data, type Duration, Effect, Equal, Option, Redacted, Schema } from "effect"
import { expected } from "./expected.ts"
import { ToolDatabases } from "./ToolDatabases.ts"
import { check, type ToolOptions } from "./ToolOptions.ts"

const Parameters = Schema.Struct({
  query: Schema.String.annotate({ description: "One SELECT statement of PostgreSQL" })
})

class NoDatabases extends Data.TaggedError("NoDatabases")<{ readonly message: string }> {}

export interface Options extends ToolOptions {
  /** `postgres://user:password@host:port/database`. The user should have no rights but to read what models may see. */
  readonly url: string | Redacted.Redacted
  /** Further rows are left out. Default: 100. */
  readonly maxRows?: number | undefined
  /** Of the rows as JSON: further ones are left out. Default: 256 KiB. */
  readonly maxBytes?: number | undefined
  /** Default: 2. */
  readonly maxConnections?: number | undefined
  /** The statement timeout. Default: ten seconds. */
  readonly queryTimeout?: Duration.Input | undefined
}

const owner = "The tool of SQL queries"

const sourceOf = (options: Options): ReadOnlyQueries.Options => {
  const { maxBytes = 256 * 1024, maxConnections = 2, maxRows = 100, queryTimeout = "10 seconds", url } = options
  const secret = Redacted.isRedacted(url) ? url : Redacted.make(url)
  const problem = DatabaseHandle.postgresUrlProblem(Redacted.value(secret))
  if (problem !== undefined) {
    throw new Mistake(`${owner}: url must be of the form ${DatabaseHandle.postgresUrlForm}: ${problem}`)
  }
  return Equal.byReference({
    url: secret,
    maxBytes: Validate.wholeNumber(owner, "maxBytes", 1, maxBytes),
    maxConnections: Validate.wholeNumber(owner, "maxConnections", 1, maxConnections),
    maxRows: Validate.wholeNumber(owner, "maxRows", 1, maxRows),
    timeout: Validate.duration(owner, "queryTimeout", queryTimeout)
  })
}

/** Each query is one statement in a read-only transaction. Throws if the URL is not one of PostgreSQL. */
export const sqlQuery = (options: Options): Tool.Tool => {
  check("Toolkit.sqlQuery", options, {
    url: "secret",
    maxRows: "any",
    maxBytes: "any",
    maxConnections: "any",
    queryTimeout: "any"
  })
  if (options.url === undefined) {
    throw new Mistake(`${owner}: there is no url. Give it one of the form ${DatabaseHandle.postgresUrlForm}`)
  }
  const { maxBytes: _, maxConnections: __, maxRows: ___, queryTimeout: ____, url: _____, ...rest } = options
  const source = sourceOf(options)
  return Tool.make({
    name: "sql_query",
    description: "Reads from a PostgreSQL database with one SELECT statement.",
    ...rest,
    parameters: Parameters,
    effects: "read",
    execute: ({ query }) =>
      expected(Effect.scoped(Effect.gen(function*() {
        const databases = Option.getOrUndefined(yield* Effect.serviceOption(ToolDatabases))
        if (databases === undefined) return yield* new NoDatabases({ message: "There is no service that queries" })
        const { isCut, rows } = yield* (yield* databases.get(source)).run(query)
        return isCut ? { rows, note: "There are more rows. Select fewer" } : { rows }
      })))
  })
}
