// The `fetch` of the clients of providers. A server that never ends its answer must not fill the memory: clients keep
// an answer that is not streamed, and each event of a stream, as a whole.
import { Data } from "effect"
import * as DeltaBypass from "./DeltaBypass.ts"
import * as InterceptedBody from "./InterceptedBody.ts"

/** More than the largest answer that providers give, with images and vectors. */
const maxBytes = 128 * 1024 * 1024

class ResponseTooLarge extends Data.TaggedError("ResponseTooLarge") {}

/** Counts all bytes of a body. */
const counter = (limit: number) => {
  let total = 0
  return (bytes: number): boolean => (total += bytes) <= limit
}

const counting = (admit: ReturnType<typeof counter>) => (chunk: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  if (!admit(chunk.byteLength)) throw new ResponseTooLarge()
  return chunk
}

/** The option is one of Node. */
const withDispatcher = (init: RequestInit | undefined, dispatcher: InterceptedBody.Dispatcher): RequestInit =>
  ({ ...init, dispatcher }) as RequestInit

/** The body fails after `limit` bytes, and the connection is closed. */
export const make = (limit = maxBytes): typeof globalThis.fetch => (input, init) => {
  const admit = counter(limit)
  const bypass = DeltaBypass.of(init?.signal)
  // @effect-diagnostics-next-line globalFetch:off because the clients of providers take this function
  return globalThis.fetch(
    input,
    bypass === undefined ? init : withDispatcher(init, InterceptedBody.dispatcher(() => bypass.splitter(admit)))
  )
    .then((response) =>
      response.body === null
        ? response
        : new Response(InterceptedBody.changed(response.body, counting(admit)), response)
    )
}
