// Ends the connection of a server that sends messages without end: each is small, and all of them cost time.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"

/** Messages of the server between two requests of the client. */
export const maxMessages = 20_000

const isRequest = (message: JSONRPCMessage | ReadonlyArray<JSONRPCMessage>): boolean =>
  "method" in message && "id" in message

/** Before the client uses the transport. What cannot be read counts too. */
export const guard = (transport: Transport, onExceeded: () => void): void => {
  let count = 0
  const received = () => {
    count++
    if (count !== maxMessages) return
    onExceeded()
    void transport.close()
  }
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (isRequest(message)) count = 0
    return send(message, options)
  }
  transport.onmessage = received
  transport.onerror = received
}
