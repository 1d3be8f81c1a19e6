// The events of a workflow as short lines in their order.
import { assert } from "@effect/vitest"
import type { AnyWorkflow } from "@svc-runtime/agents/workflow/define/Node"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { at, type Frame, frames, get, serve } from "../Wire.ts"
import { proceed, resolved, start } from "./Flows.ts"

export const say = <const Name extends string>(name: Name) => Step.make({ name, run: () => name })

/** Each event with the step or the agent that it is about. */
export const orderOf = (all: ReadonlyArray<Frame>) =>
  all.map(({ data, kind }) =>
    [kind, data["agent_id"] ?? data["step_name"]].filter((part) => part !== undefined).join(" ")
  )

export const run = Effect.fnUntraced(function*(server: TestServer.TestServer, workflow: Pick<AnyWorkflow, "id">) {
  const answer = yield* start(server, workflow.id, { stream: "true" })
  return frames(answer.text)
})

/** Starts the run, or continues it with a decision about its last requirement. */
export const orders = Effect.fnUntraced(function*(workflow: AnyWorkflow, ...decisions: ReadonlyArray<object>) {
  const server = yield* serve({ workflows: [workflow] })
  const first = yield* run(server, workflow)
  const all = [orderOf(first)]
  let count = first.length
  for (const decision of decisions) {
    const { json } = yield* get(server, `/workflows/${workflow.id}/runs/r?session_id=s`)
    const errors = at(json, "error_requirements") as ReadonlyArray<object> | undefined
    const answer = yield* proceed(server, workflow.id, {
      stream: "true",
      ...(errors === undefined || errors.length === 0
        ? { step_requirements: resolved(json, decision) }
        : { error_requirements: JSON.stringify([{ ...errors.at(-1), ...decision }]) })
    })
    const more = frames(answer.text)
    assert.strictEqual(more[0]?.id, count, "counted on")
    count += more.length
    all.push(orderOf(more))
  }
  return all
})

export const own = (name: string) => [`StepStarted ${name}`, `StepOutput ${name}`, `StepCompleted ${name}`]
export const inner = (name: string) => [`StepStarted ${name}`, `StepCompleted ${name}`]
