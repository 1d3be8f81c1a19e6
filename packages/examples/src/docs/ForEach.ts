import { Agent, ForEach, Step, type StepInput } from "@svc-runtime/server"

const translator = Agent.make({ id: "translator", instructions: "Translate into French." })

export const translated = [
  Step.make({ name: "chapters", effects: "read", run: ({ input }) => String(input).split("\n\n") }),
  ForEach.make({ name: "translate", concurrency: 3, steps: [translator] }),
  Step.make({
    name: "join",
    effects: "read",
    run: ({ input }: StepInput<ReadonlyArray<unknown>>) => input.join("\n\n")
  })
]
