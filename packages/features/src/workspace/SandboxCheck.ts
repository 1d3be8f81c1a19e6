// A service whose agents execute commands starts only where these are isolated.
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import { Effect, Layer, Predicate } from "effect"
import type { Service } from "../Feature.ts"
import { SandboxMissing } from "./SandboxMissing.ts"

/** The agents of factories are not known yet: their sandboxes are checked before their first command. */
export const layer = ({ agents, teams, workflows }: Pick<Service, "agents" | "teams" | "workflows">) =>
  Layer.effectDiscard(Effect.suspend(() => {
    const reached = [...ReachedComponents.of([...agents, ...teams, ...workflows]).agents.keys()]
    const sandboxes = new Map(
      reached.flatMap(({ id, workspace }) => workspace?.sandbox === undefined ? [] : [[workspace.sandbox, id]])
    )
    return Effect.forEach(sandboxes, ([sandbox, id]) =>
      Effect.tryPromise({
        try: () => sandbox.check(),
        catch: (error) =>
          new SandboxMissing({ message: `Agent '${id}': ${Predicate.isError(error) ? error.message : String(error)}` })
      }), { discard: true })
  }))
