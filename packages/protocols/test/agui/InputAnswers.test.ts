import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as InputAnswers from "../../src/agui/InputAnswers.ts"
import * as Questions from "../../src/pause/Questions.ts"
import { paused } from "../Events.ts"

const questions = Questions.of(paused() as Questions.Waiting)

const resumed = (more: object) => InputAnswers.ofResume(questions, [{ interruptId: "q", status: "resolved", ...more }])

const decisionsOf = (read: ReturnType<typeof resumed>) => Result.getOrThrow(read).decisions.requirements

describe("the answer to an interrupt", () => {
  it("an entry with accepted confirms, and an entry without a payload rejects", () => {
    expect(decisionsOf(resumed({ payload: { accepted: true } }))).toEqual([{ id: "q", confirmed: true }])
    for (const more of [{}, { payload: null }]) {
      expect(decisionsOf(resumed(more))).toEqual([{ id: "q", confirmed: false }])
    }
  })

  it("the content of a tool message rejects with itself as the note, unless it is accepted", () => {
    const answer = (content: string) =>
      decisionsOf(InputAnswers.ofTools(questions, [{ toolCallId: "c", content, isError: false }]))
    expect(answer("{\"accepted\": true}")).toEqual([{ id: "q", confirmed: true }])
    expect(answer("yes")).toEqual([{ id: "q", confirmed: false, confirmation_note: "yes" }])
    expect(answer("{\"accepted\": false, \"note\": \"Late\"}")).toEqual([
      { id: "q", confirmed: false, confirmation_note: "Late" }
    ])
    expect(answer("")).toEqual([{ id: "q", confirmed: false }])
  })
})
