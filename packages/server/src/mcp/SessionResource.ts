// Sessions as resources of the MCP server: `svc://sessions/{session_id}` has their runs, as `get_session_runs` shows
// them. No session is listed, because the list of resources has no pages of one user.
import * as Session from "@svc-runtime/domain/Session"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import * as ResourceReading from "./ResourceReading.ts"
import type { Reading } from "./tools/SessionTools.ts"
import * as SessionTools from "./tools/SessionTools.ts"

const template = new McpSchema.ResourceTemplate({
  uriTemplate: "svc://sessions/{session_id}",
  name: "session",
  title: "A session",
  description: "The runs of a session (a conversation), oldest first, as JSON.",
  mimeType: "application/json"
})

/** In the syntax of the router a colon is written twice. The library numbers the parameters. */
const routerPath = "svc:://sessions/:0"

const decodeId = Schema.decodeUnknownEffect(Session.Id)

export const layer = (reading: Reading): Layer.Layer<never, never, McpServer.McpServer> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    const services = yield* Effect.context<never>()

    const read = Effect.fnUntraced(function*(uri: string, id: string | undefined) {
      const session_id = yield* decodeId(id)
      return ResourceReading.json(uri, yield* ReadLimiter.reading(SessionTools.runsInShort(reading, { session_id })))
    })

    yield* server.addResourceTemplate({
      template,
      routerPath,
      completions: {},
      services,
      annotations: Context.empty(),
      handle: (uri, [id]) => ResourceReading.forCaller(read(uri, id))
    })
  }))
