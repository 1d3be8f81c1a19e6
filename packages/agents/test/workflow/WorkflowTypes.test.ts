// What TypeScript holds an author to. The assertions are types: they hold when the file compiles.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { Effect } from "effect"
import { z } from "zod"
import type { Beside, Chain, NameOf, OutputOf, Refused } from "../../src/workflow/define/Chain.ts"
import * as Condition from "../../src/workflow/define/Condition.ts"
import * as Loop from "../../src/workflow/define/Loop.ts"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Router from "../../src/workflow/define/Router.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import type { StepInput } from "../../src/workflow/define/StepInput.ts"
import * as Steps from "../../src/workflow/define/Steps.ts"
import * as StepResult from "../../src/workflow/execute/StepResult.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>() => {}

interface Draft {
  readonly title: string
  readonly words: number
}

const draft = Step.make({ name: "draft", onError: "fail", run: (): Draft => ({ title: "T", words: 3 }) })
const count = Step.make({
  name: "count",
  onError: "fail",
  run: ({ input }: StepInput<Draft>) => input.words
})
const shout = Step.make({
  name: "shout",
  onError: "fail",
  run: ({ input }: StepInput<string>) => input.toUpperCase()
})

describe("a step function", () => {
  it("a function without types gets JSON of any kind", () => {
    Step.make({
      name: "step",
      run: (input) => {
        holds<Same<typeof input.input, Json.Value>>()
        holds<Same<typeof input.workflowInput, Json.Value>>()
      }
    })
  })

  it("a function gives what it returns, promises, gives as an Effect or puts into a result", () => {
    const value = Step.make({ name: "a", onError: "fail", run: () => 1 })
    holds<Same<OutputOf<typeof value>, number>>()
    const promise = Step.make({ name: "a", onError: "fail", run: async () => "a" })
    holds<Same<OutputOf<typeof promise>, string>>()
    const effect = Step.make({ name: "a", onError: "fail", run: () => Effect.succeed(true) })
    holds<Same<OutputOf<typeof effect>, boolean>>()
    const result = Step.make({ name: "a", onError: "fail", run: () => StepResult.make({ content: 1, stop: true }) })
    holds<Same<OutputOf<typeof result>, number>>()
  })

  it("a function without a failure setting gives what it returns, and its failures end the workflow", () => {
    const step = Step.make({ name: "a", run: () => 1 })
    holds<Same<OutputOf<typeof step>, number>>()
  })

  it("the output of a function that can fail without ending the workflow can be a text", () => {
    const step = Step.make({ name: "a", onError: "skip", run: () => 1 })
    holds<Same<OutputOf<typeof step>, number | string>>()
  })

  it("a function reads an earlier step with its type, by the step and not by its name", () => {
    Step.make({
      name: "late",
      run: ({ outputOf }) => {
        const found = outputOf(draft)
        holds<Same<typeof found, Draft | undefined>>()
      }
    })
  })
})

describe("a step", () => {
  it("a step has exactly one executor", () => {
    const agent = Agent.make({ id: "agent" })
    const both = { name: "both", agent, team: Team.make({ id: "team", members: [agent] }) }
    // @ts-expect-error -- it has two
    assert.throws(() => Step.make(both), "Step 'both' needs one of run, agent, team and workflow, and has 2")
    // @ts-expect-error -- it has no executor
    assert.throws(() => Step.make({ name: "none" }), "needs one of run, agent, team and workflow, and has 0")
  })
})

describe("a list of steps", () => {
  it("a list is accepted when each step takes the output of the one before it", () => {
    const workflow = Workflow.make({ id: "w", steps: [draft, count] })
    holds<Same<OutputOf<typeof workflow>, number>>()
  })

  it("a list is refused when a step takes another type than it gets", () => {
    // @ts-expect-error -- shout wants a text and is given a draft
    Workflow.make({ id: "w", steps: [draft, shout] })
    // @ts-expect-error -- the first step of all is given the input of the workflow
    Workflow.make({ id: "w", inputSchema: z.string(), steps: [count] })
    const mayFail = Step.make({ name: "draft", onError: "skip", run: (): Draft => ({ title: "T", words: 3 }) })
    // @ts-expect-error -- a failed draft leaves a text
    Workflow.make({ id: "w", steps: [mayFail, count] })
  })

  it("a refused step has a sentence with its name, and the types that it is about", () => {
    holds<
      Same<
        Chain<[typeof draft, typeof shout], string, string>[1],
        Refused<"Step 'shout' does not take what the step before it gives", { takes: string; given: Draft }>
      >
    >()
    const topic = (_: StepInput<{ topic: string }>) => 1
    holds<
      Same<
        Chain<[typeof topic], string, string>[0],
        Refused<"This step takes another input than the workflow has", { takes: { topic: string }; given: string }>
      >
    >()
  })

  it("a list is refused when a step gives a value that is not JSON", () => {
    const dated = Step.make({ name: "dated", run: async () => [{ at: new Date() }] })
    holds<
      Same<
        Chain<[typeof dated], string, string>[0],
        Refused<"Step 'dated' gives a value that is not JSON", Date>
      >
    >()
    // @ts-expect-error -- a date is not JSON
    Workflow.make({ id: "w", steps: [dated] })
    // @ts-expect-error -- nor is a function
    Workflow.make({ id: "w", steps: [() => ({ later: () => 1 })] })
    Workflow.make({ id: "w", steps: [(): { readonly note?: string | undefined } => ({}), () => {}, () => null] })
  })

  it("a list is refused when two steps have one name", () => {
    const again = Step.make({ name: "draft", run: () => 1 })
    holds<
      Same<
        Chain<[typeof draft, typeof again], string, string>[1],
        Refused<"Two steps of this list are called 'draft'", "draft">
      >
    >()
    assert.throws(() => {
      // @ts-expect-error -- both are called draft
      Workflow.make({ id: "w", steps: [draft, again] })
    }, "'draft'")
  })

  it("a list takes the same step several times, and steps beside each other do not", () => {
    Workflow.make({ id: "w", inputSchema: z.string(), steps: [shout, () => "x", shout] })
    Steps.make({ name: "steps", steps: [shout, shout] })
    assert.throws(() => {
      // @ts-expect-error -- its results would have one name
      Parallel.make({ name: "parallel", steps: [shout, shout] })
    }, "Parallel 'parallel': steps[0] and steps[1] are both called 'shout'")
    assert.throws(() => {
      // @ts-expect-error -- both are called shout
      Router.make({ name: "router", choices: [shout, shout], selector: () => "shout" })
    }, "'shout'")
  })

  it("a list takes bare functions, agents, teams and workflows", () => {
    const inner = Workflow.make({ id: "inner", steps: [draft, count] })
    const agent = Agent.make({ id: "agent" })
    const team = Team.make({ id: "team", members: [agent] })
    const workflow = Workflow.make({ id: "w", steps: [() => "x", agent, team, inner] })
    holds<Same<OutputOf<typeof workflow>, number>>()
  })

  it("a team can follow any step, and its output is JSON", () => {
    const team = Team.make({ id: "team", members: [Agent.make({ id: "agent" })] })
    const bare = Workflow.make({ id: "w", steps: [draft, team] })
    holds<Same<OutputOf<typeof bare>, Json.Value>>()
    const ask = Step.make({ name: "ask", team })
    holds<Same<OutputOf<typeof ask>, Json.Value>>()
    holds<Same<NameOf<typeof ask>, "ask">>()
    const named = Workflow.make({ id: "w", steps: [draft, Step.make({ name: "ask", team: "team" })] })
    holds<Same<OutputOf<typeof named>, Json.Value>>()
    // @ts-expect-error -- shout wants a text, and a team may give anything
    Workflow.make({ id: "w", steps: [team, shout] })
  })

  it("a list has to accept the workflow's input", () => {
    const typed = Step.make({
      name: "typed",
      onError: "fail",
      run: ({ input }: StepInput<{ topic: string }>) => input.topic
    })
    const workflow = Workflow.make({ id: "w", inputSchema: z.object({ topic: z.string() }), steps: [typed] })
    holds<Same<OutputOf<typeof workflow>, string>>()
    const later = Step.make({
      name: "later",
      run: ({ input, workflowInput }: StepInput<string, { topic: string }>) => `${input} ${workflowInput.topic}`
    })
    Workflow.make({ id: "w", inputSchema: z.object({ topic: z.string() }), steps: [typed, later] })
    // @ts-expect-error -- the topic is a number
    Workflow.make({ id: "w", inputSchema: z.object({ topic: z.number() }), steps: [() => "x", later] })
    // @ts-expect-error -- the topic is a number
    Workflow.make({ id: "w", inputSchema: z.object({ topic: z.number() }), steps: [typed] })
  })
})

describe("steps with others in them", () => {
  it("a step with others in it gives the output of the last one", () => {
    const steps = Steps.make({ name: "steps", steps: [draft, count] })
    holds<Same<OutputOf<typeof steps>, number>>()
    const parallel = Parallel.make({ name: "parallel", steps: [draft, shout] })
    holds<Same<OutputOf<typeof parallel>, { readonly draft: Draft; readonly shout: string }>>()
    const sum = Step.make({
      name: "sum",
      run: ({ input }: StepInput<{ draft: Draft; shout: string }>) => input.draft.title + input.shout
    })
    Workflow.make({ id: "w", inputSchema: z.string(), steps: [parallel, sum] })
    const other = Step.make({ name: "other", run: ({ input }: StepInput<{ shout: number }>) => input.shout })
    // @ts-expect-error -- shout gives a text
    Workflow.make({ id: "w", inputSchema: z.string(), steps: [parallel, other] })
    const condition = Condition.make({ name: "condition", evaluator: true, steps: [count], elseSteps: [() => true] })
    holds<Same<OutputOf<typeof condition>, number | boolean>>()
    const alone = Condition.make({ name: "alone", evaluator: true, steps: [count] })
    holds<Same<OutputOf<typeof alone>, string | number>>()
    const untyped = Condition.make({
      name: "untyped",
      evaluator: true,
      steps: [({ input }) => String(input).length],
      elseSteps: [({ input }) => input === "yes"]
    })
    holds<Same<OutputOf<typeof untyped>, number | boolean>>()
    const router = Router.make({ name: "router", choices: [draft, shout], selector: () => "draft" })
    holds<Same<OutputOf<typeof router>, Draft | string>>()
  })

  it("a step with others in it is refused where their types do not fit", () => {
    // @ts-expect-error -- count wants a draft and is given a text
    Steps.make({ name: "steps", steps: [shout, count] })
    const both = Parallel.make({
      name: "both",
      steps: [
        count,
        Step.make({
          name: "again",
          run: ({ input }: StepInput<Draft>) => input.title
        })
      ]
    })
    Workflow.make({ id: "w", steps: [draft, both] })
    // @ts-expect-error -- the branches want a draft
    Workflow.make({ id: "w", steps: [() => 1, both] })
    // @ts-expect-error -- a round begins with a draft and ends with a number
    Loop.make({ name: "loop", steps: [count] })
    Loop.make({ name: "loop", steps: [shout] })
  })

  it("steps beside each other are refused with a sentence where they give no JSON or share a name", () => {
    const dated = Step.make({ name: "dated", run: () => ({ at: new Date() }) })
    const again = Step.make({ name: "draft", run: () => 1 })
    holds<
      Same<
        Beside<[typeof draft, typeof dated, typeof again]>,
        readonly [
          typeof draft,
          Refused<"Step 'dated' gives a value that is not JSON", Date>,
          Refused<"Two steps of this list are called 'draft'", "draft" | "dated">
        ]
      >
    >()
    // @ts-expect-error -- a date is not JSON
    Parallel.make({ name: "parallel", steps: [draft, dated] })
    // @ts-expect-error -- nor is one of a choice
    Router.make({ name: "router", choices: [draft, dated], selector: () => "draft" as const })
    assert.throws(() => {
      // @ts-expect-error -- both are called draft
      Parallel.make({ name: "parallel", steps: [draft, again] })
    }, "'draft'")
  })

  it("a router names only choices that it has", () => {
    // @ts-expect-error -- there is no such choice
    Router.make({ name: "router", choices: [draft, shout], selector: () => "nowhere" })
  })
})
