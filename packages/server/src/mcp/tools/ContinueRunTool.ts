// `continue_run`: resumes a run that waits for people, with their decisions. A client sends the requirements of the
// paused answer back, each with its decision.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import * as McpTool from "@svc-runtime/http/mcpTool/McpTool"
import * as ToolAccess from "@svc-runtime/http/mcpTool/ToolAccess"
import { Effect, Schema } from "effect"
import type { McpServer } from "effect/ai"
import * as Progress from "../Progress.ts"
import type { RunTasks } from "../tasks/RunTasks.ts"
import { currentRequest } from "./currentRequest.ts"
import * as RunComponent from "./RunComponent.ts"
import type { RunResult } from "./RunResult.ts"
import * as RunWaiting from "./RunWaiting.ts"
import { toToolError } from "./toolErrors.ts"

const Parameters = Schema.Struct({
  run_id: Run.Id,
  session_id: optional(Ids.IdInput),
  ...RunComponent.parameters,
  requirements: optional(
    Schema.Array(Json.Input).annotate({ description: "Those of the paused run, each with its decision." })
  ),
  user_id: optional(Ids.UserIdInput)
})

export const make = (
  service: RunService["Service"],
  server: McpServer.McpServer["Service"],
  result: RunResult,
  tasks: RunTasks
): McpTool.McpTool =>
  McpTool.make({
    name: "continue_run",
    description:
      "Continues a paused run. Send its requirements back, each with its decision: for agents and teams confirmed " +
      "true or false, external_execution_result, or values in user_input_schema; for workflows what the step asks for. " +
      "Say whose run it is by agent_id, team_id or workflow_id.",
    parameters: Parameters,
    output: result.output,
    annotations: { title: "Continue a run", readOnlyHint: false, destructiveHint: false },
    isFor: ToolAccess.mayRunSome(["agents", "teams", "workflows"]),
    call: Effect.fnUntraced(function*({ requirements, run_id, session_id, user_id, ...given }) {
      const component = yield* RunComponent.refOf(given)
      const task = yield* tasks.callOf(component)
      const progress = task === undefined ? yield* Progress.make(server) : Progress.none
      const run = service.continue({
        component,
        caller: yield* RequestCaller.current(yield* currentRequest),
        run_id,
        session_id: session_id ?? undefined,
        user_id: user_id ?? undefined,
        decisions: { requirements: requirements ?? undefined },
        input: undefined,
        fork: undefined,
        stream: progress.isWanted,
        background: task !== undefined
      })
      const reported = Effect.tap(
        Effect.catch(run, toToolError),
        () => Effect.interruptible(progress.report(`Continuing run ${run_id}`))
      )
      return yield* RunWaiting.shown(reported, progress, result, task)
    })
  })
