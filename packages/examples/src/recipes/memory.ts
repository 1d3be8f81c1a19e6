// # Remember a user
// Sessions and memory
//
// With `memory`, the service reads what a user says and keeps short facts. Every later run of this user gets them, in
// any session.
//
// Try:
//   npm run node -- packages/examples/src/recipes/memory.ts
//   svc run friend --user ann "I like trains."
//   svc run friend --user ann "How shall I travel?"
//
// Change: `memory: { model: "openai:gpt-5-mini" }` reads with a cheaper model than the one that answers.
import type { Svc } from "@svc-runtime/client"
import { Agent, serve } from "@svc-runtime/server"

const friend = Agent.make({ id: "friend", instructions: "Be brief.", memory: true })

export const application = { agents: [friend] }

export const memoriesOf = async (svc: Svc, user_id: string) => {
  const { data } = await svc.memories.list({ user_id })
  return data.map(({ memory }) => memory)
}

if (import.meta.main) serve(application)
