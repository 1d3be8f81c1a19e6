// Sessions as resources of the MCP server: `svc://sessions/{session_id}` has their runs, as `get_session_runs` shows
// them. No session is listed, because the list of resources has no pages of one user. With several databases, the
// address names one: `svc://sessions/{session_id}?db_id=…`.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Session from "@svc-runtime/domain/Session"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import * as ResourceReading from "./ResourceReading.ts"
import type { Reading } from "./tools/SessionTools.ts"
import * as SessionTools from "./tools/SessionTools.ts"

const template = new McpSchema.ResourceTemplate({
  uriTemplate: "svc://sessions/{session_id}{?db_id}",
  name: "session",
  title: "A session",
  description: "The runs of a session (a conversation), oldest first, as JSON.",
  mimeType: "application/json"
})

/** In the syntax of the router a colon is written twice. The library numbers the parameters. */
const routerPath = "svc:://sessions/:0"

const decode = Schema.decodeUnknownEffect(
  Schema.Struct({ session_id: Session.Id, db_id: Schema.optionalKey(Ids.DatabaseId) })
)

const databaseIn = (uri: string): { readonly db_id?: string } => {
  const db_id = new URLSearchParams(uri.split("?")[1]).get("db_id")
  return db_id === null ? {} : { db_id }
}

export const layer = (reading: Reading): Layer.Layer<never, never, McpServer.McpServer> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const server = yield* McpServer.McpServer
    const services = yield* Effect.context<never>()

    const read = Effect.fnUntraced(function*(uri: string, id: string | undefined) {
      const query = yield* decode({ session_id: id, ...databaseIn(uri) })
      return ResourceReading.json(uri, yield* ReadLimiter.reading(SessionTools.runsInShort(reading, query)))
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
