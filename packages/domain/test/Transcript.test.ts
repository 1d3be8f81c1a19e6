import { assert, describe, it } from "@effect/vitest"
import type * as Messages from "../src/Message.ts"
import * as Transcript from "../src/Transcript.ts"

type Message = Messages.Message

const message = (role: Message["role"], fields: Partial<Message> = {}): Message => ({
  id: "m",
  from_history: false,
  stop_after_tool_call: false,
  role,
  created_at: 1,
  ...fields
})

const calls = (...ids: ReadonlyArray<string>) =>
  message("assistant", {
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } }))
  })
const answer = (tool_call_id: string) => message("tool", { tool_call_id })

const lengths = (messages: ReadonlyArray<Message>) =>
  Array.from({ length: messages.length + 2 }, (_, index) => Transcript.cut(messages, index).length)

describe("a transcript that is cut", () => {
  it("a cut keeps the first messages, all of them if it is past the end, and none below 0", () => {
    const messages = [message("system"), message("user"), message("assistant")]
    assert.deepStrictEqual(lengths(messages), [0, 1, 2, 3, 3])
    assert.deepStrictEqual(Transcript.cut(messages, 2), messages.slice(0, 2))
    assert.deepStrictEqual(Transcript.cut(messages, -1), [])
  })

  it("a cut keeps no call without its answers, in any order of the answers", () => {
    const messages = [message("user"), calls("a", "b"), answer("b"), answer("a"), message("assistant")]
    assert.deepStrictEqual(lengths(messages), [0, 1, 1, 1, 4, 5, 5])
  })

  it("calls of two turns that have the same id are distinguished", () => {
    const messages = [message("user"), calls("a"), answer("a"), calls("a"), answer("a")]
    assert.deepStrictEqual(lengths(messages), [0, 1, 1, 3, 3, 5, 5])
  })

  it("a message after a call is not taken for its answer", () => {
    const messages = [message("user"), calls("a"), message("user"), message("assistant"), answer("a")]
    assert.deepStrictEqual(lengths(messages), [0, 1, 1, 1, 1, 5, 5])
  })

  it("a call without an answer stays open at the end, when nothing is cut", () => {
    const messages = [message("user"), calls("a")]
    assert.deepStrictEqual(lengths(messages), [0, 1, 2, 2])
  })
})
