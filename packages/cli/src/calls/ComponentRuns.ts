// Runs of agents, teams and workflows from their start to their end, for callers that need only the answer and the tool
// calls. Older and other implementations are supported.
import type { ComponentKind } from "@svc-runtime/domain/ComponentKind"
import { Duration, Effect, Option, type Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { type Access, call, CallFailed } from "./Calls.ts"
import { isObject, type JsonObject, objectOf } from "./Exchange.ts"

export interface Component {
  readonly kind: ComponentKind
  readonly id: string
}

export interface Request {
  readonly message: string
  readonly session_id: string
  /** A repeated request with the same key starts no second run. */
  readonly idempotencyKey: string
  /** The options by their names on the wire. */
  readonly options: Readonly<Record<string, string | boolean>>
  /** How long the run may take. */
  readonly limit: Duration.Input
}

export interface ToolCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly isFailed: boolean
}

export interface Ended {
  readonly run_id: string
  /** The status on the wire, such as `COMPLETED`. */
  readonly status: string
  readonly content: Schema.Json
  /** The calls of the run itself, then the calls of its members and steps. */
  readonly toolCalls: ReadonlyArray<ToolCall>
}

const runsOf = ({ id, kind }: Component): string => `${kind}s/${encodeURIComponent(id)}/runs`

const objects = (value: Schema.Json | undefined): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter(isObject) : []

const toolCallOf = ({ result, tool_args, tool_call_error, tool_name }: JsonObject): ToolCall => ({
  name: typeof tool_name === "string" ? tool_name : "",
  arguments: isObject(tool_args) ? tool_args : {},
  isFailed: tool_call_error === true || result === null
})

const toolCallsOf = (run: JsonObject): ReadonlyArray<ToolCall> => [
  ...objects(run["tools"]).map(toolCallOf),
  ...[...objects(run["member_responses"]), ...objects(run["step_executor_runs"])].flatMap(toolCallsOf)
]

/** Waits for the end of the run. A failed run is returned too, with its `status`. */
export const run = Effect.fn("ComponentRuns.run")(function*(access: Access, component: Component, request: Request) {
  const reply = yield* call(
    access,
    HttpClientRequest.post(`${access.url}/${runsOf(component)}`).pipe(
      HttpClientRequest.setHeader("idempotency-key", request.idempotencyKey),
      HttpClientRequest.bodyUrlParams({
        message: request.message,
        session_id: request.session_id,
        stream: false,
        ...request.options
      })
    ),
    { expected: [200], limit: request.limit }
  )
  const run = Option.getOrElse(objectOf(reply), (): JsonObject => ({}))
  const { content = null, run_id, status } = run
  if (typeof run_id !== "string" || typeof status !== "string") {
    return yield* new CallFailed({ status: reply.status, detail: "there is no run in the response" })
  }
  const ended: Ended = { run_id, status, content, toolCalls: toolCallsOf(run) }
  return ended
})

export const cancel = Effect.fn("ComponentRuns.cancel")(
  function*(access: Access, component: Component, { run_id, session_id }: { run_id: string; session_id: string }) {
    const url = `${access.url}/${runsOf(component)}/${encodeURIComponent(run_id)}/cancel`
    const request = HttpClientRequest.post(url, { urlParams: { session_id } })
    yield* call(access, request, { expected: [200], limit: Duration.seconds(10) })
  }
)
