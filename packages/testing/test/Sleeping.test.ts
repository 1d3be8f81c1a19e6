// A run that waits only for a time, and what a person who decides about it reads.
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import { Agent, Step, Tool, Workflow } from "@svc-runtime/server"
import { assert, describe, it } from "vitest"
import { z } from "zod"
import { scriptedModel, testService, toolCall } from "../src/index.ts"

type Waiting = (durable: Pick<Durable, "pause" | "sleep">) => Promise<string>

const nap: Waiting = async ({ sleep }) => {
  await sleep("1 hour")
  return "woke"
}

const serviceOf = (wait: Waiting) => {
  const tools = [Tool.make({ name: "nap", execute: (_, context) => wait(context) })]
  return testService({
    agents: [Agent.make({ id: "a", model: scriptedModel([toolCall("nap", {}), "Done."]), tools })],
    workflows: [Workflow.make({ id: "w", steps: [Step.make({ name: "s", run: wait })] })]
  })
}

const time = "needs time: it continues by itself at 2026-01-01T01:00:00.000Z (in a test, after service.advance(…)), " +
  "or before with `external_execution_result`, as answer(run) of the clients does with a result"
const asks = "The run asks for no 'b'. It waits for a time, and continues by itself at 2026-01-01T01:00:00.000Z"
const messageOf = (decided: Promise<unknown>) => decided.then(() => "", ({ message }: Error) => message)

const components = [["an agent", "agent", "a"], ["a workflow", "workflow", "w"]] as const

describe("a run that sleeps", () => {
  it.each(components)("a confirmation and values are refused with the time of its end: %s", async (_, kind, id) => {
    await using service = await serviceOf(nap)
    const paused = await service[kind](id).run("Go")
    assert.include(await messageOf(paused.approve()), time)
    assert.strictEqual(await messageOf(paused.answer({ b: "2" })), asks)
    await service.advance("2 hours")
    assert.strictEqual((await service.client[kind](id).get(paused.output)).status, "COMPLETED")
  })

  it.each(components)(
    "an earlier answer is asked for no more, and a result ends the sleep: %s",
    async (_, kind, id) => {
      await using service = await serviceOf(async ({ pause, sleep }) => {
        const schema = z.object({ b: z.string() })
        const [, { b }] = await Promise.all([sleep("1 hour"), pause({ question: "Which?", schema })])
        return b
      })
      const asleep = await (await service[kind](id).run("Go")).answer({ b: "2" })
      assert.strictEqual(asleep.status, "PAUSED")
      assert.strictEqual(await messageOf(asleep.answer({ b: "3" })), asks)
      const done = await asleep.answer(undefined, { result: "now" })
      assert.strictEqual(done.status, "COMPLETED")
    }
  )
})
