// The end of requests whose clients disconnect. Each interrupts the fibers of its request. Thousands of clients can
// disconnect at once, and the node responds to other requests in between.
import * as PacedCalls from "@svc-runtime/engine/limits/PacedCalls"
import { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

const closes = PacedCalls.make(32)

/** Its event `close` is delayed if it is not complete. */
export class PacedResponse extends ServerResponse {
  override emit(event: string | symbol, ...args: Array<never>): boolean {
    if (event !== "close" || this.writableEnded) return super.emit(event, ...args)
    closes.add(() => super.emit(event, ...args))
    return true
  }
}

/** The same for a connection that is not HTTP any more. */
export const pace = (socket: Duplex): void => {
  const emit = socket.emit.bind(socket)
  socket.emit = (event: string | symbol, ...args: ReadonlyArray<unknown>) => {
    if (event !== "close") return emit(event, ...args)
    closes.add(() => emit(event, ...args))
    return true
  }
}
