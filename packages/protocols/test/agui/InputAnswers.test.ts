import type * as Json from "@svc-runtime/domain/Json"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as InputAnswers from "../../src/agui/InputAnswers.ts"
import * as Questions from "../../src/pause/Questions.ts"
import { paused } from "../Events.ts"

const questions = Questions.of(paused() as Questions.Waiting)

const resumed = (more: object) => InputAnswers.ofResume(questions, [{ interruptId: "q", status: "resolved", ...more }])

const decisionsOf = (read: ReturnType<typeof resumed>) => Result.getOrThrow(read).decisions.requirements

describe("the answer to an interrupt", () => {
  it("an entry with approved or accepted decides, and one that says neither is malformed", () => {
    for (const word of ["approved", "accepted"]) {
      expect(decisionsOf(resumed({ payload: { [word]: true } }))).toEqual([{ id: "q", confirmed: true }])
      expect(decisionsOf(resumed({ payload: { [word]: false } }))).toEqual([{ id: "q", confirmed: false }])
    }
    for (const more of [{}, { payload: null }, { payload: { agreed: true } }, { payload: "yes" }]) {
      expect(resumed(more)).toMatchObject({ failure: { reason: "malformed" } })
    }
  })

  it("the note can be called reason, as clients of the protocol call it", () => {
    expect(decisionsOf(resumed({ payload: { approved: false, reason: "Late" } }))).toEqual([
      { id: "q", confirmed: false, confirmation_note: "Late" }
    ])
  })

  it("an entry that is cancelled rejects with the note of its payload, and takes no other", () => {
    const cancelled = (payload?: Json.Value) =>
      resumed({ status: "cancelled", ...(payload === undefined ? {} : { payload }) })
    for (
      const [payload, confirmation_note] of [[null, "The user cancelled it"], ["Late", "Late"], [
        { reason: "Late" },
        "Late"
      ]] as const
    ) {
      expect(decisionsOf(cancelled(payload))).toEqual([{ id: "q", confirmed: false, confirmation_note }])
    }
    for (const payload of [{ approved: true }, { editedArgs: { to: "x" } }, { note: 5 }, 5]) {
      expect(cancelled(payload)).toMatchObject({ failure: { reason: "malformed" } })
    }
  })

  it("the content of a tool message decides as the payload of an entry, and other text is malformed", () => {
    const read = (content: string) => InputAnswers.ofTools(questions, [{ toolCallId: "c", content, isError: false }])
    const answer = (content: string) => decisionsOf(read(content))
    expect(answer("{\"approved\": true}")).toEqual([{ id: "q", confirmed: true }])
    expect(answer("{\"accepted\": false, \"note\": \"Late\"}")).toEqual([
      { id: "q", confirmed: false, confirmation_note: "Late" }
    ])
    for (const content of ["yes", "", "{\"agreed\": true}"]) {
      expect(read(content)).toMatchObject({ failure: { reason: "malformed" } })
    }
  })
})
