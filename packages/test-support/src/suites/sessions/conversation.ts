// The messages of a session: which runs they are of, in which order, and how many fit.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { type Conversation, SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { ending, filled, message, newRun, sessionId, talk } from "../Samples.ts"
import { chatOf, create } from "./Sessions.ts"

export const conversation = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("the messages of root runs are returned, however they ended, in the order of acceptance", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const session_id = sessionId()
      const begun = Array.from({ length: 4 }, () => newRun({ session_id }))
      const elsewhere = newRun()
      for (const run of [...begun, elsewhere]) yield* runs.create(run)
      const [first, second, member, unfinished] = begun
      assert.isDefined(unfinished)
      yield* runs.finish(ending(elsewhere, { run: { messages: talk("elsewhere", "elsewhere") } }))
      yield* runs.finish(
        ending(member!, { run: { parent_run_id: second!.run_id, messages: talk("member", "member") } })
      )
      yield* runs.finish(ending(second!, { run: { status: "ERROR", messages: [message("user", "3")] } }))
      yield* runs.finish(ending(first!, {
        run: {
          messages: [
            message("system", "s"),
            message("developer", "d"),
            message("user", "not shown", { from_history: true }),
            message("assistant", "not shown", { from_history: true }),
            message("user", "1"),
            message("tool", "t", { tool_call_id: "call" }),
            message("assistant", "2")
          ]
        }
      }))
      const shown = chatOf(yield* SessionStore.use((store) => store.getConversation(session_id, Owner.anyone)))
      assert.deepStrictEqual(shown.map(({ content }) => content), ["s", "d", "1", "t", "2", "3"])
    }))

  it.effect("a conversation has the messages of a replaced run only in the run that replaces it", () =>
    Effect.gen(function*() {
      const [runs, store] = [yield* RunStore, yield* SessionStore]
      const first = newRun()
      const { session_id } = first
      const second = newRun({ session_id })
      for (const [run, answer] of [[first, "One."], [second, "Two."]] as const) {
        yield* runs.create(run)
        yield* runs.finish(ending(run, { run: { messages: [message("user", "Q"), message("assistant", answer)] } }))
      }
      yield* runs.supersede(first.run_id, 9)
      const conversation = yield* store.getConversation(session_id, Owner.anyone)
      assert.deepStrictEqual(chatOf(conversation).map(({ content }) => content), ["Q", "Two."])
      assert.isTrue(conversation.isWhole)
    }))

  it.effect("messages are shown as they were stored", () =>
    Effect.gen(function*() {
      const runs = yield* RunStore
      const begun = newRun()
      const messages = [
        message("user", "Look", { images: [{ url: "https://example.com/a.png" }] }),
        message("assistant", "…", {
          tool_calls: [{ id: "call", type: "function", function: { name: "f", arguments: "{ \"a\" :1}" } }],
          provider_data: { signature: "x" },
          metrics: { input_tokens: 1, duration: 0.5 }
        })
      ]
      yield* runs.create(begun)
      yield* runs.finish(ending(begun, { run: { messages } }))
      const { chat } = yield* SessionStore.use((store) => store.getConversation(begun.session_id, Owner.anyone))
      assert.deepStrictEqual(JSON.parse(chat), messages)
    }))

  it.effect("A conversation of many runs is whole and in order, whatever their number and size.", () =>
    Effect.gen(function*() {
      const [runs, store] = [yield* RunStore, yield* SessionStore]
      for (const [count, characters] of [[20, 10], [21, 10], [45, 10], [8, 20_000]] as const) {
        const session_id = sessionId()
        yield* Effect.forEach(
          Array.from({ length: count }, (_, index) => String(index)),
          (answer) =>
            Effect.gen(function*() {
              const begun = newRun({ session_id })
              yield* runs.create(begun)
              const messages = talk("x".repeat(characters), answer)
              yield* runs.finish(ending(begun, { run: { messages } }))
            })
        )
        const conversation = yield* store.getConversation(session_id, Owner.anyone)
        const answers = chatOf(conversation).map(({ content }) => content).filter((content) => /^\d+$/.test(content))
        assert.deepStrictEqual(answers, Array.from({ length: count }, (_, index) => String(index)))
        assert.deepStrictEqual([chatOf(conversation).length, conversation.isWhole], [count * 3, true])
      }
    }))

  it.effect("A session with a large state is read whole.", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const stored = { ...filled(), session_state: { text: "x".repeat(3_000_000) } }
      yield* create(stored)
      const { session } = yield* store.getConversation(stored.session_id, Owner.anyone)
      assert.deepStrictEqual(session.session_state, stored.session_state)
    }))

  it.effect("a long conversation is in its order, and one that is too large for an answer has the newest runs", () =>
    Effect.gen(function*() {
      const [runs, store] = [yield* RunStore, yield* SessionStore]
      const session_id = sessionId()
      const runWith = Effect.fnUntraced(function*(answer: string, mebibytes: number) {
        const begun = newRun({ session_id })
        yield* runs.create(begun)
        const messages = talk("x".repeat(mebibytes * 1024 * 1024), answer)
        yield* runs.finish(ending(begun, { run: { messages } }))
      })
      const answers = (conversation: Conversation) =>
        chatOf(conversation).map(({ content }) => content).filter((content) => content.length === 1)
      for (const answer of ["1", "2", "3", "4"]) yield* runWith(answer, 3)
      const whole = yield* store.getConversation(session_id, Owner.anyone)
      assert.deepStrictEqual([answers(whole), whole.isWhole], [["1", "2", "3", "4"], true])
      yield* runWith("5", 24)
      const partial = yield* store.getConversation(session_id, Owner.anyone)
      assert.deepStrictEqual([answers(partial), partial.isWhole], [["3", "4", "5"], false])
      yield* runWith("6", 33)
      const none = yield* store.getConversation(session_id, Owner.anyone)
      assert.deepStrictEqual([none.chat, none.isWhole], ["[]", false])
    }))

  it.effect("a patch returns the conversation, which it leaves alone", () =>
    Effect.gen(function*() {
      const [store, runs] = [yield* SessionStore, yield* RunStore]
      const begun = newRun()
      yield* runs.create(begun)
      yield* runs.finish(ending(begun, { run: { messages: talk("Question", "Answer") } }))
      const { session_id } = begun
      const before = yield* store.getConversation(session_id, Owner.anyone)
      const patched = yield* store.update(session_id, Owner.anyone, {
        session_name: "Named",
        updated_at: 1_800_000_000
      })
      assert.deepStrictEqual(patched, {
        session: { ...before.session, session_name: "Named", updated_at: 1_800_000_000 },
        leaf: begun.run_id,
        chat: before.chat,
        isWhole: true
      })
      const contents = ["Answer in one word.", "Question", "Answer"]
      assert.deepStrictEqual(chatOf(patched).map(({ content }) => content), contents)
    }))
}
