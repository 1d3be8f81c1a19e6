import { Agent, Loop, Step } from "@svc-runtime/server"

const editor = Agent.make({ id: "editor", instructions: "Shorten the text." })

export const polish = Loop.make({
  name: "polish",
  maxIterations: 5,
  endCondition: ([shortened]) => String(shortened?.content).length < 2000,
  steps: [Step.make({ name: "shorten", agent: editor })]
})
