// `cancel_run`: asks for the end of a run.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as Run from "@svc-runtime/domain/Run"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as Scope from "@svc-runtime/domain/Scope"
import * as Session from "@svc-runtime/domain/Session"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import * as ToolAccess from "@svc-runtime/http/mcpTool/ToolAccess"
import { Effect, Schema } from "effect"
import * as RunComponent from "./RunComponent.ts"
import { toToolError } from "./toolErrors.ts"

const Parameters = Schema.Struct({
  run_id: Run.Id,
  session_id: optional(Session.Id),
  ...RunComponent.parameters
})

const Output = Schema.Struct({ result: Schema.String })

export const make = (service: RunService["Service"]): McpTool.McpTool =>
  McpTool.make({
    name: "cancel_run",
    description: "Ends a run that has not ended. Say whose it is by agent_id, team_id or workflow_id.",
    parameters: Parameters,
    output: Output,
    annotations: { title: "Cancel a run", readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    isFor: ToolAccess.mayRunSome(Scope.perResource),
    call: Effect.fnUntraced(function*({ run_id, session_id, ...given }) {
      const component = yield* RunComponent.refOf(given)
      const query = { component, run_id, session_id: session_id ?? undefined }
      yield* Effect.catch(service.cancel({ ...query, caller: yield* RequestCaller.current(null) }), toToolError)
      const result = `Run ${run_id} cancellation requested`
      return { content: [McpTool.text(result)], structured: { result } }
    })
  })
