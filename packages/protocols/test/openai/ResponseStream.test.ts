import { describe, expect, it } from "vitest"
import * as ResponseStream from "../../src/openai/ResponseStream.ts"
import { completed, content, event, framesOf, paused } from "../Events.ts"

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

  it("a response whose run was continued after a pause ends once, with its calls and its answer", () => {
    const frames = framesOf(ResponseStream.make(described), [
      paused(),
      event("RunContinued"),
      content("Hello."),
      completed("Hello.")
    ])
    expect(frames.filter(({ type }) => type === "response.completed")).toMatchObject([
      { response: { output: [{ type: "function_call" }, { type: "message" }] } }
    ])
  })

  it("a response whose run waits ends after its calls", () => {
    const frames = framesOf(ResponseStream.make(described), [paused()])
    expect(frames.at(-1)).toMatchObject({ type: "response.completed", response: { output: [{ name: "send" }] } })
  })
})
