// A team whose leader has the options of all features.
import * as Team from "@svc-runtime/agents/team/Team"
import type { RunSchemas } from "@svc-runtime/engine/tool/RunSchemas"
import type { Checked, ModelRef } from "@svc-runtime/models/ModelCatalog"
import { parts } from "./agentParts.ts"

export * from "@svc-runtime/agents/team/Team"
export { parts } from "./agentParts.ts"

/**
 * A team: a leader, which has the options of an agent, and members, which are agents or teams. Its id is its path,
 * `/teams/{id}`. Members need not be served on their own.
 *
 * Throws an `Error` that names the team for invalid options of its leader, without members, if two members have one
 * id, and if a team is a member of itself.
 *
 * ```ts
 * import { Agent, Team } from "@svc-runtime/server"
 *
 * const researcher = Agent.make({ id: "researcher", role: "Finds facts" })
 * const writer = Agent.make({ id: "writer", role: "Writes a short text from facts" })
 *
 * export const newsroom = Team.make({
 *   id: "newsroom",
 *   mode: "coordinate",
 *   instructions: "Have the facts found first, and then have the text written.",
 *   members: [researcher, writer]
 * })
 * ```
 */
export const make = <
  const R extends RunSchemas = NonNullable<unknown>,
  const M extends ModelRef | undefined = ModelRef | undefined
>(options: Team.Options<R> & { readonly model?: M & Checked<M> }): Team.Team => Team.define<R, M>(options, parts)
