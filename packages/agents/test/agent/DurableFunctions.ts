// A tool whose function runs an agent, requests a model, has an effect and asks a person, and the runs that it is in.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Requirement from "@svc-runtime/domain/Requirement"
import * as Run from "@svc-runtime/domain/Run"
import type * as Continuation from "@svc-runtime/engine/run/Continuation"
import type { RunCommand } from "@svc-runtime/engine/run/RunCommand"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { type Options, session } from "../../../engine/test/run/Engine.ts"
import { live } from "../../../engine/test/run/Restartable.ts"
import * as InnerContinuation from "../../src/agent/continue/InnerContinuation.ts"
import * as WorkflowContinuation from "../../src/workflow/pause/WorkflowContinuation.ts"
import { commandOf } from "./Harness.ts"

export const run_id = Run.Id.make("run")
export const filter = { owner: Owner.anyone }

/** Goes by how many calls have been answered, however often it is requested. */
export const speaker = (...turns: ReadonlyArray<Script.Step>) =>
  Effect.map(
    Script.make(Array.from({ length: 40 }, () => ({ prompt }: Script.Call) => {
      const turn = turns[prompt.content.filter(({ role }) => role === "tool").length]
      return turn === undefined ? [] : [turn, Script.usage({ input: 10, output: 5 })]
    })),
    ({ calls, model }) => ({ model, requests: Effect.map(calls, ({ length }) => length) })
  )

export interface Scene {
  readonly parts: Pick<Options, "agents" | "teams" | "workflows">
  readonly command: RunCommand
}

/** An agent that calls a tool with this function, and then says what it gave. */
export const toolScene = (
  execute: (context: Tool.ToolContext) => unknown,
  options: Partial<Tool.Options<undefined>> = {}
) =>
  Effect.gen(function*() {
    const tool = Tool.make({ name: "work", ...options, execute: (_, context) => execute(context) })
    const { model, requests } = yield* speaker(toolCall("work", {}, "w"), text("Done."))
    const agent = Agent.make({ id: "desk", tools: [tool], model })
    const scene: Scene & { readonly requests: typeof requests } = {
      parts: { agents: [agent] },
      command: commandOf(agent),
      requests
    }
    return scene
  })

type Memory = NonNullable<Options["memory"]>

export const snapshotOf = ({ runs }: Pick<Effect.Success<ReturnType<typeof live>>, "runs">) =>
  Effect.flatMap(runs.snapshot(session, run_id, filter), Effect.fromOption)

/** Another engine resumes the run until it pauses or ends. */
export const recovered = Effect.fnUntraced(function*({ parts }: Scene, memory: Memory) {
  const next = yield* live({ ...parts, run_id, memory })
  yield* next.engine.recover
  yield* next.rest
  return next
})

/** Starts the run, which can be killed after a number of entries, and resumes it until it pauses or ends. */
export const begun = Effect.fnUntraced(function*(scene: Scene, after?: number) {
  const first = yield* live({ ...scene.parts, run_id, after })
  yield* first.engine.start(scene.command)
  yield* first.rest
  const next = yield* recovered(scene, first.memory)
  return { memory: next.memory, snapshot: yield* snapshotOf(next), written: first.written(), last: next }
})

export type Paused = Effect.Success<ReturnType<typeof begun>>

export const openIn = ({ snapshot }: Pick<Paused, "snapshot">) =>
  (snapshot.output.requirements ?? []).filter(Requirement.isOpen)

/** What a client sends. */
export const planWith = ({ snapshot }: Pick<Paused, "snapshot">, decisions: Continuation.SentDecisions) => {
  const { plan } = snapshot.kind === "workflow" ? WorkflowContinuation.continuation : InnerContinuation.ofAgent
  return plan(snapshot, { decisions, input: undefined }, { approvals: [], approver: { user_id: null } })
}

export const planOf = (paused: Pick<Paused, "snapshot">, requirements: ReadonlyArray<object>) =>
  planWith(paused, { requirements })

/** Values for all open questions. */
export const valuesFor = (paused: Pick<Paused, "snapshot">, values: Readonly<Record<string, unknown>>) =>
  openIn(paused).map(({ id }) => ({
    id,
    user_input_schema: Object.entries(values).map(([name, value]) => ({ name, value }))
  }))

/** Sends decisions, possibly to an engine that is killed after a number of entries. */
export const answeredWith = Effect.fnUntraced(function*(
  scene: Scene,
  paused: Paused,
  decisions: Continuation.SentDecisions,
  after?: number
) {
  const entry = yield* planWith(paused, decisions)
  const next = yield* live({ ...scene.parts, run_id, memory: paused.memory, after })
  yield* next.engine.continue({ snapshot: paused.snapshot, entry, stream: true, background: false })
  yield* next.rest
  const last = yield* recovered(scene, paused.memory)
  return { memory: last.memory, snapshot: yield* snapshotOf(last), written: next.written(), last }
})

export const answered = (scene: Scene, paused: Paused, requirements: ReadonlyArray<object>, after?: number) =>
  answeredWith(scene, paused, { requirements }, after)

/** What resumes the run now without a request. Undefined: nothing does. */
export const wakeOf = ({ snapshot }: Pick<Paused, "snapshot">) => {
  const { approvedPlan } = snapshot.kind === "workflow" ? WorkflowContinuation.continuation : InnerContinuation.ofAgent
  return approvedPlan(snapshot, () => Effect.succeed([]))
}

/** Resumes the run because its time has come. */
export const woken = Effect.fnUntraced(function*(scene: Scene, paused: Paused) {
  const entry = yield* Effect.flatMap(wakeOf(paused), Effect.fromOption)
  const next = yield* live({ ...scene.parts, run_id, memory: paused.memory })
  yield* next.engine.continue({ snapshot: paused.snapshot, entry, stream: true, background: false })
  yield* next.rest
  const last = yield* recovered(scene, paused.memory)
  return { memory: last.memory, snapshot: yield* snapshotOf(last), written: next.written(), last }
})

export const toolResult = ({ snapshot }: Pick<Paused, "snapshot">) => snapshot.output.tools?.[0]?.result
