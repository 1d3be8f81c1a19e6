// The shape of Mastra's complex workflow: steps one after the other, beside each other, on a condition, in a loop, in
// workflows of their own, after a person, and for each item of a list.
import { Condition, ForEach, Loop, Parallel, serve, Step, type StepInput, Workflow } from "@svc-runtime/server"
import { z } from "zod"

const add = <const Name extends string>(name: Name, letters: string) =>
  Step.make({ name, effects: "read", run: ({ input }: StepInput<string>) => input + letters })

const addB = add("addB", "B")
const addC = add("addC", "C")
const short = Workflow.make({ id: "short", inputSchema: z.string(), steps: [addB, addC] })
const long = Workflow.make({ id: "long", inputSchema: z.string(), steps: [addC] })

export const letters = Workflow.make({
  id: "letters",
  inputSchema: z.object({ text: z.string() }),
  steps: [
    ({ input }: StepInput<{ text: string }>) => `${input.text}A`,
    Parallel.make({ name: "both", steps: [addB, addC] }),
    ({ input }: StepInput<{ addB: string; addC: string }>) => input.addB + input.addC,
    Condition.make({
      name: "length",
      evaluator: ({ input }: StepInput<string>) => input.length < 10,
      steps: [short],
      elseSteps: [long]
    }),
    Loop.make({
      name: "grow",
      maxIterations: 20,
      endCondition: (_, { input }) => input.length >= 10,
      steps: [add("addD", "D")]
    }),
    Step.make({
      name: "ask",
      userInput: { message: "What comes last?", schema: z.object({ ending: z.string().min(1) }) },
      run: ({ input, userInput }) => Array.from(String(input) + userInput.ending)
    }),
    ForEach.make({ name: "each", steps: [({ input }) => String(input).toUpperCase()] }),
    ({ input }: StepInput<ReadonlyArray<string>>) => ({ result: input.join("") })
  ]
})

if (import.meta.main) serve({ agents: [], workflows: [letters] })
