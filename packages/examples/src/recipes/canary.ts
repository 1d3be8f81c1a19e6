// # Try a new prompt with some of the requests
// Quality
//
// A stored agent has numbered versions. A rollout gives the new version a part of the sessions. A guard takes it back
// if its runs fail, and a comparison shows whether it is better. Then it becomes the current version for all.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   curl localhost:7777/agents -H 'content-type: application/json' -d '{"name": "Greeter", "instructions": "Greet."}'
//   curl localhost:7777/components/greeter/configs -H 'content-type: application/json' \
//     -d '{"config": {"instructions": "Greet with a joke."}, "stage": "published", "set_current": false}'
//   curl localhost:7777/components/greeter/rollout -H 'content-type: application/json' \
//     -d '{"versions": [{"version": 1, "share": 50}, {"version": 2, "share": 50}]}'
//   for session in a b c d; do
//     curl -s localhost:7777/agents/greeter/runs -F message=Hello -F session_id=$session -F stream=false
//   done
//   curl -s localhost:7777/components/greeter/versions/compare
//
// Change: give the guard `min_score`, and rate answers [by feedback](feedback.md) or [by a scorer](scoring.md).
import type { Svc } from "@svc-runtime/client"

export const prepare = async ({ components }: Svc) => {
  const config = { instructions: "Greet in one sentence." }
  await components.create({ name: "Greeter", component_type: "agent", config, stage: "published" })
  const changed = { instructions: "Greet in one sentence, with a joke." }
  await components.createVersion("greeter", { config: changed, stage: "published", set_current: false })
}

const shares = (share: number) => [{ version: 1, share: 100 - share }, { version: 2, share }]

/** Percent of the sessions. Each session keeps its version. */
export const begin = (svc: Svc, share: number) =>
  svc.rollouts.start("greeter", { versions: shares(share), guard: { max_error_rate: 0.1, max_p95_ratio: 2 } })

/** Only as many sessions get another version as have to. */
export const change = (svc: Svc, share: number) => svc.rollouts.update("greeter", { versions: shares(share) })

export const compare = (svc: Svc) => svc.rollouts.compare("greeter")

/** All new runs get version 2, and the rollout ends. */
export const publish = (svc: Svc) => svc.components.setCurrent("greeter", 2)

export const stop = (svc: Svc, reason: string) => svc.rollouts.stop("greeter", { reason })
