// Agents for steps that use their model twice: they look first, which is paid for, and then end as a test says.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { open, session } from "../../../engine/test/run/Engine.ts"
import type { AnyWorkflow } from "../../src/workflow/define/Node.ts"
import * as WorkflowContinuation from "../../src/workflow/pause/WorkflowContinuation.ts"
import { linesOf } from "../agent/Harness.ts"
import { commandOf } from "./Harness.ts"

export const used = Script.usage({ input: 10, output: 5 })
/** Of one request. */
export const tokens = 15

export const look = Tool.make({ name: "look", effects: "idempotent", execute: () => "seen" })

export const down = [Script.fail("It is down")]
export const answered = [Script.text("Done."), used]

type Second = (tries: number) => ReadonlyArray<Script.Step>

/** `second` gets the number of requests after the look. Without it, the model is down then. */
export const worker = Effect.fnUntraced(
  function*(id: string, second: Second = () => down, options: Partial<Agent.Options> = {}) {
    let tries = 0
    const turn = (call: Script.Call) =>
      linesOf(call).some((line) => line.startsWith("tool"))
        ? second(++tries)
        : [Script.toolCall("look", {}, "look_1"), used]
    const { calls, model } = yield* Script.make(Array.from({ length: 40 }, () => turn), { id })
    const agent = Agent.make({ id, model, tools: [look], ...options })
    return { agent, requests: Effect.map(calls, ({ length }) => length) }
  }
)

export const tokensOf = (output: AnyRun.Output): number => AnyRun.usageOf(output).total_tokens ?? 0

/** The status of each executor run with its tokens. */
export const runsOf = ({ step_executor_runs = [] }: WorkflowRun.Output) =>
  (step_executor_runs as unknown as ReadonlyArray<AnyRun.Output>).map((run) => [run.status, tokensOf(run)] as const)

type Service = Effect.Success<ReturnType<typeof open>>

export const sessionTokens = ({ sessions }: Service) =>
  sessions.find(session, Owner.anyone).pipe(
    Effect.flatMap(Effect.fromOption),
    Effect.map(({ session_metrics }) => session_metrics?.total_tokens ?? 0)
  )

/** Runs a workflow until it ends or pauses. */
export const run = Effect.fnUntraced(function*(workflow: AnyWorkflow) {
  const service = yield* open({ workflows: [workflow] })
  const handle = yield* service.engine.start(commandOf(workflow, {}))
  const output = (yield* handle.output) as WorkflowRun.Output
  return { ...service, output, session: yield* sessionTokens(service) }
})

interface Decision {
  /** About a failed step. */
  readonly error?: "retry" | "skip"
  /** About the output of a step. */
  readonly confirmed?: boolean
  /** About what its executor asks. */
  readonly confirms?: boolean
}

/** Cancels it while it is paused. */
export const cancelled = Effect.fnUntraced(function*(paused: Service & { readonly output: WorkflowRun.Output }) {
  const { run_id } = paused.output
  yield* paused.engine.cancel({ run_id, session_id: session, filter: { owner: Owner.anyone } })
  const output = (yield* paused.find(run_id)) as WorkflowRun.Output
  return { output, session: yield* sessionTokens(paused) }
})

/** Continues it with a decision on what it waits for. */
export const proceed = Effect.fnUntraced(function*(
  service: Service,
  output: WorkflowRun.Output,
  { confirmed, confirms = false, error }: Decision
) {
  const requirement = output.step_requirements?.at(-1)
  const { id = null, step_id = "" } = output.error_requirements?.at(-1) ?? requirement ?? {}
  const executor_requirements = (requirement?.executor_requirements ?? []).map((each) => ({
    ...each as object,
    confirmation: confirms
  }))
  const steps = [{ id, step_id, ...(confirmed === undefined ? { executor_requirements } : { confirmed }) }]
  const sent = error === undefined ? { steps, errors: [] } : { steps: [], errors: [{ id, step_id, decision: error }] }
  const entry = yield* Effect.fromResult(WorkflowContinuation.entryOf(output, sent, 0))
  const found = yield* service.runs.snapshot(session, output.run_id, { owner: Owner.anyone })
  const snapshot = yield* Effect.fromOption(found)
  const resumed = yield* service.engine.continue({ snapshot, entry, stream: true, background: false })
  const handle = yield* Effect.fromOption(resumed)
  const ended = (yield* handle.output) as WorkflowRun.Output
  return { output: ended, session: yield* sessionTokens(service) }
})
