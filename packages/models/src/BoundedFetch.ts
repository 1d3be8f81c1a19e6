// The `fetch` of the clients of providers. A server that never ends its answer must not fill the memory: clients keep
// an answer that is not streamed, and each event of a stream, as a whole.
import { Data } from "effect"
import * as DeltaBypass from "./DeltaBypass.ts"

/** More than the largest answer that providers give, with images and vectors. */
const maxBytes = 128 * 1024 * 1024

class ResponseTooLarge extends Data.TaggedError("ResponseTooLarge") {}

const counter = (limit: number) => {
  let total = 0
  return (bytes: number): Error | undefined => (total += bytes) > limit ? new ResponseTooLarge() : undefined
}

const counting = (admit: ReturnType<typeof counter>) =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const refusal = admit(chunk.byteLength)
      if (refusal !== undefined) controller.error(refusal)
      else controller.enqueue(chunk)
    }
  })

/** The body fails after `limit` bytes, and the connection is closed. */
export const make = (limit = maxBytes): typeof globalThis.fetch => (input, init) =>
  // @effect-diagnostics-next-line globalFetch:off because the clients of providers take this function
  globalThis.fetch(input, init).then((response) => {
    const { body } = response
    if (body === null) return response
    const bypass = response.ok ? DeltaBypass.of(init?.signal) : undefined
    const admit = counter(limit)
    return new Response(bypass?.divert(body, admit) ?? body.pipeThrough(counting(admit)), response)
  })
