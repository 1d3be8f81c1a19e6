// `cancel_run`: asks for the end of a run.
import { Run, Scope, Session } from "@svc/domain"
import { Effect, Schema } from "effect"
import * as Caller from "../../authorization/Caller.ts"
import { toWire } from "../../handlers/runErrors.ts"
import * as McpTool from "../McpTool.ts"
import * as ToolAccess from "../ToolAccess.ts"
import * as RunComponent from "./RunComponent.ts"
import type { RunServices } from "./RunServices.ts"

export const make = (services: RunServices): McpTool.McpTool =>
  McpTool.make({
    name: "cancel_run",
    description: "Ends a run that has not ended. Say whose it is by agent_id, team_id or workflow_id.",
    parameters: Schema.Struct({
      run_id: Run.Id,
      session_id: McpTool.optional(Session.Id),
      ...RunComponent.parameters
    }),
    output: Schema.Struct({ result: Schema.String }),
    annotations: { title: "Cancel a run", readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    isFor: ToolAccess.mayRunSome(Scope.perResource),
    call: Effect.fnUntraced(function*({ run_id, session_id, ...given }) {
      const { component: { id }, kind } = yield* RunComponent.find(services, given)
      const query = { component: { kind, id }, run_id, session_id: session_id ?? undefined }
      yield* toWire(services.service.cancel({ ...query, caller: yield* Caller.current(null) }))
      const result = `Run ${run_id} cancellation requested`
      return { content: [McpTool.text(result)], structured: { result } }
    })
  })
