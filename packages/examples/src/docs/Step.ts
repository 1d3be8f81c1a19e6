import { Agent, Step } from "@svc-runtime/server"

const writer = Agent.make({ id: "writer", instructions: "Write a short report." })

export const facts = Step.make({
  name: "facts",
  effects: "read",
  run: ({ input }) => `Facts about ${String(input)}`
})

export const write = Step.make({ name: "write", agent: writer, retries: 2, timeout: "2 minutes", onError: "pause" })
