import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import { describe, expect, it } from "vitest"
import * as ResponseStream from "../../src/openai/ResponseStream.ts"
import * as RunPieces from "../../src/run/RunPieces.ts"
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

  it("events without text use up the numbers of the lost words in whose place they are", () => {
    const reasoning = (text: string) => event("RunContent", { reasoning_content: text, content_type: "str" })
    const blank = () => event("RunContent", { content: "", content_type: "str", reasoning_content: "" })
    const numbersOf = (word: () => RunEvent.RunEvent, last: () => RunEvent.RunEvent) =>
      framesOf(ResponseStream.make(described), [
        event("RunStarted"),
        word(),
        last(),
        last(),
        event("RunContinued"),
        content("Hello."),
        completed("Hello.")
      ]).map(({ sequence_number, type }) => [sequence_number, type])
    for (const word of [() => content("Hel"), () => reasoning("Why")]) {
      const numbers = numbersOf(word, blank)
      expect(numbers).toStrictEqual(numbersOf(word, word))
      expect(numbers.map(([number]) => number)).toStrictEqual(numbers.map((_, index) => index))
    }
  })

  it("words that were lost inside of a team have no numbers, nor have the events in their place", () => {
    const member = (text: string) => event("RunContent", { content: text, content_type: "str", run_id: "m" })
    const numbersOf = (...lost: ReadonlyArray<RunEvent.RunEvent>) =>
      framesOf(ResponseStream.make(described), [content("Hel"), member("a"), ...lost, completed("Hello.")]).length
    expect(numbersOf(member(""), member(""))).toBe(numbersOf(member("b"), member("c")))
  })

  it("the numbers behind a gap in the events of a run are behind those of words in the gap", () => {
    const [begun, ...lost] = [content("Hel"), content("lo"), content(".")]
    const end = event("RunError", { content: "It is set aside." })
    const lastOf = (events: ReadonlyArray<RunEvent.RunEvent>) => framesOf(ResponseStream.make(described), events).at(-1)
    const { sequence_number } = lastOf([begun!, end]) ?? {}
    expect(sequence_number).toBe(lastOf([begun!, ...lost, end])?.sequence_number)
  })

  it("a response whose run was continued after a pause ends with its calls, and its answer is in another one", () => {
    const pause = paused()
    const events = [pause, event("RunContinued"), content("Hello."), completed("Hello.")]
    const ends = (options?: ResponseStream.Options) =>
      framesOf(ResponseStream.make(described, options), events).filter(({ type }) => type === "response.completed")
    expect(ends()).toStrictEqual([framesOf(ResponseStream.make(described), [pause]).at(-1)])
    expect(ends({ isWholeRun: true })).toMatchObject([
      { response: { output: [{ type: "function_call" }, { type: "message" }] } }
    ])
  })

  it("a response whose run waits ends after its calls", () => {
    const frames = framesOf(ResponseStream.make(described), [paused()])
    expect(frames.at(-1)).toMatchObject({ type: "response.completed", response: { output: [{ name: "send" }] } })
  })

  it("a stream that breaks off while its run continues closes nothing and takes no number", () => {
    const events = [event("RunStarted"), content("Hel")]
    const [encoder, pieces] = [ResponseStream.make(described), RunPieces.make("r")]
    for (const piece of events.flatMap((each) => pieces.push(each))) encoder.push(piece)
    const [, data] = encoder.broken("The service stops").split("data: ")
    expect(JSON.parse(data!)).toStrictEqual({
      type: "error",
      sequence_number: framesOf(ResponseStream.make(described), events).at(-1)!["sequence_number"],
      code: "server_error",
      message: "The service stops",
      param: null
    })
  })
})
