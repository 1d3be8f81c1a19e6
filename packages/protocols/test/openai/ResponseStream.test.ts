import { describe, expect, it } from "vitest"
import * as ResponseStream from "../../src/openai/ResponseStream.ts"
import { completed, content, event, framesOf } from "../Events.ts"

const described = {
  run_id: "r",
  session_id: "s",
  model: "a",
  created: 1,
  previous: null,
  instructions: null,
  metadata: {}
}

describe("the events of a response", () => {
  it("an answer that breaks off is incomplete, and the whole response has the answer that is made again", () => {
    const frames = framesOf(ResponseStream.make(described), [
      content("Hel"),
      event("RunContinued"),
      content("Hello."),
      event("ModelRequestCompleted"),
      completed("Hello.")
    ])
    const done = frames.filter(({ type }) => type === "response.output_item.done")
    expect(done).toMatchObject([{ item: { status: "incomplete" } }, { item: { status: "completed" } }])
    expect(frames.at(-1)).toMatchObject({
      type: "response.completed",
      response: { output: [{ content: [{ text: "Hello." }] }] }
    })
  })
})
