import { describe, expect, it } from "vitest"
import * as AgUiStream from "../../src/agui/AgUiStream.ts"
import * as ChatStream from "../../src/chat/ChatStream.ts"
import * as CompletionStream from "../../src/openai/CompletionStream.ts"
import * as ResponseStream from "../../src/openai/ResponseStream.ts"
import type { Encoder } from "../../src/run/Encoder.ts"
import * as RunPieces from "../../src/run/RunPieces.ts"
import { completed, content, event, paused } from "../Events.ts"

const run = { run_id: "r", session_id: "s", model: "a", created: 1 }

const encoders: Readonly<Record<string, () => Encoder>> = {
  "AG-UI": () => AgUiStream.make({ threadId: "s", runId: "r", isVersion1: true }),
  "chat": () => ChatStream.make({ messageId: "r", metadata: {} }),
  "completions": () => CompletionStream.make({ ...run, includesUsage: true }),
  "responses": () => ResponseStream.make({ ...run, previous: null, instructions: null, metadata: {} })
}

const ends = /"type":"(?:RUN_ERROR|RUN_FINISHED|error|abort|finish|response\.(?:completed|failed|incomplete))"/g
const errors = /"error":\{|"finish_reason":"/g

describe.each(Object.keys(encoders))("a stream of %s", (name) => {
  const textOf = (events: ReadonlyArray<ReturnType<typeof event>>, ...rest: ReadonlyArray<"end" | "broken">) => {
    const encoder = encoders[name]!()
    const pieces = RunPieces.make("r")
    const shown = events.flatMap((each) => pieces.push(each)).map((piece) => encoder.push(piece)).join("")
    return encoder.begin + shown +
      rest.map((last) => last === "end" ? encoder.end() : encoder.broken("It broke")).join("")
  }
  const countOf = (text: string) => [...text.matchAll(name === "completions" ? errors : ends)].length

  const last = {
    completed: completed("Yes"),
    failed: event("RunError", { content: "No ink" }),
    cancelled: event("RunCancelled", { reason: "Enough" }),
    paused: paused()
  }

  it.each(Object.keys(last))("a stream of a %s run has one end, and nothing behind it, whatever breaks", (kind) => {
    const events = [content("Yes"), last[kind as keyof typeof last]]
    const whole = textOf(events, "end")
    expect(countOf(whole)).toBe(1)
    expect(textOf(events, "end", "broken", "end")).toBe(whole)
    expect(textOf(events, "broken", "broken", "end")).toBe(whole)
  })

  it("a stream that breaks has one error", () => {
    const events = [content("Yes")]
    const broken = textOf(events, "broken")
    expect(countOf(broken)).toBe(1)
    expect(textOf(events, "broken", "broken", "end")).toBe(broken)
  })

  it("a replay of a failed run that was continued shows its last end alone", () => {
    const failed = event("RunError", { content: "No ink" })
    const text = textOf([failed, event("RunContinued"), content("Yes"), completed("Yes")], "end")
    expect(countOf(text)).toBe(1)
    expect(text).not.toContain("No ink")
  })
})
