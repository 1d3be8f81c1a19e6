// A conversation without a page.
import { assert, describe, it } from "@effect/vitest"
import { eventStream, frame, pieces, respondingWith } from "../../client/test/promise/Responses.ts"
import { Conversation } from "../src/Conversation.ts"

describe("a message that is written", () => {
  it("text and reasoning of an answer that breaks off are removed, and those of finished answers stay", async () => {
    const history = [
      frame(0, "RunStarted"),
      frame(1, "RunContent", { reasoning_content: "A question. " }),
      frame(2, "RunContent", { content: "I look. ", reasoning_content: "" }),
      frame(3, "ModelRequestCompleted"),
      frame(4, "RunContinued"),
      frame(5, "RunContent", { reasoning_content: "Te" }),
      frame(6, "RunContent", { content: "It i", reasoning_content: "" }),
      frame(7, "RunContinued"),
      frame(8, "RunContent", { reasoning_content: "Tea." }),
      frame(9, "RunContent", { content: "It is tea.", reasoning_content: "" }),
      // what is written so far stays
      frame(10, "RunCancelled")
    ]
    const { svc } = respondingWith(() => eventStream(pieces(history)))
    const conversation = new Conversation(svc.agent("a"), "s", false)
    await conversation.send("What?")
    const { reasoning, text } = conversation.state().messages.at(-1) ?? {}
    assert.deepStrictEqual([reasoning, text], ["A question. Tea.", "I look. It is tea."])
  })
})
