// The `fetch` of the clients of providers. A server that never ends its answer must not fill the memory: clients keep
// an answer that is not streamed, and each event of a stream, as a whole.
import * as DeltaBypass from "./DeltaBypass.ts"
import * as DirectFetch from "./DirectFetch.ts"

/** More than the largest answer that providers give, with images and vectors. */
const maxBytes = 128 * 1024 * 1024

/** The body fails after `limit` bytes, and the connection is closed. */
export const make =
  (limit = maxBytes, dispatcherNow = DirectFetch.ofProcess): typeof globalThis.fetch => (input, init) => {
    const whole = () =>
      // @effect-diagnostics-next-line globalFetch:off because the clients of providers take this function
      globalThis.fetch(input, init).then((response) => DirectFetch.limited(response, limit))
    const url = DirectFetch.urlOf(input, init)
    const dispatcher = dispatcherNow()
    if (url === undefined || init === undefined || dispatcher === undefined) return whole()
    const splitter = DeltaBypass.of(init.signal)?.splitter()
    return DirectFetch.send(url, init, { dispatcher, limit, splitter }).catch((cause) => {
      if (cause instanceof DirectFetch.Redirected) return whole()
      throw cause
    })
  }
