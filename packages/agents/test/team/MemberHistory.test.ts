// What members of a team know of what they were asked before.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Stream } from "effect"
import { eventsOf, open, session } from "../../../engine/test/run/Engine.ts"
import type * as Team from "../../src/team/Team.ts"
import { linesOf } from "../agent/Harness.ts"
import { askTeam, delegate, member, teamOf } from "./Harness.ts"

/** A service that counts what is read for members. */
const counting = Effect.fnUntraced(function*(team: Team.Team) {
  let calls = 0
  const around = (store: RunStore["Service"]): RunStore["Service"] => ({
    ...store,
    memberHistory: (recall) => Effect.andThen(Effect.sync(() => calls++), store.memberHistory(recall))
  })
  const service = yield* open({ teams: [team], around })
  const ask = (id: string) => Effect.flatMap(service.engine.start(askTeam(team, { run_id: id as never })), eventsOf)
  return { ...service, ask, calls: () => calls }
})

const rounds = (member_id: string, ...tasks: ReadonlyArray<string>): ReadonlyArray<Script.Turn> =>
  tasks.flatMap((task) => [[delegate(member_id, task)], [text(`Asked for ${task}`)]])

describe("a member of a team", () => {
  it.effect("a member with history gets its inputs and answers of earlier runs, with its calls", () =>
    Effect.gen(function*() {
      const look = Tool.make({ name: "look", execute: () => "seen" })
      const reader = yield* member(
        "reader",
        [[toolCall("look")], [text("A leaf.")], [text("A bean.")], [text("Cow.")]],
        {
          tools: [look],
          addHistoryToContext: true,
          numHistoryRuns: 1
        }
      )
      const { script, team } = yield* teamOf([reader.agent], rounds("reader", "tea", "coffee", "milk"))
      const service = yield* counting(team)
      for (const id of ["one", "two", "three"]) yield* service.ask(id)
      const [, , second, third] = yield* reader.script.calls
      assert.deepStrictEqual(linesOf(second), [
        "user: tea",
        "assistant: call look {}",
        "tool: result seen",
        "assistant: A leaf.",
        "user: coffee"
      ])
      assert.deepStrictEqual(linesOf(third), ["user: coffee", "assistant: A bean.", "user: milk"], "one run")
      assert.notInclude(linesOf((yield* script.calls)[2]).join(), "A leaf.", "the leader does not want it")
      assert.strictEqual(service.calls(), 3)
    }))

  it.effect("a member without history gets nothing, and nothing is read", () =>
    Effect.gen(function*() {
      const reader = yield* member("reader", [[text("A leaf.")], [text("A bean.")]])
      const { team } = yield* teamOf([reader.agent], rounds("reader", "tea", "coffee"), { addHistoryToContext: true })
      const service = yield* counting(team)
      for (const id of ["one", "two"]) yield* service.ask(id)
      assert.deepStrictEqual(linesOf((yield* reader.script.calls)[1]), ["user: coffee"])
      assert.strictEqual(service.calls(), 0)
    }))

  it.effect("a member of a nested team gets what that team has asked it, and the team's leader what it was asked", () =>
    Effect.gen(function*() {
      const options = { addHistoryToContext: true }
      const reader = yield* member("reader", [[text("A leaf.")], [text("A bean.")]], options)
      const inner = yield* teamOf([reader.agent], rounds("reader", "read tea", "read coffee"), {
        id: "library",
        ...options
      })
      const { team } = yield* teamOf([inner.team], rounds("library", "tea", "coffee"))
      const service = yield* counting(team)
      for (const id of ["one", "two"]) yield* service.ask(id)
      assert.deepStrictEqual(linesOf((yield* reader.script.calls)[1]), [
        "user: read tea",
        "assistant: A leaf.",
        "user: read coffee"
      ])
      assert.deepStrictEqual(linesOf((yield* inner.script.calls)[2]).filter((line) => !line.startsWith("system")), [
        "user: tea",
        `assistant: call delegate_task_to_member {"member_id":"reader","task":"read tea"}`,
        "tool: result A leaf.",
        "assistant: Asked for read tea",
        "user: coffee"
      ])
    }))

  it.effect("a member gets the same history when the service has stopped in the middle", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const hanging = [Script.wait(Deferred.succeed(begun, undefined)), Script.hang]
      const reader = yield* member("reader", [[text("A leaf.")], hanging, [text("A bean.")]], {
        addHistoryToContext: true
      })
      const { team } = yield* teamOf([reader.agent], rounds("reader", "tea", "coffee"))
      const before = yield* open({ teams: [team], drainTimeout: 0 })
      yield* Effect.flatMap(before.engine.start(askTeam(team, { run_id: "one" as never })), eventsOf)
      yield* before.engine.start(askTeam(team))
      yield* Deferred.await(begun)
      yield* before.close
      const after = yield* open({ memory: before.memory, teams: [team] })
      assert.strictEqual(yield* after.engine.recover, 1)
      const watched = { run_id: "run" as never, session_id: session, filter: { owner: Owner.anyone }, after: -1 }
      const { events } = yield* Effect.flatMap(after.engine.watch(watched), Effect.fromOption)
      assert.strictEqual((yield* Stream.runCollect(events)).at(-1)?.event, "TeamRunCompleted")
      const [, interrupted, again] = yield* reader.script.calls
      assert.deepStrictEqual(linesOf(again), linesOf(interrupted))
      assert.deepStrictEqual(linesOf(again), ["user: tea", "assistant: A leaf.", "user: coffee"])
    }))
})
