// The handshake with a server that others wrote: one for each revision of the protocol, speaking no other.
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { Environment } from "../../src/Environment.ts"
import { verify } from "../../src/mcp/Verification.ts"
import * as NodeHttp from "../../src/NodeHttp.ts"

const Add = Tool.make("add", {
  description: "Adds two numbers",
  parameters: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
  success: Schema.Finite
})
const Forget = Tool.make("forget", { description: "Forgets everything", success: Schema.Void })
const toolkit = Toolkit.make(Add, Forget)

const tools = McpServer.toolkit(toolkit).pipe(
  Layer.provide(toolkit.toLayer({ add: ({ a, b }) => Effect.succeed(a + b), forget: () => Effect.void }))
)

const listening = (protocol: (typeof protocols)[number]) =>
  HttpRouter.serve(
    McpServer.layerHttp({ name: "other", version: "1.0.0", path: "/mcp", protocols: [protocol], registrations: tools }),
    { disableLogger: true, disableListenLog: true }
  ).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
    Layer.orDie,
    Layer.build,
    Effect.map((context) => {
      const { address } = Context.get(context, HttpServer.HttpServer)
      return `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}/mcp`
    })
  )

const protocols = [
  McpProtocol.v2024_11_05,
  McpProtocol.v2025_03_26,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_11_25
] as const

const http = NodeHttp.layer.pipe(
  Layer.provide(Environment.layer({ cwd: "/", home: "/", platform: "linux", variables: {} }))
)

describe("a server of the protocol's revision", () => {
  for (const protocol of protocols) {
    it.live(`a server of the revision ${protocol.protocolVersion} is verified`, () =>
      Effect.gen(function*() {
        const url = yield* listening(protocol)
        const verification = yield* verify({ url, token: undefined, expectsChallenge: false })
        assert.deepStrictEqual(verification, {
          ok: true,
          tools: 2,
          status_code: 200,
          error: null,
          oauth_challenge: false
        })
      }).pipe(Effect.scoped, Effect.provide(http)))
  }
})
