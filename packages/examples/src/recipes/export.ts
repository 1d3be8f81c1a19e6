// # Export a session
// Sessions and memory
//
// The session has its name, state and summary, and each of its runs its messages, calls and costs. The export is one
// object that any program can read.
//
// Try:
//   npm run node -- packages/examples/src/recipes/limits.ts
//   svc run assistant --session first "Hello"
//   svc sessions show first --json
//
// Change: `svc.all(svc.sessions.list, { user_id })` goes through all sessions of a user.
import type { Svc } from "@svc-runtime/client"

export const exportSession = async (svc: Svc, id: string) => {
  const session = await svc.sessions.get(id)
  const runs = await svc.sessions.runs(id)
  return {
    session,
    runs: await Promise.all(runs.map(({ run_id }) => svc.sessions.run(id, String(run_id))))
  }
}
