// A client may close its half of the connection after its request, and read the response. To the server a client that
// has disconnected looks the same until bytes are sent to it. So both get bytes that readers ignore: the second time
// they fail if the client has gone.
import type { RecordedResponse } from "@svc-runtime/http/logging/RecordedResponse"
import * as EventStream from "@svc-runtime/http/sse/EventStream"
import type { Socket } from "node:net"

/** Most responses are sent before. */
const firstMillis = 25

const maxMillis = 5000

/** False if no byte can be sent before the response. */
const probe = (response: RecordedResponse): boolean => {
  // bytes that are about to be sent do the same
  if (response.writableEnded || response.writableLength > 0) return true
  if (response.headersSent) {
    if (response.isEventStream) response.write(EventStream.heartbeat)
    return true
  }
  if (response.req.httpVersion === "1.0") return false
  response.writeContinue()
  return true
}

const wait = (look: () => void, millis: number): NodeJS.Timeout =>
  // @effect-diagnostics-next-line globalTimers:off because a fiber for each connection would cost more
  setTimeout(look, millis)

/** Ends the connection when its client has disconnected. */
export const follow = (socket: Socket, current: () => RecordedResponse | undefined): void => {
  let millis = firstMillis
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const response = current()
    // one that has no socket waits for the response before it
    if (response?.socket && !probe(response)) return void socket.end()
    timer = wait(look, millis)
    millis = Math.min(2 * millis, maxMillis)
  }
  socket.once("end", () => {
    // no response is missing
    if (socket.writableEnded) return
    timer = wait(look, millis)
  })
  socket.once("close", () => clearTimeout(timer))
}
