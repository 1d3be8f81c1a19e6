// The parts of an answer as a run keeps them.
import { assert, describe, it } from "@effect/vitest"
import { Prompt, Response } from "effect/ai"
import * as ModelAnswer from "../../src/agent/execute/model/ModelAnswer.ts"

type Kind = "reasoning" | "text"

const start = (kind: Kind, id: string) => Response.makePart(`${kind}-start`, { id })
const word = (kind: Kind, id: string, delta: string, metadata: Response.ProviderMetadata = {}) =>
  Response.makePart(`${kind}-delta`, { id, delta, metadata })
const end = (kind: Kind, id: string) => Response.makePart(`${kind}-end`, { id })

const answerOf = (parts: ReadonlyArray<Response.AnyPart>): ModelAnswer.ModelAnswer => {
  const answer = ModelAnswer.make()
  for (const part of parts) ModelAnswer.add(answer, part)
  return answer
}

describe("the parts of an answer", () => {
  it("words that follow each other are kept as one part", () => {
    const answer = answerOf([start("text", "1"), word("text", "1", "to"), word("text", "1", "day"), end("text", "1")])
    assert.deepStrictEqual(answer.parts, [start("text", "1"), word("text", "1", "today"), end("text", "1")])
    assert.strictEqual(answer.text, "today")
  })

  it("a received part is not changed when the next word joins it", () => {
    const first = word("text", "1", "to")
    answerOf([first, word("text", "1", "day")])
    assert.strictEqual(first.delta, "to")
  })

  it("words of different parts, and words with data of the provider, are not joined", () => {
    const parts = [
      start("reasoning", "1"),
      start("text", "2"),
      word("reasoning", "1", "a"),
      word("text", "2", "b"),
      word("reasoning", "1", "c"),
      word("reasoning", "1", "", { anthropic: { signature: "s" } }),
      word("reasoning", "1", "d"),
      end("reasoning", "1"),
      end("text", "2")
    ]
    const answer = answerOf(parts)
    assert.deepStrictEqual(answer.parts, parts)
    assert.deepStrictEqual(Prompt.fromResponseParts(answer.parts), Prompt.fromResponseParts(parts))
  })
})
