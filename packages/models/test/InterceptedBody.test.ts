import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as InterceptedBody from "../src/InterceptedBody.ts"

const encoder = new TextEncoder()

const bodyOf = (...chunks: ReadonlyArray<string>): ReadableStream<InterceptedBody.Bytes> =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk))
      controller.close()
    }
  })

const change: InterceptedBody.Change = {
  next: (chunk) => chunk.length === 1 ? new Uint8Array() : chunk,
  end: () => encoder.encode("tail")
}

describe("InterceptedBody", () => {
  it.effect("a body has what the change leaves of each chunk, and its rest at the end", () =>
    Effect.gen(function*() {
      const response = InterceptedBody.ofResponse(new Response(bodyOf("ab", "c", "d", "ef")), change)
      assert.strictEqual(yield* Effect.promise(() => response.text()), "abeftail")
    }))

  it("a response without a body stays as it is", () => {
    const response = new Response(null, { status: 204 })
    assert.strictEqual(InterceptedBody.ofResponse(response, change), response)
  })
})
