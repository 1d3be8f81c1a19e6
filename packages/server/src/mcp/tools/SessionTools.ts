// `get_sessions` and `get_session_runs`: earlier conversations. The sessions that a caller may read
// are the same as over REST.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as Session from "@svc-runtime/domain/Session"
import * as Sort from "@svc-runtime/domain/Sort"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import type * as ToolAccess from "@svc-runtime/http/mcpTool/ToolAccess"
import { Effect, Schema } from "effect"
import type * as SessionReading from "../../sessions/SessionReading.ts"

export interface Reading extends ReturnType<typeof SessionReading.make> {
  readonly access: ToolAccess.ToolAccess
}

const described = (description: string) => ({ description })
const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const sessions = { route: "GET /sessions" }
const runsOf = (session_id?: string): ToolAccess.Endpoint => ({
  route: "GET /sessions/:session_id/runs",
  params: { session_id }
})
const runOf = (params: { readonly session_id: string; readonly run_id: string }): ToolAccess.Endpoint => ({
  route: "GET /sessions/:session_id/runs/:run_id",
  params
})

const ownerParameters = {
  user_id: optional(
    Ids.UserId.annotate(described("Only this user's, for callers who may see those of others."))
  ),
  db_id: optional(Ids.DatabaseId.annotate(described("Which database, where there are several.")))
}

/** Null is what was left out. */
const definedParameters = <A extends object>(parameters: A): { [K in keyof A]: Exclude<A[K], null> } =>
  Json.withoutNulls(parameters) as never

/** With its nulls, so that a model sees the absent fields too. */
const Item = Schema.Struct({
  session_id: Schema.String,
  session_name: Schema.String,
  session_type: ComponentKind.ComponentKind,
  created_at: Schema.NullOr(Schema.String),
  updated_at: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(Schema.String),
  agent_id: Schema.NullOr(Schema.String),
  team_id: Schema.NullOr(Schema.String),
  workflow_id: Schema.NullOr(Schema.String),
  session_state: Schema.NullOr(Schema.Json),
  session_summary: Schema.NullOr(Schema.Json),
  metrics: Schema.NullOr(Schema.Json),
  total_tokens: Schema.NullOr(Schema.Int),
  metadata: Schema.NullOr(Schema.Json)
})

const none = {
  user_id: null,
  agent_id: null,
  team_id: null,
  workflow_id: null,
  session_state: null,
  session_summary: null,
  metrics: null,
  total_tokens: null,
  metadata: null
}

const itemOf = (item: Session.Item) => ({ ...none, ...item }) as typeof Item.Type

const SessionsParameters = Schema.Struct({
  session_type: optional(ComponentKind.ComponentKind.annotate(described("agent when left out"))),
  component_id: optional(
    Schema.String.annotate(described("Only those of this agent, team or workflow."))
  ),
  session_name: optional(Schema.String.annotate(described("A part of the name."))),
  limit: optional(count.annotate({ default: 20 })),
  page: optional(count.annotate({ default: 1 })),
  sort_by: optional(Schema.String.annotate({ default: "created_at" })),
  sort_order: optional(Sort.Order.annotate({ default: "desc" })),
  ...ownerParameters
})

const SessionsOutput = Schema.Struct({ data: Schema.Array(Item), meta: Pagination.Meta })

const getSessions = (reading: Reading) =>
  McpTool.make({
    name: "get_sessions",
    description: "Lists earlier sessions (conversations), newest first, a page at a time.",
    parameters: SessionsParameters,
    output: SessionsOutput,
    annotations: { title: "Sessions", readOnlyHint: true, destructiveHint: false },
    isFor: reading.access.may(sessions),
    call: Effect.fnUntraced(function*(parameters) {
      yield* reading.access.required(sessions)
      const { session_type = "agent", ...query } = definedParameters(parameters)
      const { response: { data, meta } } = yield* reading.page({
        limit: 20,
        page: 1,
        sort_by: "created_at",
        sort_order: "desc",
        ...query,
        type: session_type
      })
      return { structured: { data: data.map(itemOf), meta } }
    })
  })

const inShort = (run: AnyRun.Output) => {
  const { content, created_at, run_id, run_input, status } = AnyRun.toRecord(run)
  const { id, kind } = AnyRun.componentOf(run)
  const whose = { [`${kind}_id`]: id }
  return { run_id, run_input, content, status, created_at, ...whose }
}

/** The runs of a session as the tool and the resource show them. */
export const runsInShort = Effect.fnUntraced(function*(reading: Reading, query: SessionReading.RunsRequest) {
  yield* reading.access.required(runsOf(query.session_id))
  return (yield* reading.runs(query)).map(inShort)
})

const RunsParameters = Schema.Struct({
  session_id: Session.Id,
  run_id: optional(Run.Id),
  session_type: optional(ComponentKind.ComponentKind),
  limit: optional(count.annotate(described("How many runs at most, the newest; all when left out."))),
  page: optional(count.annotate({ default: 1 })),
  ...ownerParameters
})

// the schema of a whole run would be longer than most sessions
const RunsOutput = Schema.Struct({ result: Schema.Array(Json.Object) })

const getSessionRuns = (reading: Reading) =>
  McpTool.make({
    name: "get_session_runs",
    description: "Reads the messages of a session, oldest first; with a run_id, that run in full.",
    parameters: RunsParameters,
    output: RunsOutput,
    annotations: { title: "Runs of a session", readOnlyHint: true, destructiveHint: false },
    isFor: reading.access.may(runsOf()),
    call: Effect.fnUntraced(function*(parameters) {
      const { run_id, session_type: _, ...query } = definedParameters(parameters)
      if (run_id === undefined) {
        const result = yield* runsInShort(reading, query)
        return { structured: { result: result as ReadonlyArray<Json.Object> } }
      }
      yield* reading.access.required(runOf({ session_id: query.session_id, run_id }))
      const records = yield* reading.records(query, [yield* reading.run({ ...query, run_id })])
      const result = records.map((record) => Json.withoutNulls(record))
      return { structured: { result: result as ReadonlyArray<Json.Object> } }
    })
  })

export const make = (
  reading: Reading
): ReadonlyArray<McpTool.McpTool> => [getSessions(reading), getSessionRuns(reading)]
