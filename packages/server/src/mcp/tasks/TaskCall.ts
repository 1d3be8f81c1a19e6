// A call of a tool that becomes a task, in the extension `io.modelcontextprotocol/tasks` of the revision 2026-07-28.
// The client gets a handle instead of the result. The MCP library knows no tasks, so the endpoint replaces its
// response.
import type * as Json from "@svc-runtime/domain/Json"
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import { ClientRequest } from "../ClientDisconnect.ts"

export const extension = "io.modelcontextprotocol/tasks"

/** The revision with the extension. Its requests have no session. */
const version = "2026-07-28"

/** What a client without the extension lacks. */
export const requiredCapabilities = { extensions: { [extension]: {} } }

export interface Declared {
  /** Whether the client can ask its user. */
  readonly hasElicitation: boolean
}

/** Undefined: the client of the request knows no tasks. */
export const declared = Effect.map(
  McpSchema.McpRequestContext,
  ({ clientCapabilities: { elicitation, extensions }, protocolVersion }): Declared | undefined =>
    protocolVersion === version && extensions?.[extension] !== undefined
      ? { hasElicitation: elicitation !== undefined }
      : undefined
)

/** The response of the call is the task. */
export const create = (task: Json.Object) =>
  Effect.map(ClientRequest, (request) => {
    request.task = task
  })
