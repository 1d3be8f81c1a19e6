// Event streams are written in chunks of one piece. Clients get the same bytes.
import { assert, describe, it } from "@effect/vitest"
import { RecordedResponse } from "@svc-runtime/http/logging/RecordedResponse"
import { Effect } from "effect"
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

const sizes = [1, 0, 15, 16, 17, 4095, 4096, 4097, 300_000, 2, 3]

const texts = sizes.map((size, index) => String.fromCharCode(97 + index).repeat(size))

const serving = (contentType: string) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = createServer(
        { ServerResponse: RecordedResponse as typeof ServerResponse },
        (_request, response) => {
          response.writeHead(200, { "content-type": contentType })
          const left = [...texts]
          const write = () => {
            // some share a tick, and the others are alone in it
            for (const text of left.splice(0, left.length % 3 === 0 ? 2 : 1)) response.write(Buffer.from(text))
            if (left.length === 0) response.end("end")
            else if (response.writableNeedDrain) response.once("drain", write)
            else setImmediate(write)
          }
          write()
        }
      )
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )

const bodyOf = (server: Server, method: string) =>
  Effect.callback<string>((resume) => {
    const { port } = server.address() as AddressInfo
    request({ port, host: "127.0.0.1", method }, (response: IncomingMessage) => {
      let body = ""
      response.setEncoding("utf8").on("data", (text) => (body += text))
      response.on("end", () => resume(Effect.succeed(body)))
    }).end()
  })

describe("the chunks of an event stream", () => {
  for (const type of ["text/event-stream; charset=utf-8", "text/plain"]) {
    it.live(`a client gets all bytes in their order: ${type}`, () =>
      Effect.gen(function*() {
        const server = yield* serving(type)
        assert.strictEqual(yield* bodyOf(server, "GET"), `${texts.join("")}end`)
        assert.strictEqual(yield* bodyOf(server, "HEAD"), "")
      }))
  }
})
