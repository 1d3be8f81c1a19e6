// The `fetch` of the clients of providers. A server that never ends its answer must not fill the memory: clients keep
// an answer that is not streamed, and each event of a stream, as a whole.
import { Data } from "effect"

/** More than the largest answer that providers give, with images and vectors. */
const maxBytes = 128 * 1024 * 1024

class ResponseTooLarge extends Data.TaggedError("ResponseTooLarge") {}

const counting = (limit: number) => {
  let bytes = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength
      if (bytes > limit) controller.error(new ResponseTooLarge())
      else controller.enqueue(chunk)
    }
  })
}

/** The body fails after `limit` bytes, and the connection is closed. */
export const make = (limit = maxBytes): typeof globalThis.fetch => (input, init) =>
  // @effect-diagnostics-next-line globalFetch:off because the clients of providers take this function
  globalThis.fetch(input, init).then((response) =>
    response.body === null ? response : new Response(response.body.pipeThrough(counting(limit)), response)
  )
