// `cancel_run`: asks for the end of a run.
import * as Run from "@svc/domain/Run"
import * as Scope from "@svc/domain/Scope"
import * as Session from "@svc/domain/Session"
import type { RunService } from "@svc/runtime/runService/RunService"
import { Effect, Schema } from "effect"
import * as RequestCaller from "../../authorization/RequestCaller.ts"
import * as McpTool from "../../mcpTool/McpTool.ts"
import * as ToolAccess from "../../mcpTool/ToolAccess.ts"
import * as RunComponent from "./RunComponent.ts"
import { toToolError } from "./toolErrors.ts"

const Parameters = Schema.Struct({
  run_id: Run.Id,
  session_id: McpTool.optional(Session.Id),
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
