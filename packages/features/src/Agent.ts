// An agent with the options of all features.
import * as Agent from "@svc-runtime/agents/agent/define/Agent"
import type { RunSchemas } from "@svc-runtime/engine/tool/RunSchemas"
import type { Checked, ModelRef } from "@svc-runtime/models/ModelCatalog"
import { parts } from "./agentParts.ts"

export * from "@svc-runtime/agents/agent/define/Agent"
export { parts } from "./agentParts.ts"

/**
 * An agent: a model with instructions and tools. Its path is `/agents/{id}`. Durations are texts or milliseconds.
 * Throws an `Error` with the agent and the option if one is invalid: an id that URLs cannot have, two tools of one
 * name, a `toolChoice` that is no tool, a number below its minimum, an unknown time zone, a schema without JSON Schema.
 *
 * ```ts
 * import { Agent, serve } from "@svc-runtime/server"
 *
 * const assistant = Agent.make({
 *   id: "assistant",
 *   model: "anthropic:claude-sonnet-4-5",
 *   instructions: ["Answer in one sentence.", "Say so if you do not know."],
 *   addHistoryToContext: true,
 *   retries: 2,
 *   delayBetweenRetries: "2 seconds"
 * })
 *
 * serve({ agents: [assistant] })
 * ```
 */
export const make = <
  const R extends RunSchemas = NonNullable<unknown>,
  const M extends ModelRef | undefined = ModelRef | undefined
>(options: Agent.Options<R> & { readonly model?: M & Checked<M> }): Agent.Agent => Agent.define<R, M>(options, parts)
