// # Try a new prompt with some of the requests
// Quality
//
// A stored agent has numbered versions. The draft answers a part of the sessions by its number, and then becomes the
// current version for all, or is left alone.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   curl localhost:7777/agents -H 'content-type: application/json' -d '{"name": "Greeter", "instructions": "Greet."}'
//   curl localhost:7777/components/greeter/configs -H 'content-type: application/json' \
//     -d '{"config": {"instructions": "Greet with a joke."}}'
//   curl -s localhost:7777/agents/greeter/runs -F message=Hello -F version=2 -F stream=false
//
// Change: compare the versions by feedback or by an experiment before you publish the draft.
import type { Svc } from "@svc-runtime/client"
import { createHash } from "node:crypto"

export const prepare = async ({ components }: Svc) => {
  const config = { instructions: "Greet in one sentence." }
  await components.create({ name: "Greeter", component_type: "agent", config, stage: "published" })
  const changed = { instructions: "Greet in one sentence, with a joke." }
  await components.createVersion("greeter", { config: changed, stage: "draft" })
}

/** The same session always gets the same version. */
const isCanary = (session: string, percent: number) =>
  createHash("sha256").update(session).digest().readUInt16BE() % 100 < percent

export const greet = (svc: Svc, session_id: string, percent: number) =>
  svc.agent("greeter").run({ message: "Hello", session_id, ...(isCanary(session_id, percent) ? { version: 2 } : {}) })

export const publish = (svc: Svc) => svc.components.updateVersion("greeter", 2, { stage: "published" })

export const rollBack = (svc: Svc) => svc.components.setCurrent("greeter", 1)
