// The history that a run gets of the runs before it.
import { assert, type Vitest } from "@effect/vitest"
import type * as Message from "@svc-runtime/domain/Message"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { ending, message, newRun, runId, sessionId, talk } from "../Samples.ts"

/** A run that has ended. */
const past = Effect.fnUntraced(function*(
  session_id: Session.Id,
  messages: ReadonlyArray<Message.Message>,
  run: Partial<Run.Output> = {}
) {
  const store = yield* RunStore
  const begun = newRun({ session_id })
  yield* store.create(begun)
  yield* store.finish(ending(begun, { run: { messages, ...run } }))
})

const historyOf = (session_id: Session.Id, history: number) =>
  RunStore.use((store) => store.create(newRun({ session_id, history }))).pipe(
    Effect.map((begun) => begun.history)
  )

const contents = (messages: ReadonlyArray<Message.Message>) => messages.map(({ content }) => content)

export const history = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a run gets the messages of the last completed runs of its session, oldest first", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      for (const place of [1, 2, 3]) yield* past(session_id, talk(`q${place}`, `a${place}`))
      yield* past(sessionId(), talk("elsewhere", "elsewhere"))
      assert.deepStrictEqual(contents(yield* historyOf(session_id, 0)), [])
      assert.deepStrictEqual(contents(yield* historyOf(session_id, 1)), ["q3", "a3"])
      assert.deepStrictEqual(contents(yield* historyOf(session_id, 2)), ["q2", "a2", "q3", "a3"])
      assert.deepStrictEqual(contents(yield* historyOf(session_id, 100)), ["q1", "a1", "q2", "a2", "q3", "a3"])
    }))

  it.effect("a run gets the newest runs within the limit, whether it is created, resumed or dequeued", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const session_id = sessionId()
      const large = "x".repeat(3 * 1024 * 1024)
      for (const place of [1, 2, 3, 4]) yield* past(session_id, talk(large, `a${place}`))
      const answers = (messages: ReadonlyArray<Message.Message>) =>
        messages.filter(({ role }) => role === "assistant").map(({ content }) => content)
      const running = newRun({ session_id, history: 10, isSerialized: true })
      const waits = newRun({ session_id, history: 10, isSerialized: true })
      assert.deepStrictEqual(answers((yield* runs.create(running)).history), ["a3", "a4"])
      const stored = yield* Effect.flatMap(
        runs.snapshot(session_id, running.run_id, { owner: Owner.anyone }),
        Effect.fromOption
      )
      assert.deepStrictEqual(answers(stored.history), ["a3", "a4"])
      assert.isTrue((yield* runs.create(waits)).isQueued)
      yield* runs.finish(ending(running, { run: { messages: talk("small", "a5") } }))
      const [turn] = yield* runs.dequeue({ node: waits.node, sessions: [session_id], uncertain: [] })
      assert.deepStrictEqual(answers(turn?.history ?? []), ["a3", "a4", "a5"])
    }))

  it.effect("a state and a history of every size are complete", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      for (const size of [10, 40_000, 70_000, 500_000]) {
        const session_id = sessionId()
        const [question, state] = ["ü".repeat(size), { kept: "x".repeat(size) }]
        const first = newRun({ session_id })
        yield* runs.create(first)
        yield* runs.finish(ending(first, {
          run: { messages: talk(question, "a") },
          state_changes: { set: state, removed: [] }
        }))
        const begun = yield* runs.create(newRun({ session_id, history: 1 }))
        assert.deepStrictEqual(contents(begun.history), [question, "a"])
        assert.deepStrictEqual(begun.session_state, state)
      }
    }))

  it.effect("only root runs that are not replaced count as history", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      yield* past(session_id, talk("kept", "kept"))
      yield* past(session_id, talk("replaced", "replaced"), { status: "REGENERATED" })
      yield* past(session_id, talk("member", "member"), { parent_run_id: runId() })
      yield* historyOf(session_id, 0)
      assert.deepStrictEqual(contents(yield* historyOf(session_id, 1)), ["kept", "kept"])
    }))

  const stopped = "(This turn was stopped here, before it was finished.)"
  const failed = "(This turn failed here, before it was finished.)"

  it.effect("a run that was cancelled or failed is shown with a line that says so", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      const [question] = talk("q3", "").slice(1)
      yield* past(session_id, talk("q1", "a1"))
      yield* past(session_id, talk("q2", "par"), { status: "CANCELLED" })
      yield* past(session_id, [question!], { status: "ERROR" })
      yield* past(session_id, talk("q4", "a4"))
      const all = yield* historyOf(session_id, 9)
      assert.deepStrictEqual(
        contents(all),
        ["q1", "a1", "q2", `par\n\n${stopped}`, "q3", failed, "q4", "a4"]
      )
      assert.deepStrictEqual(all.map(({ in_context }) => in_context), [
        undefined,
        undefined,
        ...Array.from({ length: 4 }, () => "unfinished"),
        undefined,
        undefined
      ])
    }))

  it.effect("a run that waits is shown with its open calls and a line that says so", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const session_id = sessionId()
      const tool_calls = ["made", "open"].map((id) =>
        ({ id, type: "function", function: { name: "order", arguments: "{}" } }) as const
      )
      const waiting = newRun({ session_id, history: 9 })
      const messages = [
        message("user", "Order tea"),
        message("assistant", "I order.", { tool_calls }),
        message("tool", "Ordered.", { tool_call_id: "made", tool_call_error: false })
      ]
      yield* runs.create(waiting)
      yield* runs.finish(ending(waiting, { run: { messages, status: "PAUSED" } }))
      const shown = yield* historyOf(session_id, 9)
      assert.deepStrictEqual(shown.map(({ content, tool_call_id }) => [tool_call_id, content]), [
        [undefined, "Order tea"],
        [undefined, "I order."],
        ["open", "There is no result yet: the call waits, and its result comes when the turn continues."],
        ["made", "Ordered."],
        [undefined, "(This turn waits here, and is not finished.)"]
      ])
      assert.deepStrictEqual(shown.map(({ tool_call_error }) => tool_call_error ?? false), shown.map(() => false))
      const skips = yield* runs.create(newRun({ session_id, history: 9, skipsUnfinished: true }))
      assert.deepStrictEqual(skips.history, [])
      const itself = yield* Effect.flatMap(
        runs.snapshot(session_id, waiting.run_id, { owner: Owner.anyone }),
        Effect.fromOption
      )
      assert.deepStrictEqual(itself.history, [])
    }))

  it.effect("a run without unfinished runs in its history is shown as many others, whenever it starts", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const session_id = sessionId()
      yield* past(session_id, talk("q1", "a1"))
      yield* past(session_id, talk("q2", "a2"), { status: "ERROR" })
      const skipping = { session_id, history: 1, isSerialized: true, skipsUnfinished: true }
      const running = newRun(skipping)
      assert.deepStrictEqual(contents((yield* runs.create(running)).history), ["q1", "a1"])
      const waits = [newRun(skipping), newRun(skipping)]
      for (const each of waits) yield* runs.create(each)
      const { next } = yield* runs.finishAndDequeue(
        ending(running, { run: { messages: talk("q3", "a3"), status: "CANCELLED" } }),
        running.node
      )
      assert.deepStrictEqual(contents(next?.snapshot?.history ?? []), ["q1", "a1"])
      const stored = yield* Effect.flatMap(
        runs.snapshot(session_id, waits[1]!.run_id, { owner: Owner.anyone }),
        Effect.fromOption
      )
      assert.deepStrictEqual(contents(stored.history), ["q1", "a1"])
    }))

  it.effect("the statement that ends a failed run shows it to the next one", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const [session_id, history] = [sessionId(), 2]
      const running = newRun({ session_id, history, isSerialized: true })
      yield* runs.create(running)
      yield* runs.create(newRun({ session_id, history, isSerialized: true }))
      const { next } = yield* runs.finishAndDequeue(
        ending(running, { run: { messages: talk("q1", "par"), status: "ERROR" } }),
        running.node
      )
      assert.deepStrictEqual(contents(next?.snapshot?.history ?? []), ["q1", `par\n\n${failed}`])
    }))

  it.effect("a refused run takes no place of other runs", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      yield* past(session_id, talk("q1", "a1"))
      yield* past(session_id, [message("user", "refused", { in_context: "left_out" })], { status: "ERROR" })
      yield* past(session_id, [], { status: "CANCELLED" })
      assert.deepStrictEqual(contents(yield* historyOf(session_id, 1)), ["q1", "a1"])
    }))

  it.effect("a history has every message but system texts and earlier history, complete and in order", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      const kept = [
        message("user", "Look", { images: [{ url: "https://example.com/a.png" }] }),
        message("assistant", "", {
          tool_calls: [{ id: "call", type: "function", function: { name: "f", arguments: "{}" } }],
          provider_data: { signature: "x" },
          reasoning_content: "Hm."
        }),
        message("tool", "42", { tool_call_id: "call", tool_name: "f", tool_args: {}, tool_call_error: false }),
        message("assistant", "It is 42.", { metrics: { output_tokens: 3, duration: 0.25 } })
      ]
      const old = message("user", "old", { from_history: true })
      yield* past(session_id, [message("system", "Answer."), message("developer", "Briefly."), old, ...kept])
      assert.deepStrictEqual(yield* historyOf(session_id, 5), kept)
    }))

  it.effect("a run without messages adds nothing to the history", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      yield* past(session_id, [])
      assert.deepStrictEqual(yield* historyOf(session_id, 5), [])
    }))
}
