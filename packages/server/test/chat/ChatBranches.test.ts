// Messages of a chat that are edited or answered again, as `useChat` sends them: the history is what the client shows.
import { assert, describe, it } from "@effect/vitest"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import type { UIMessage } from "ai"
import { Effect } from "effect"
import { remembering } from "../protocols/Remembering.ts"
import { at, column } from "../Wire.ts"
import * as ChatClient from "./ChatClient.ts"

Tier.oneIn(3)

const opening = Effect.fnUntraced(function*(headers: Record<string, string> = {}) {
  const { agent, seen } = yield* remembering
  const { url } = yield* TestServer.listen({ agents: [agent] })
  const { send } = ChatClient.make(url, "agents/a", { headers })
  const ask = (messages: Array<UIMessage>, options?: ChatClient.Sending) =>
    Effect.map(send(messages, options), (reply) => ChatClient.withoutErrors(reply).message)
  const read = (path: string) =>
    Effect.promise(() => fetch(`${url}${path}`).then((response): Promise<unknown> => response.json()))
  return { ask, read, seen }
})

const opened = opening()

const { user } = ChatClient

describe("a chat whose messages change", () => {
  it.live("after an edit of the first message, the model sees that message only", () =>
    Effect.gen(function*() {
      const { ask, read, seen } = yield* opened
      const ann = user("My name is Ann", "u1")
      const first = yield* ask([ann])
      const second = yield* ask([ann, first, user("I like tea", "u2")])
      const bob = user("My name is Bob", "u1")
      const edited = yield* ask([bob], { messageId: "u1" })
      assert.deepStrictEqual(yield* seen, ["My name is Bob"])
      yield* ask([bob, edited, user("And you?", "u3")])
      assert.deepStrictEqual(yield* seen, ["My name is Bob", "answer 3", "And you?"])
      const runs = yield* read("/sessions/chat/runs")
      assert.deepStrictEqual(column(runs, "is_on_path"), [false, false, true, true])
      assert.deepStrictEqual(column(runs, "previous_run_id"), [undefined, first.id, undefined, edited.id])
      assert.deepStrictEqual(column(runs, "status"), Array.from({ length: 4 }, () => "COMPLETED"))
      assert.deepStrictEqual(column(at(yield* read("/sessions/chat"), "chat_history"), "content"), [
        "My name is Bob",
        "answer 3",
        "And you?",
        "answer 4"
      ])
      yield* ask([ann, first, user("I like tea", "u2"), second, user("Back", "u4")])
      assert.deepStrictEqual(yield* seen, ["My name is Ann", "answer 1", "I like tea", "answer 2", "Back"])
    }))

  it.live("after an edit of a later message, the model sees the messages before it", () =>
    Effect.gen(function*() {
      const { ask, seen } = yield* opened
      const first = yield* ask([user("one", "u1")])
      const second = yield* ask([user("one", "u1"), first, user("two", "u2")])
      yield* ask([user("one", "u1"), first, user("two", "u2"), second, user("three", "u3")])
      yield* ask([user("one", "u1"), first, user("other two", "u2")], { messageId: "u2" })
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "other two"])
    }))

  it.live("after an earlier answer was made again, the model sees the new answer, and not what came later", () =>
    Effect.gen(function*() {
      const { ask, read, seen } = yield* opened
      const one = user("one", "u1")
      const first = yield* ask([one])
      const second = yield* ask([one, first, user("two", "u2")])
      const again = yield* ask([one], { trigger: "regenerate-message", messageId: first.id })
      assert.deepStrictEqual(yield* seen, ["one"])
      yield* ask([one, again, user("three", "u3")])
      assert.deepStrictEqual(yield* seen, ["one", "answer 3", "three"])
      const last = yield* ask([one, first, user("two", "u2")], {
        trigger: "regenerate-message",
        messageId: second.id
      })
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "two"])
      const runs = yield* read("/sessions/chat/runs")
      assert.deepStrictEqual(at(runs, 4, "previous_run_id"), first.id)
      assert.deepStrictEqual(at(runs, 4, "run_id"), last.id)
    }))

  it.live("the last answer is made again without the id of its message, or with that of its question", () =>
    Effect.gen(function*() {
      const { ask, seen } = yield* opened
      const first = yield* ask([user("one", "u1")])
      const answers = [yield* ask([user("one", "u1"), first, user("two", "u2")])]
      for (const messageId of [undefined, undefined, "u2"]) {
        const again = yield* ask([user("one", "u1"), first, user("two", "u2")], {
          trigger: "regenerate-message",
          ...(messageId === undefined ? {} : { messageId })
        })
        assert.notInclude(answers.map(({ id }) => id), again.id)
        answers.push(again)
        assert.deepStrictEqual(yield* seen, ["one", "answer 1", "two"])
      }
    }))

  it.live("a client that sends only its last message, or ids of its own, continues at the leaf", () =>
    Effect.gen(function*() {
      const { ask, seen } = yield* opened
      const first = yield* ask([user("one", "u1")])
      yield* ask([user("two", "u2")])
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "two"])
      yield* ask([user("one", "u1"), { ...first, id: "greeting" }, user("three", "u3")])
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "two", "answer 2", "three"])
    }))

  it.live("a client that says that it sends all it shows begins anew with a first message, and not with others", () =>
    Effect.gen(function*() {
      const { ask, seen } = yield* opening({ "x-messages": "all" })
      const first = yield* ask([user("one", "u1")])
      yield* ask([user("one", "u1"), first, user("two", "u2")])
      assert.deepStrictEqual(yield* seen, ["one", "answer 1", "two"])
      const edited = yield* ask([user("other one", "u3")])
      assert.deepStrictEqual(yield* seen, ["other one"])
      yield* ask([user("other one", "u3"), edited, user("three", "u4")])
      assert.deepStrictEqual(yield* seen, ["other one", "answer 3", "three"])
    }))
})
