// What is left of a team's run when the process that executed it is gone, its members' runs included, and how it is
// stopped.
import { assert, describe, it } from "@effect/vitest"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Requirement from "@svc-runtime/domain/Requirement"
import type * as TeamRun from "@svc-runtime/domain/TeamRun"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { open, session } from "../../../engine/test/run/Engine.ts"
import * as InnerContinuation from "../../src/agent/continue/InnerContinuation.ts"
import type { SentRequirement } from "../../src/agent/continue/SentRequirement.ts"
import type * as Team from "../../src/team/Team.ts"
import { linesOf } from "../agent/Harness.ts"
import { askTeam, delegate, eventLines, member, stored, teamOf } from "./Harness.ts"

const begin = Effect.fnUntraced(function*(team: Team.Team) {
  const service = yield* open({ teams: [team], drainTimeout: 0 })
  yield* service.engine.start(askTeam(team))
  return service
})

/** An engine in the place of the one before, over what that has left, when the run has ended. */
const again = Effect.fnUntraced(function*(before: Effect.Success<ReturnType<typeof open>>, team: Team.Team) {
  yield* before.close
  const after = yield* open({ memory: before.memory, teams: [team] })
  assert.strictEqual(yield* after.engine.recover, 1)
  const { events } = yield* Effect.flatMap(
    after.engine.watch({ run_id: "run" as never, session_id: session, filter: { owner: Owner.anyone }, after: -1 }),
    Effect.fromOption
  )
  const all = yield* Stream.runCollect(events)
  const output = (yield* after.find()) as TeamRun.Output
  return { ...after, events: all, output }
})

const hanging = Effect.map(Deferred.make<void>(), (begun) => ({
  begun: Deferred.await(begun),
  steps: [Script.wait(Deferred.succeed(begun, undefined)), Script.hang]
}))

describe("a team whose service has stopped", () => {
  it.effect("a team resumes in the middle of a member's run, which stays the same run", () =>
    Effect.gen(function*() {
      const { begun, steps } = yield* hanging
      const seen: Array<string> = []
      const look = Tool.make({ name: "look", execute: (_, { effectId }) => (seen.push(effectId), "seen") })
      const reader = yield* member("reader", [[toolCall("look")], steps, [text("I read it.")]], { tools: [look] })
      const { script, team } = yield* teamOf([reader.agent], [[delegate("reader", "read")], [text("Done")]])
      const before = yield* begin(team)
      yield* begun
      const { events, output, ...after } = yield* again(before, team)
      assert.deepInclude(output, { status: "COMPLETED", content: "Done" })
      assert.strictEqual(seen.length, 1, "what the member has done is not done again")
      assert.deepStrictEqual(linesOf((yield* reader.script.calls)[2]), linesOf((yield* reader.script.calls)[1]))
      assert.strictEqual(yield* script.remaining, 0, "nor is the leader asked again")
      const [response] = output.member_responses ?? []
      const ofReader = events.filter((event) => "agent_id" in event)
      assert.deepStrictEqual([...new Set(ofReader.map(({ run_id }) => run_id))], [response?.run_id])
      assert.deepStrictEqual(eventLines(ofReader).filter((each) => /Run(Started|Continued|Completed)/.test(each)), [
        "reader RunStarted",
        "reader RunContinued",
        "reader RunCompleted"
      ])
      assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index))
      assert.deepStrictEqual((yield* stored(after)).map(({ run_id }) => run_id), [response?.run_id, output.run_id])
    }))

  it.effect("a team does not ask a member again that has answered, and keeps its changes of the session state", () =>
    Effect.gen(function*() {
      const { begun, steps } = yield* hanging
      const note = Tool.make({
        name: "note",
        execute: (_, { sessionState }) => {
          sessionState["noted"] = true
        }
      })
      const reader = yield* member("reader", [[toolCall("note")], [text("I read it.")]], { tools: [note] })
      const writer = yield* member("writer", [steps, [text("I wrote it.")]])
      const { script, team } = yield* teamOf([reader.agent, writer.agent], [
        [delegate("reader", "read"), delegate("writer", "write")],
        [text("Done")]
      ])
      const before = yield* begin(team)
      yield* begun
      const { output } = yield* again(before, team)
      assert.deepInclude(output, { status: "COMPLETED", content: "Done", session_state: { noted: true } })
      assert.deepStrictEqual(output.member_responses?.map(({ content }) => content), ["I read it.", "I wrote it."])
      assert.deepStrictEqual(linesOf((yield* script.calls)[1]).slice(-2), [
        "tool: result I read it.",
        "tool: result I wrote it."
      ])
    }))

  it.effect("a team resumes below the team in the team", () =>
    Effect.gen(function*() {
      const { begun, steps } = yield* hanging
      const reader = yield* member("reader", [[toolCall("look")], steps, [text("I read it.")]], {
        tools: [Tool.make({ name: "look", execute: () => "seen" })]
      })
      const inner = yield* teamOf([reader.agent], [[delegate("reader", "read")], [text("They read it.")]], {
        id: "library"
      })
      const { team } = yield* teamOf([inner.team], [[delegate("library", "find")], [text("Found.")]])
      const before = yield* begin(team)
      yield* begun
      const { output } = yield* again(before, team)
      assert.deepInclude(output, { status: "COMPLETED", content: "Found." })
      assert.strictEqual(yield* inner.script.remaining, 0)
    }))
})

type Service = Pick<Effect.Success<ReturnType<typeof open>>, "runs" | "engine">

/** Continues the run with the decision of a person. */
const continueRun = Effect.fnUntraced(function*({ engine, runs }: Service, requirement: SentRequirement) {
  const snapshot = yield* Effect.flatMap(
    runs.snapshot(session, "run" as never, { owner: Owner.anyone }),
    Effect.fromOption
  )
  const request = { requirements: [requirement], input: undefined }
  const entry = yield* InnerContinuation.plan(snapshot, request, { approvals: [], approver: { user_id: null } })
  return yield* Effect.flatMap(
    engine.continue({ snapshot, entry, stream: false, background: true }),
    Effect.fromOption
  )
})

describe("a team whose service stops in the middle of a member's call that a person has allowed", () => {
  const cut = Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const act = Tool.make({
      name: "act",
      requiresConfirmation: true,
      execute: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
    })
    const reader = yield* member("reader", [[toolCall("act", {}, "c")], [text("I did it.")]], { tools: [act] })
    const { script, team } = yield* teamOf([reader.agent], [[delegate("reader", "act")], [text("Done")]])
    const before = yield* open({ teams: [team], drainTimeout: 0 })
    const waiting = (yield* (yield* before.engine.start(askTeam(team))).output) as TeamRun.Output
    const [allowed] = waiting.requirements ?? []
    yield* continueRun(before, { id: allowed!.id, confirmation: true })
    yield* Deferred.await(begun)
    return { ...yield* again(before, team), allowed: allowed!, script }
  })

  it.effect("a team waits for a person to state the outcome, with a new question", () =>
    Effect.gen(function*() {
      const { allowed, output, script } = yield* cut
      assert.strictEqual(output.status, "PAUSED")
      assert.deepStrictEqual(
        output.requirements?.map((each) => [
          Requirement.isOpen(each),
          each.tool_execution.outcome_unknown,
          each.member_run_id
        ]),
        [[true, true, output.member_responses?.[0]?.run_id]]
      )
      assert.notStrictEqual(
        output.requirements?.[0]?.id,
        allowed.id,
        "the decision about the first call does not count for this one"
      )
      assert.strictEqual(yield* script.remaining, 1, "the leader does not learn that the member has failed")
    }))

  it.effect("a team continues with the stated outcome", () =>
    Effect.gen(function*() {
      const { output: { requirements }, script, ...after } = yield* cut
      const handle = yield* continueRun(after, { id: requirements![0]!.id, external_execution_result: "it was done" })
      const output = (yield* handle.output) as TeamRun.Output
      assert.deepInclude(output, { status: "COMPLETED", content: "Done" })
      assert.strictEqual(AnyRun.membersOf(output)[0]?.tools?.[0]?.result, "it was done")
      assert.strictEqual(yield* script.remaining, 0)
    }))
})

describe("a team whose run another node has taken over", () => {
  it.effect("a team that was taken over stops at its next write, whatever that is", () =>
    Effect.gen(function*() {
      for (let after = 0; after < 4; after++) {
        const reader = yield* member("reader", [[text("I read it.")]])
        const { team } = yield* teamOf([reader.agent], [[delegate("reader", "read")], [text("Done")]])
        let written = 0
        const service = yield* open({
          teams: [team],
          drainTimeout: 0,
          around: (store) => ({
            ...store,
            record: (recorded) => written++ < after ? store.record(recorded) : Effect.as(Effect.yieldNow, false)
          })
        })
        const handle = yield* service.engine.start(askTeam(team))
        assert.strictEqual((yield* Effect.flip(handle.output))._tag, "RunHandedOver", `after ${after} entries`)
        assert.strictEqual(written, after + 1)
        yield* service.close
      }
    }))
})

describe("a team that is cancelled", () => {
  it.effect("a cancelled team ends its members first, at any depth, and keeps their text so far", () =>
    Effect.gen(function*() {
      const { begun, steps } = yield* hanging
      const reader = yield* member("reader", [[text("So far"), ...steps]])
      const inner = yield* teamOf([reader.agent], [[delegate("reader", "read")]], { id: "library" })
      const { team } = yield* teamOf([inner.team], [[delegate("library", "find")]])
      const service = yield* open({ teams: [team] })
      const handle = yield* service.engine.start(askTeam(team))
      yield* begun
      const run_id = "run" as never
      yield* service.engine.cancel({ run_id, session_id: session, filter: { owner: Owner.anyone } })
      assert.deepStrictEqual(eventLines(yield* Stream.runCollect(handle.events)).slice(-3), [
        "reader RunCancelled",
        "library TeamRunCancelled",
        "desk TeamRunCancelled"
      ])
      assert.deepStrictEqual((yield* stored(service)).map(({ content, status }) => [status, content]), [
        ["CANCELLED", "So far"],
        ["CANCELLED", "Run run was cancelled"],
        ["CANCELLED", "Run run was cancelled"]
      ])
    }))

  const sign = Tool.make({ name: "sign", requiresConfirmation: true, execute: () => "signed" })
  const cancel = { run_id: "run" as never, session_id: session, filter: { owner: Owner.anyone } }

  it.effect("a cancelled team ends members that wait for a person beside others that are at work, with all of their text", () =>
    Effect.gen(function*() {
      const { begun, steps } = yield* hanging
      const signed = yield* Deferred.make<void>()
      const signer = yield* member("signer", [[text("First "), toolCall("sign")]], { tools: [sign] })
      const reader = yield* member("reader", [[Script.wait(Deferred.await(signed)), ...steps]])
      const { team } = yield* teamOf([signer.agent, reader.agent], [[
        delegate("signer", "sign"),
        delegate("reader", "read")
      ]])
      const service = yield* open({ teams: [team] })
      const handle = yield* service.engine.start(askTeam(team))
      const events = yield* Effect.forkChild(Stream.runCollect(
        Stream.tap(
          handle.events,
          ({ event }) => event === "RunPaused" ? Deferred.succeed(signed, undefined) : Effect.void
        )
      ))
      yield* begun
      yield* service.engine.cancel(cancel)
      assert.deepStrictEqual(eventLines(yield* Fiber.join(events)).slice(-4), [
        "reader RunCancelled",
        "signer RunContinued",
        "signer RunCancelled",
        "desk TeamRunCancelled"
      ])
      const all = yield* stored(service)
      const [first] = all
      assert.deepInclude(first, { status: "CANCELLED", agent_id: "signer" })
      assert.deepStrictEqual(first?.messages?.map(({ content }) => content), [
        "sign",
        "First ",
        "Not executed: the run ended before this call was made"
      ])
      const results = all.at(-1)?.messages?.filter(({ role }) => role === "tool").map(({ content }) => content)
      assert.deepStrictEqual(results, [
        "The run ended while this call waited for a run inside of it, which was stopped too.\n" +
        "sign: Not executed: the run ended before this call was made",
        "The run ended before this call had answered. It may have had its effect"
      ])
    }))

  it.effect("a cancelled team ends members that were not resumed since the service stopped", () =>
    Effect.gen(function*() {
      const { begun, steps } = yield* hanging
      const reader = yield* member("reader", [[text("So far"), ...steps]])
      const { team } = yield* teamOf([reader.agent], [[delegate("reader", "read")]])
      const before = yield* begin(team)
      yield* begun
      yield* before.close
      yield* before.runs.requestCancel(cancel.run_id, session, cancel.filter)
      const after = yield* open({ memory: before.memory, teams: [team] })
      assert.strictEqual(yield* after.engine.recover, 1)
      const { events } = yield* Effect.flatMap(after.engine.watch({ ...cancel, after: -1 }), Effect.fromOption)
      assert.deepStrictEqual(eventLines(yield* Stream.runCollect(events)).slice(-2), [
        "reader RunCancelled",
        "desk TeamRunCancelled"
      ])
      assert.deepStrictEqual((yield* stored(after)).map(({ status }) => status), ["CANCELLED", "CANCELLED"])
    }))
})
