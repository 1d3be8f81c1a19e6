// A service that is reached with https where it speaks http, and the other way round.
import { assert, describe, it } from "@effect/vitest"
import { Svc, SvcConnectionError } from "@svc-runtime/client"
import { createServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo, Server } from "node:net"
import { thrownBy } from "./Responses.ts"

/** No handshake ends, so that the server needs no certificate. */
const schemes: ReadonlyArray<readonly [string, string, () => Server, string]> = [
  [
    "https",
    "http",
    () => createServer((_, response) => void response.end("{}")),
    "What responds there does not speak https. If it is the service, begin baseUrl with http://"
  ],
  ["http", "https", () => createSecureServer({}), "If the service speaks https, begin baseUrl with https://"]
]

describe("the scheme of an address", () => {
  it.each(schemes)("a request by %s to a service that speaks %s says what to change", async (scheme, _, make, hint) => {
    const server = make()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    try {
      const svc = new Svc({ baseUrl: `${scheme}://127.0.0.1:${port}`, retries: 0 })
      for (const call of [() => svc.agents.list(), () => svc.agent("a").run("Hi")]) {
        const error = await thrownBy(call)
        assert.instanceOf(error, SvcConnectionError)
        assert.isTrue(error.message.endsWith(hint), error.message)
      }
    } finally {
      server.close()
    }
  })
})
