// Tools whose functions make durable calls: they run agents, request models, have effects, and wait.
import { assert, describe, it } from "@effect/vitest"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { z } from "zod"
import { turns } from "../../../engine/test/durable/Memory.ts"
import { session } from "../../../engine/test/run/Engine.ts"
import { live } from "../../../engine/test/run/Restartable.ts"
import { delegate } from "../team/Harness.ts"
import {
  answered,
  begun,
  filter,
  openIn,
  planOf,
  recovered,
  run_id,
  snapshotOf,
  speaker,
  toolResult,
  toolScene,
  valuesFor,
  wakeOf,
  woken
} from "./DurableFunctions.ts"
import { commandOf } from "./Harness.ts"

type Function = (context: Tool.ToolContext) => unknown

const changed: ReadonlyArray<readonly [string, Function, string]> = [
  [
    "makes another call",
    ({ sleep }) => sleep("1 second"),
    "Call 1 of Tool 'work' was step(a) before, and is sleep(1s) now"
  ],
  [
    "asks something else",
    async ({ pause, step }) => {
      await step("a", () => 1)
      return pause({ question: "Other?" })
    },
    "Call 2 of Tool 'work' was pause() before, and has another input now"
  ],
  [
    "makes fewer calls",
    ({ step }) => step("a", () => 1),
    "Tool 'work' made 2 durable calls before, and has made 1 now"
  ]
]

/** A function that is repeated has made no call for so long that it makes none any more. */
const patience = Effect.andThen(Effect.promise(() => turns(200)), TestClock.adjust("1 minute"))

const writer = Effect.gen(function*() {
  const { model, requests } = yield* speaker(text("A poem."))
  return { requests, agent: Agent.make({ id: "writer", model }) }
})

describe("runs and requests inside of a tool", () => {
  it.effect("a tool runs an agent and requests a model, and both count to its run", () =>
    Effect.gen(function*() {
      const { agent } = yield* writer
      const { model } = yield* speaker(text("{\"stars\": 4}"))
      const scene = yield* toolScene(async ({ generate, run }) => {
        const { content } = await run(agent, "Write a poem")
        const { stars } = await generate({ prompt: String(content), model, schema: z.object({ stars: z.int() }) })
        return `${String(content)} ${stars} stars`
      })
      const ended = yield* begun(scene)
      assert.strictEqual(ended.snapshot.status, "COMPLETED")
      assert.strictEqual(toolResult(ended), "A poem. 4 stars")
      const inner = AnyRun.innerOf(ended.snapshot.output)
      assert.deepStrictEqual(inner.map((run) => AnyRun.componentOf(run).id), ["writer", "generate"])
      assert.isTrue(inner.every(({ parent_run_id }) => parent_run_id === run_id))
      assert.strictEqual(AnyRun.usageOf(ended.snapshot.output).total_tokens, 60)
    }))

  it.effect("a tool makes durable calls as Effects", () =>
    Effect.gen(function*() {
      const { agent } = yield* writer
      const scene = yield* toolScene(({ asEffect: { run, step } }) =>
        Effect.gen(function*() {
          const { content } = yield* run(agent, "Write a poem")
          return yield* step("print", () => Effect.succeed(`Printed: ${String(content)}`))
        })
      )
      assert.strictEqual(toolResult(yield* begun(scene)), "Printed: A poem.")
    }))

  it.effect("a failed run is an error that the tool can catch", () =>
    Effect.gen(function*() {
      const { model } = yield* speaker()
      const refusing = {
        name: "no",
        run: () => {
          throw new Error("No")
        }
      }
      const broken = Agent.make({ id: "broken", model, preHooks: [refusing] })
      const scene = yield* toolScene(async ({ run }) => {
        try {
          await run(broken, "Go")
        } catch (error) {
          return `Caught: ${(error as Error).message}`
        }
      })
      assert.match(String(toolResult(yield* begun(scene))), /^Caught: The run of 'broken' failed: /)
    }))
})

describe("the time of a tool", () => {
  it.effect("a tool that does not finish in time cancels the run inside of it, whose usage counts", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[toolCall("look", {}, "l"), Script.usage({ input: 10, output: 5 })], [
        Script.hang
      ]])
      const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
      const slow = Agent.make({ id: "slow", model, tools: [look] })
      const scene = yield* toolScene(({ run }) => run(slow, "Go"), { timeout: "1 minute" })
      const first = yield* live({ ...scene.parts, run_id })
      yield* first.engine.start(scene.command)
      const ended = yield* Effect.forkChild(first.rest, { startImmediately: true })
      for (let count = 0; count < 200; count++) yield* Effect.yieldNow
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(ended)
      const next = yield* live({ ...scene.parts, run_id, memory: first.memory })
      const { output } = yield* snapshotOf(next)
      assert.strictEqual(output.tools?.[0]?.result, "The tool did not finish within 1m")
      assert.deepStrictEqual(AnyRun.innerOf(output).map(({ status }) => status), ["CANCELLED"])
      assert.strictEqual(AnyRun.usageOf(output).total_tokens, 45)
      yield* next.close
    }))
})

describe("the time of a tool with a `once` step", () => {
  it.effect("the call is not tried again, and the model reads that its outcome is unknown", () =>
    Effect.gen(function*() {
      let times = 0
      const scene = yield* toolScene(
        ({ step }) => step("charge", () => ++times === 1 ? new Promise<string>(() => {}) : "charged"),
        { effects: "idempotent", retries: 3, timeout: "1 minute" }
      )
      const first = yield* live({ ...scene.parts, run_id })
      yield* first.engine.start(scene.command)
      const ended = yield* Effect.forkChild(first.rest, { startImmediately: true })
      yield* Effect.repeat(Effect.yieldNow, { until: () => times === 1 })
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(ended)
      const next = yield* live({ ...scene.parts, run_id, memory: first.memory })
      const { output } = yield* snapshotOf(next)
      assert.strictEqual(
        output.tools?.[0]?.result,
        "The tool did not finish within 1m. It is not known whether step(charge) was done"
      )
      assert.strictEqual(times, 1)
      yield* next.close
    }))
})

describe("a retry of a tool that did not finish in time", () => {
  it.effect("the run inside of it is made again", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.hang], [text("A poem.")]])
      const slow = Agent.make({ id: "slow", model })
      const options = { effects: "idempotent", retries: 1, delayBetweenRetries: 0, timeout: "1 minute" } as const
      const scene = yield* toolScene(async ({ run }) => (await run(slow, "Go")).content, options)
      const first = yield* live({ ...scene.parts, run_id })
      yield* first.engine.start(scene.command)
      const ended = yield* Effect.forkChild(first.rest, { startImmediately: true })
      yield* Effect.promise(() => turns(200))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(ended)
      const next = yield* live({ ...scene.parts, run_id, memory: first.memory })
      const { output } = yield* snapshotOf(next)
      assert.strictEqual(output.tools?.[0]?.result, "A poem.")
      assert.deepStrictEqual(AnyRun.innerOf(output).map(({ status }) => status), ["CANCELLED", "COMPLETED"])
      yield* next.close
    }))
})

describe("the session state of a tool", () => {
  it.effect("the state has what a run inside of the tool has changed, wherever its process stopped", () =>
    Effect.gen(function*() {
      const scene = () =>
        Effect.gen(function*() {
          const note = Tool.make({
            name: "note",
            effects: "read",
            execute: (_, { sessionState }) => {
              sessionState["noted"] = "yes"
              return "noted"
            }
          })
          const { model } = yield* speaker(toolCall("note", {}, "n"), text("Noted."))
          const inner = Agent.make({ id: "inner", model, tools: [note] })
          return yield* toolScene(async ({ run, sessionState, step }) => {
            await run(inner, "Go")
            const noted = sessionState["noted"]
            await step("other", () => 1, { effects: "read" })
            return String(noted)
          }, { effects: "read" })
        })
      const { written } = yield* begun(yield* scene())
      for (let after = 1; after <= written; after++) {
        assert.strictEqual(toolResult(yield* begun(yield* scene(), after)), "yes", String(after))
      }
    }))
})

describe("the timeout of a run inside of a function", () => {
  it.effect("the time counts from the first time that the call was made", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.hang], [Script.hang]])
      const slow = Agent.make({ id: "slow", model })
      const scene = yield* toolScene(async ({ run }) => {
        try {
          return await run(slow, "Go", { timeout: "1 minute" })
        } catch (error) {
          return (error as Error).message
        }
      }, { effects: "read" })
      const first = yield* live({ ...scene.parts, run_id })
      yield* first.engine.start(scene.command)
      yield* Effect.promise(() => turns(200))
      yield* first.close
      yield* TestClock.adjust("50 seconds")
      const next = yield* live({ ...scene.parts, run_id, memory: first.memory })
      yield* next.engine.recover
      const ended = yield* Effect.forkChild(next.rest, { startImmediately: true })
      yield* Effect.promise(() => turns(200))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(ended)
      const last = yield* live({ ...scene.parts, run_id, memory: first.memory })
      assert.strictEqual(
        toolResult({ snapshot: yield* snapshotOf(last) }),
        "The run of 'slow' failed: The tool did not finish within 1m"
      )
      yield* last.close
    }))
})

describe("a run that loses a race", () => {
  it.effect("the run is cancelled when its tool has ended, and its usage counts", () =>
    Effect.gen(function*() {
      const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
      const { model } = yield* Script.make([[toolCall("look", {}, "l"), Script.usage({ input: 10, output: 5 })], [
        Script.hang
      ]])
      const slow = Agent.make({ id: "slow", model, tools: [look] })
      const { agent } = yield* writer
      const scene = yield* toolScene(async ({ run }) =>
        (await Promise.race([run(slow, "Go"), turns(300).then(() => run(agent, "Write"))])).content
      )
      const ended = yield* begun(scene)
      assert.strictEqual(toolResult(ended), "A poem.")
      const inner = AnyRun.innerOf(ended.snapshot.output)
      assert.deepStrictEqual(inner.map(({ status }) => status), ["CANCELLED", "COMPLETED"])
      assert.strictEqual(AnyRun.usageOf(ended.snapshot.output).total_tokens, 60)
    }))
})

describe("a run inside of an Effect", () => {
  it.effect("the run is cancelled when the Effect is interrupted, and the tool continues", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[toolCall("look", {}, "l"), Script.usage({ input: 10, output: 5 })], [
        Script.hang
      ]])
      const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
      const slow = Agent.make({ id: "slow", model, tools: [look] })
      const { agent } = yield* writer
      const scene = yield* toolScene(({ asEffect: { run } }) =>
        Effect.map(
          Effect.raceFirst(run(slow, "Go"), Effect.andThen(Effect.promise(() => turns(300)), run(agent, "Write"))),
          ({ content }) => content
        )
      )
      const ended = yield* begun(scene)
      assert.strictEqual(toolResult(ended), "A poem.")
      assert.deepStrictEqual(AnyRun.innerOf(ended.snapshot.output).map(({ status }) => status), [
        "CANCELLED",
        "COMPLETED"
      ])
    }))
})

describe("a run that was cut off inside of a tool and is cancelled", () => {
  it.effect("the run inside of it is cancelled with what it has used, although its tool is not called again", () =>
    Effect.gen(function*() {
      const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
      const { model } = yield* speaker(toolCall("look", {}, "l"), text("Seen."))
      const inner = Agent.make({ id: "inner", model, tools: [look] })
      let calls = 0
      const scene = yield* toolScene(({ run }) => (calls++, run(inner, "Go")))
      // the request of the outer model, the call, the run, and the first request of its model
      const first = yield* live({ ...scene.parts, run_id, after: 4 })
      yield* first.engine.start(scene.command)
      yield* first.rest
      const next = yield* live({ ...scene.parts, run_id, memory: first.memory })
      yield* next.engine.cancel({ run_id, session_id: session, filter })
      yield* next.engine.recover
      yield* next.rest
      const { output } = yield* snapshotOf(next)
      assert.strictEqual(output.status, "CANCELLED")
      assert.strictEqual(calls, 1)
      const [run] = AnyRun.innerOf(output)
      assert.deepInclude(run, { status: "CANCELLED", agent_id: "inner", parent_run_id: run_id })
      assert.strictEqual(AnyRun.usageOf(output).total_tokens, 30)
    }))
})

describe("pauses inside of a tool", () => {
  const asking = toolScene(async ({ pause }) => {
    for (let round = 1;; round++) {
      const { ok } = await pause({ question: `Round ${round}: continue?`, schema: z.object({ ok: z.boolean() }) })
      if (!ok) return `${round} rounds`
    }
  })

  it.effect("a tool asks a person in a loop, and gets typed values", () =>
    Effect.gen(function*() {
      const scene = yield* asking
      const first = yield* begun(scene)
      assert.strictEqual(first.snapshot.status, "PAUSED")
      const [requirement] = openIn(first)
      assert.deepInclude(requirement?.tool_execution, {
        requires_user_input: true,
        user_input_schema: [{ name: "ok", field_type: "bool", description: null, value: null, required: true }]
      })
      assert.strictEqual(requirement?.tool_execution.asked?.message, "Round 1: continue?")
      const second = yield* answered(scene, first, valuesFor(first, { ok: true }))
      assert.strictEqual(second.snapshot.status, "PAUSED")
      assert.strictEqual(openIn(second)[0]?.tool_execution.asked?.message, "Round 2: continue?")
      assert.strictEqual(openIn(second).length, 1)
      const third = yield* answered(scene, second, valuesFor(second, { ok: "false" }))
      assert.strictEqual(third.snapshot.status, "COMPLETED")
      assert.strictEqual(toolResult(third), "2 rounds")
    }))

  it.effect("values that do not fit the schema are refused, and the run waits as before", () =>
    Effect.gen(function*() {
      const scene = yield* asking
      const paused = yield* begun(scene)
      const refused: ContinueRejected = yield* Effect.flip(
        planOf(paused, valuesFor(paused, { ok: "perhaps" })) as Effect.Effect<unknown, ContinueRejected>
      )
      assert.strictEqual(refused.reason, "malformed")
      assert.match(refused.message, /do not fit the schema: ok/)
      const after = yield* answered(scene, paused, valuesFor(paused, { ok: false }))
      assert.strictEqual(toolResult(after), "1 rounds")
    }))

  it.effect("values that only the author's check refuses are asked for again, with the reason", () =>
    Effect.gen(function*() {
      const schema = z.object({ day: z.string().refine((day) => day !== "Sunday", "We are closed") })
      const scene = yield* toolScene(async ({ pause }) => (await pause({ question: "When?", schema })).day)
      const first = yield* begun(scene)
      const second = yield* answered(scene, first, valuesFor(first, { day: "Sunday" }))
      assert.strictEqual(second.snapshot.status, "PAUSED")
      assert.match(openIn(second)[0]?.tool_execution.asked?.message ?? "", /did not fit: day: We are closed/)
      const third = yield* answered(scene, second, valuesFor(second, { day: "Monday" }))
      assert.strictEqual(toolResult(third), "Monday")
    }))

  it.effect("a question without a schema is answered with a text", () =>
    Effect.gen(function*() {
      const scene = yield* toolScene(({ pause }) => pause({ question: "Your name?" }))
      const first = yield* begun(scene)
      assert.strictEqual(toolResult(yield* answered(scene, first, valuesFor(first, { answer: "Ann" }))), "Ann")
    }))

  it.effect("a person declines, and the function decides what follows", () =>
    Effect.gen(function*() {
      const scene = yield* toolScene(async ({ pause, step }) => {
        try {
          return await pause({ question: "Go?" })
        } catch (error) {
          return step("note", () => `${(error as { readonly kind: string }).kind}: ${(error as Error).message}`)
        }
      })
      const paused = yield* begun(scene)
      const [{ id } = { id: "" }] = openIn(paused)
      const ended = yield* answered(scene, paused, [{ id, confirmation: false, confirmation_note: "Too late" }])
      assert.strictEqual(toolResult(ended), "Declined: Too late")
    }))

  it.effect("a person declines a wait without a reason, and the function decides what follows", () =>
    Effect.gen(function*() {
      const scene = yield* toolScene(({ waitFor }) =>
        waitFor("paid").catch((error: Error) => `declined: ${error.message}`)
      )
      const paused = yield* begun(scene)
      const [{ id } = { id: "" }] = openIn(paused)
      const ended = yield* answered(scene, paused, [{ id, confirmation: false }])
      assert.strictEqual(toolResult(ended), "declined: A person has declined the question")
    }))

  it.effect("a paused run is cancelled at once", () =>
    Effect.gen(function*() {
      const scene = yield* asking
      const paused = yield* begun(scene)
      const next = yield* live({ ...scene.parts, run_id, memory: paused.memory })
      yield* next.engine.cancel({ run_id, session_id: session, filter })
      assert.strictEqual((yield* snapshotOf(next)).status, "CANCELLED")
      yield* next.close
    }))

  it.effect("two calls of one answer wait at the same time, and each gets its own values", () =>
    Effect.gen(function*() {
      const tool = Tool.make({
        name: "work",
        parameters: z.object({ of: z.string() }),
        execute: async ({ of }, { pause }) => `${of}: ${await pause({ question: `Of ${of}?` })}`
      })
      const both = [toolCall("work", { of: "a" }, "a"), toolCall("work", { of: "b" }, "b")]
      const { model } = yield* Script.make([both, [text("Done.")]])
      const agent = Agent.make({ id: "desk", tools: [tool], model })
      const scene = { parts: { agents: [agent] }, command: commandOf(agent) }
      const first = yield* begun(scene)
      const open = openIn(first)
      assert.strictEqual(open.length, 2)
      const sent = open.map(({ id, tool_execution: { asked } }) => ({
        id,
        user_input_schema: [{ name: "answer", value: `yes to "${asked?.message ?? ""}"` }]
      }))
      const ended = yield* answered(scene, first, sent)
      assert.deepStrictEqual(ended.snapshot.output.tools?.map(({ result }) => result), [
        "a: yes to \"Of a?\"",
        "b: yes to \"Of b?\""
      ])
    }))

  it.effect("two questions of one function are asked one after the other", () =>
    Effect.gen(function*() {
      const scene = yield* toolScene(async ({ pause }) =>
        (await Promise.all([pause({ question: "One?" }), pause({ question: "Two?" })])).join(" and ")
      )
      const first = yield* begun(scene)
      const second = yield* answered(scene, first, valuesFor(first, { answer: "1" }))
      const third = yield* answered(scene, second, valuesFor(second, { answer: "2" }))
      assert.strictEqual(toolResult(third), "1 and 2")
    }))

  it.effect("the tool of a member, and the tool of an agent that a tool runs, pause the whole run", () =>
    Effect.gen(function*() {
      const tool = Tool.make({ name: "ask", execute: (_, { pause }) => pause({ question: "Well?" }) })
      const inner = Agent.make({
        id: "inner",
        tools: [tool],
        model: (yield* speaker(toolCall("ask", {}, "i"), text("Inside."))).model
      })
      const outer = yield* toolScene(async ({ run }) => (await run(inner, "Go")).content)
      const first = yield* begun(outer)
      assert.strictEqual(openIn(first)[0]?.member_agent_id, "inner")
      const ended = yield* answered(outer, first, valuesFor(first, { answer: "Yes" }))
      assert.strictEqual(toolResult(ended), "Inside.")

      const { model } = yield* speaker(delegate("inner", "go", "d"), text("Done."))
      const team = Team.make({ id: "team", members: [inner], model })
      const { agent: _, ...command } = commandOf(team.leader)
      const ofTeam = { parts: { teams: [team] }, command: { ...command, team } }
      const waiting = yield* begun(ofTeam)
      assert.strictEqual(openIn(waiting)[0]?.member_agent_id, "inner")
      const done = yield* answered(ofTeam, waiting, valuesFor(waiting, { answer: "Yes" }))
      assert.strictEqual(done.snapshot.status, "COMPLETED")
    }))
})

describe("waiting inside of a tool", () => {
  it.effect("a tool sleeps, and its run resumes when the time has come", () =>
    Effect.gen(function*() {
      const scene = yield* toolScene(async ({ sleep }) => {
        await sleep("1 hour")
        await sleep("1 minute")
        return "awake"
      })
      const first = yield* begun(scene)
      assert.strictEqual(openIn(first)[0]?.tool_execution.wake_at, 3600)
      assert.isTrue(Option.isNone(yield* wakeOf(first)))
      yield* TestClock.adjust("1 hour")
      const second = yield* woken(scene, first)
      assert.strictEqual(second.snapshot.status, "PAUSED")
      assert.strictEqual(openIn(second)[0]?.tool_execution.wake_at, 3660)
      // a person ends the wait
      const third = yield* answered(
        scene,
        second,
        openIn(second).map(({ id }) => ({ id, external_execution_result: "" }))
      )
      assert.strictEqual(toolResult(third), "awake")
    }))

  it.effect("a tool waits for an event, and gets what was sent", () =>
    Effect.gen(function*() {
      const schema = z.object({ amount: z.number() })
      const scene = yield* toolScene(async ({ waitFor }) =>
        (await waitFor("paid", { schema, timeout: "1 day" }))?.amount
      )
      const paused = yield* begun(scene)
      const [requirement] = openIn(paused)
      assert.deepInclude(requirement?.tool_execution, { external_execution_required: true, wake_at: 86_400 })
      assert.strictEqual(requirement?.tool_execution.asked?.event, "paid")
      const sent = (external_execution_result: string) => [{ id: requirement?.id, external_execution_result }]
      const refused = yield* Effect.flip(
        planOf(paused, sent("{\"amount\": \"x\"}")) as Effect.Effect<unknown, ContinueRejected>
      )
      assert.match(refused.message, /does not fit the schema: amount/)
      assert.strictEqual(toolResult(yield* answered(scene, paused, sent("{\"amount\": 12}"))), "12")
    }))

  it.effect("an event that does not come in time gives nothing", () =>
    Effect.gen(function*() {
      const scene = yield* toolScene(async ({ waitFor }) => String(await waitFor("paid", { timeout: "1 day" })))
      const paused = yield* begun(scene)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(toolResult(yield* woken(scene, paused)), "undefined")
    }))

  it.effect("a question and a time end the same wait, whichever comes first", () =>
    Effect.gen(function*() {
      const scene = yield* toolScene(({ pause, sleep }) =>
        Promise.race([pause({ question: "Well?" }), sleep("1 hour").then(() => "late")])
      )
      const paused = yield* begun(scene)
      assert.deepInclude(openIn(paused)[0]?.tool_execution, { requires_user_input: true, wake_at: 3600 })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(toolResult(yield* woken(scene, paused)), "late")
    }))
})

describe("functions that do something else when they are repeated", () => {
  const repeated = (...functions: ReadonlyArray<Function>) =>
    Effect.gen(function*() {
      let times = 0
      const scene = yield* toolScene((context) => functions[times++]?.(context))
      const paused = yield* begun(scene)
      const ending = yield* Effect.forkChild(answered(scene, paused, valuesFor(paused, { answer: "Yes" })))
      yield* patience
      return yield* Fiber.join(ending)
    })

  it.effect.each(changed)(
    "a tool that %s fails, and the error says what to do",
    ([, again, message]) =>
      Effect.gen(function*() {
        const ended = yield* repeated(async ({ pause, step }) => {
          await step("a", () => 1)
          return pause({ question: "Well?" })
        }, again)
        assert.include(toolResult(ended), message)
        assert.include(toolResult(ended), "put what can change (times, random numbers, requests) into step()")
      })
  )
})

describe("effects inside of a tool", () => {
  it.effect("a step with an unknown outcome makes the call wait for a person, who can have it repeated", () =>
    Effect.gen(function*() {
      let times = 0
      const scene = yield* toolScene(async ({ step }) => {
        await step("before", () => null)
        return step("charge", () => ++times === 1 ? new Promise<string>(() => {}) : `charged ${times}`)
      })
      const first = yield* live({ ...scene.parts, run_id })
      yield* first.engine.start(scene.command)
      yield* Effect.repeat(Effect.yieldNow, { until: () => times === 1 })
      yield* first.close
      const next = yield* recovered(scene, first.memory)
      const cut = { memory: next.memory, snapshot: yield* snapshotOf(next), written: 0, last: next }
      assert.match(String(openIn(cut)[0]?.tool_execution.asked?.message), /did step 'charge': it is not known/)
      const ended = yield* answered(scene, cut, openIn(cut).map(({ id }) => ({ id, confirmation: true })))
      assert.strictEqual(toolResult(ended), "charged 2")
    }))

  it.effect("a result that is no JSON is an error that names the step", () =>
    Effect.gen(function*() {
      const scene = yield* toolScene(({ step }) => step("when", () => new Date(0)))
      assert.match(String(toolResult(yield* begun(scene))), /step\(when\) was done, but its result cannot be kept/)
    }))

  it.effect("a call after the end of the function is refused", () =>
    Effect.gen(function*() {
      let late: Promise<unknown> = Promise.resolve()
      const scene = yield* toolScene(({ step }) => {
        late = Promise.resolve().then(() => new Promise((resolve) => setImmediate(resolve)))
          .then(() => step("late", () => 1)).catch((error: Error) => error.message)
        return "done"
      })
      assert.strictEqual(toolResult(yield* begun(scene)), "done")
      assert.match(String(yield* Effect.promise(() => late)), /step\(late\) was called after the function had ended/)
    }))
})
