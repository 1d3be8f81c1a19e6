// # Cancel a run, and resume one that has failed
// Runs
//
// `cancel` ends a run on any node. A run that has failed keeps its finished steps, and `continue` executes the others.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   svc runs list --status error   # empty until a run has failed
//   svc runs continue RUN
//
// Change: a run that was cancelled does not continue. `fork=true` of the API copies it instead.
import type { RunReference, Svc } from "@svc-runtime/client"

export const startAndCancel = async (svc: Svc) => {
  const run = await svc.agent("assistant").start("Write a long story.")
  await svc.agent("assistant").cancel(run)
  return svc.agent("assistant").watch(run).result()
}

export const resume = (svc: Svc, failed: RunReference) => svc.agent("assistant").continue(failed, {})
