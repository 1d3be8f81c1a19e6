// The components of the service that is killed: an agent, a team with a team in it, and a workflow with steps of
// every kind. Each of their side effects is reported to the ledger, with the run that made it.
import * as Hook from "@svc-runtime/agents/agent/define/Hook"
import * as ComponentTool from "@svc-runtime/agents/nested/ComponentTool"
import * as Condition from "@svc-runtime/agents/workflow/define/Condition"
import * as Loop from "@svc-runtime/agents/workflow/define/Loop"
import * as Parallel from "@svc-runtime/agents/workflow/define/Parallel"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import type { StepInput } from "@svc-runtime/agents/workflow/define/StepInput"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import { Effect, Schema } from "effect"
import * as Points from "./Points.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import * as Tasks from "./Tasks.ts"

const ledger = process.env["LEDGER_URL"] ?? ""

interface Doing {
  readonly effectId: string
  /** Named as the outermost run. */
  readonly sessionId: string
}

/** Blocks the whole process, as a long computation does, at the run and the node that its name has. */
const hold = (run: string) => {
  const millis = Number(/^blocks-(\d+)-/.exec(run)?.[1] ?? 0)
  if (millis > 0 && process.env["NODE_NAME"] === "a") {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)
  }
}

const act = async (name: SideEffectLog.ToolName, { effectId, sessionId }: Doing): Promise<string> => {
  if (name === "pay") hold(sessionId)
  const headers = { "idempotency-key": effectId, "content-type": "text/plain" }
  const answer = await fetch(`${ledger}/effects/${name}`, { method: "POST", headers, body: sessionId })
  return answer.text()
}

const tool = (name: SideEffectLog.ToolName, effects: Tool.Effects, approval?: "required") =>
  Tool.make({
    name,
    effects,
    approval,
    parameters: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
    execute: (_, context) => act(name, context)
  })

const reserve = tool("reserve", "idempotent")
const pay = tool("pay", "once")

export const buyer = Agent.make({ id: "buyer", tools: [tool("look", "read"), reserve, pay] })

const dies = (stage: keyof Hook.RunHook) => ({ context }: { readonly context: RunContext }) => {
  const run = Points.runIn(context.sessionId)
  if (run !== undefined) Points.reach(run, stage.toLowerCase(), "hook")
}

/** Its process can die in each of its hooks. Only they give its tools what they accept, and the run its receipts. */
const hooks: ReadonlyArray<Hook.RunHook> = [
  {
    name: "dies",
    beforeRun: dies("beforeRun"),
    afterRun: dies("afterRun"),
    beforeModel: dies("beforeModel"),
    afterModel: dies("afterModel"),
    beforeTool: dies("beforeTool"),
    afterTool: dies("afterTool")
  },
  {
    name: "changes",
    beforeRun: ({ input }) => Hook.change(`${String(input.input_content)}, please`),
    beforeTool: () => Hook.change({ what: "changed" }),
    afterTool: ({ result }) => Hook.change(result.replace(" as it was", ""))
  }
]

const changed = (name: SideEffectLog.ToolName, effects: Tool.Effects) =>
  Tool.make({
    name,
    effects,
    parameters: { type: "object", properties: { what: { const: "changed" } }, required: ["what"] },
    execute: async (_, context) => `${await act(name, context)} as it was`
  })

export const guarded = Agent.make({
  id: "guarded",
  hooks,
  tools: [changed("look", "read"), changed("reserve", "idempotent"), changed("pay", "once")]
})

/** Reserves only what was approved. */
export const clerk = Agent.make({ id: "clerk", tools: [tool("reserve", "idempotent", "required")] })

const timeout = "3 seconds"
const parameters = { type: "object", properties: { what: { type: "string" } }, required: ["what"] } as const
const never: Hook.RunHook = { name: "never", beforeModel: () => Effect.never }

/** Its runs end at their time limit. */
export const limited = Agent.make({ id: "limited", runTimeout: timeout, hooks: [never] })

const endless = Agent.make({ id: "endless", inputSchema: parameters, hooks: [never] })

/** The run of its tool is cancelled at the time limit of the call. */
export const patient = Agent.make({
  id: "patient",
  tools: [ComponentTool.make({ component: endless, name: "pay", timeout })]
})

/** A background job with one side effect, which is idempotent. */
export const delivery = JobKind.make({
  name: "delivery",
  payload: Schema.Struct({ run: Schema.String }),
  handle: ({ run }) => Effect.promise(() => act("reserve", { effectId: run, sessionId: run }))
})

const office = Team.make({ id: "office", members: [buyer], tools: [reserve] })
export const desk = Team.make({ id: "desk", members: [buyer, office], tools: [pay] })

/** Its member works in the background. */
export const dispatch = Team.make({ id: "dispatch", members: [buyer], backgroundMembers: { buyer: true } })

const reserving = (name: string) =>
  Step.make({ name, effects: "idempotent", run: (input: StepInput) => act("reserve", input) })
const paying = (name: string) => Step.make({ name, run: (input: StepInput) => act("pay", input) })

/** Says to the next step what it is to do. */
const asking = (name: string, task: Tasks.Task) =>
  Step.make({ name, effects: "read", run: ({ sessionId }: StepInput) => Tasks.tell(task, sessionId) })

const summary = Step.make({
  name: "summary",
  effects: "read",
  run: ({ previousStepOutputs }: StepInput) =>
    SideEffectLog.receiptsIn(JSON.stringify(previousStepOutputs)).map((receipt) => `[${receipt}]`).join()
})

export const purchase = Workflow.make({
  id: "purchase",
  steps: [
    Parallel.make({ name: "together", steps: [reserving("book"), paying("deposit"), paying("fee")] }),
    Condition.make({
      name: "still wanted",
      evaluator: () => true,
      steps: [asking("ask", "Pay"), Step.make({ name: "buy", agent: buyer })]
    }),
    Loop.make({ name: "rates", maxIterations: 2, steps: [paying("rate")] }),
    asking("entrust", "Settle"),
    Step.make({ name: "settle", team: office }),
    summary
  ]
})
