import { Parallel, Step } from "@svc-runtime/server"

export const research = [
  Parallel.make({
    name: "research",
    steps: [
      Step.make({ name: "facts", effects: "read", run: ({ input }) => `Facts about ${String(input)}` }),
      Step.make({ name: "reviews", effects: "read", run: ({ input }) => `Reviews of ${String(input)}` })
    ]
  }),
  Step.make({ name: "quote", effects: "read", run: (step) => `It says: ${String(step.outputOf("facts"))}` })
]
