// What is kept of the messages of a task.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import type { Message } from "@svc-runtime/protocols/a2a/Model"
import * as Origin from "@svc-runtime/protocols/a2a/Origin"

const message = (messageId: string, text: string): Message => ({ messageId, role: "ROLE_USER", parts: [{ text }] })

const historyOf = (metadata: Json.Object) =>
  Origin.historyOf({ id: "t", contextId: "c", metadata }, [{ text: "input" }]).map(({ messageId, parts }) => [
    messageId,
    parts[0]?.text?.slice(0, 5)
  ])

describe("the history of a task", () => {
  it("the history has the input under the id of the first message, and the messages that continued the task", () => {
    const begun = Origin.begun(message("m1", "input"), undefined)
    const continued = Origin.continued(begun, message("m2", "yes"), undefined)
    const again = Origin.continued(continued, message("m3", "no"), undefined)
    assert.deepStrictEqual(historyOf(begun), [["m1", "input"]])
    assert.deepStrictEqual(historyOf(again), [["m1", "input"], ["m2", "yes"], ["m3", "no"]])
  })

  it("the last messages that fit are kept behind the first one", () => {
    let metadata = Origin.begun(message("m1", "input"), undefined)
    for (const id of ["m2", "m3", "m4"]) {
      metadata = Origin.continued(metadata, message(id, "long ".repeat(6000)), undefined)
    }
    assert.deepStrictEqual(historyOf(metadata), [["m1", "input"], ["m3", "long "], ["m4", "long "]])
    const tooLong = Origin.continued(metadata, message("m5", "long ".repeat(20_000)), undefined)
    assert.deepStrictEqual(historyOf(tooLong), [["m1", "input"]])
  })

  it("metadata of one message is limited, and kept messages do not count", () => {
    assert.isFalse(Origin.isTooLarge(Origin.begun(message("m1", "input"), { note: "short" })))
    assert.isTrue(Origin.isTooLarge(Origin.begun(message("m1", "input"), { note: "x".repeat(Origin.maximum) })))
  })
})
