import { Parallel, Step, type StepInput } from "@svc-runtime/server"

export const research = [
  Parallel.make({
    name: "research",
    steps: [
      Step.make({ name: "facts", effects: "read", run: ({ input }) => `Facts about ${String(input)}` }),
      Step.make({ name: "reviews", effects: "read", run: ({ input }) => `Reviews of ${String(input)}` })
    ]
  }),
  Step.make({
    name: "quote",
    effects: "read",
    run: ({ input }: StepInput<{ facts: string; reviews: string }>) => `${input.facts}, and ${input.reviews}`
  })
]
