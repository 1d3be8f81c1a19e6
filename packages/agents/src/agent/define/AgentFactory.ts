// Builds an agent for each request: from its user, its token or its `factory_input`.
import * as AgentSchema from "@svc-runtime/domain/Agent"
import type { AnySchema } from "@svc-runtime/engine/schema/AnySchema"
import type { JsonSchema } from "effect"
import * as Factory from "../../factory/Factory.ts"
import * as Agent from "./Agent.ts"

export type AgentFactory = Factory.Factory<Agent.Agent>

const agents: Factory.ComponentType<Agent.Agent> = {
  kind: "agent",
  idOf: (id) => AgentSchema.Id.make(id),
  is: Agent.isAgent,
  // the default name is the id
  complete: (agent, id) => ({ ...agent, id, name: agent.name === agent.id ? id : agent.name, storeEvents: true })
}

/**
 * Builds an agent for each run. The input of `build` is the request's `factory_input`, decoded by `inputSchema`.
 *
 * A `FactoryPermissionError` of `build` answers the request with 403, a `FactoryValidationError` with 400; their
 * messages are shown to the caller. Any other error, another value than an agent, and the timeout (`FACTORY_TIMEOUT`,
 * 30 seconds, if the factory has none) answer with 500 and are logged. What `onClose` registers is closed when the
 * run ends.
 *
 * ```ts
 * import { Agent, AgentFactory, FactoryPermissionError } from "@svc-runtime/server"
 * import { z } from "zod"
 *
 * export const support = AgentFactory.make({
 *   id: "support",
 *   inputSchema: z.object({ tenant: z.string() }),
 *   timeout: "5 seconds",
 *   build: ({ id, input, trusted }) => {
 *     // a run that a caller continues has no input, unless `continueInput` is "stored"
 *     const tenant = input?.tenant ?? trusted.claims["tenant"]
 *     if (trusted.claims["tenant"] !== tenant) {
 *       throw new FactoryPermissionError({ message: "This token belongs to another tenant" })
 *     }
 *     return Agent.make({ id, instructions: `You help the customers of ${tenant}.` })
 *   }
 * })
 * ```
 */
export const make = <const S extends AnySchema | JsonSchema.JsonSchema | undefined = undefined>(
  options: Factory.Options<S, Agent.Agent>
): AgentFactory => Factory.make(agents, options)
