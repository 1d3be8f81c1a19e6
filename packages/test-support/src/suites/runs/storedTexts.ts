// Every text of a run is stored as it is, whatever its characters and its length.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { awkward, ending, events, message, newId, newRun, runId, sessionId, userId } from "../Samples.ts"
import { find, idsOf } from "./Found.ts"

export const storedTexts = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("texts that are difficult for a database are stored unchanged in every field", () =>
    Effect.gen(function*() {
      const [store, sessions] = [yield* RunStore, yield* SessionStore]
      for (const text of awkward) {
        const begun = newRun({
          run_id: runId(),
          session_id: sessionId(),
          component_id: text,
          user_id: userId(text),
          node: newId(text),
          input: { input_content: text },
          derived_name: text,
          component_data: { [text]: text },
          component_metadata: { [text]: text },
          history: 1,
          command: { [text]: text }
        })
        const messages = [message("user", text), message("assistant", text, { tool_args: { [text]: [text] } })]
        const end = ending(begun, {
          state_changes: { set: { [text]: text }, removed: [] },
          usage: { details: { [text]: [{ id: text, provider: text, input_tokens: 1 }] } },
          events: events(begun, 2, text),
          run: { content: text, reasoning_content: text, messages }
        })
        yield* store.create(begun)
        assert.strictEqual((yield* Effect.flip(store.create(begun)))._tag, "RunExists")
        yield* store.finish(end)
        const component = { kind: begun.kind, id: begun.component_id }
        const shown = end.events!.filter(({ event }) => event !== "RunContent")
        const filter = { owner: Owner.user(begun.user_id!), component }
        assert.deepStrictEqual(yield* find(begun, filter), { ...end.run, events: shown })
        assert.strictEqual((yield* idsOf(begun.session_id, filter))?.length, 1)
        const { chat, session } = yield* sessions.getConversation(begun.session_id, Owner.user(begun.user_id!))
        assert.deepStrictEqual(JSON.parse(chat), messages)
        assert.deepStrictEqual(session.session_state, { [text]: text })
        const next = { ...begun, run_id: runId() }
        assert.deepStrictEqual(yield* store.create(next), {
          isQueued: false,
          session_state: { [text]: text },
          history: messages
        })
        const taken = yield* store.takeOver({ node: begun.node, isStarting: true, limit: 9 })
        assert.deepStrictEqual(taken.map(({ run_id }) => run_id), [next.run_id])
        const loaded = yield* Effect.flatMap(store.load(taken[0]!), Effect.fromOption)
        assert.deepStrictEqual(loaded.command, { [text]: text })
        yield* store.finish({ ...ending(next), attempt: 2 })
      }
    }))

  it.effect("large values are stored and found", () =>
    Effect.gen(function*() {
      const [store, sessions] = [yield* RunStore, yield* SessionStore]
      const large = "漢 ".repeat(1 << 19)
      const begun = newRun({ input: { input_content: large } })
      yield* store.create(begun)
      const messages = [message("user", large), message("assistant", large)]
      const { run, ...rest } = ending(begun, { events: events(begun, 1, large), run: { content: large, messages } })
      yield* store.finish({ run, ...rest })
      const found = yield* find(begun)
      assert.isTrue(
        found?.content === large && JSON.stringify(found.input) === JSON.stringify({ input_content: large })
      )
      assert.deepStrictEqual(found?.messages, messages)
      assert.deepStrictEqual(
        JSON.parse((yield* sessions.getConversation(begun.session_id, Owner.anyone)).chat),
        messages
      )
      const { history } = yield* store.create(newRun({ session_id: begun.session_id, history: 1 }))
      assert.deepStrictEqual(history, messages)
    }))
}
