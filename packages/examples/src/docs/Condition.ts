import { Condition, Step } from "@svc-runtime/server"

export const check = Condition.make({
  name: "check",
  evaluator: ({ input }) => String(input).length > 100,
  steps: [Step.make({ name: "long", run: ({ input }) => `Long: ${String(input)}` })],
  elseSteps: [Step.make({ name: "short", run: ({ input }) => `Short: ${String(input)}` })]
})
