// Runs a workflow without stores: its journal is a list, agents are scripted, and a run can be killed
// after any entry and started again with what it had written until then.
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import * as Time from "@svc-runtime/domain/Time"
import type * as WorkflowRun from "@svc-runtime/domain/WorkflowRun"
import type { RunResult, Start } from "@svc-runtime/engine/run/Runnable"
import { Clock, Deferred, Effect, Fiber } from "effect"
import type { AgentCommand } from "../../src/agent/execute/AgentCommand.ts"
import type { PrepareMember } from "../../src/nested/InnerCommand.ts"
import type { AnyWorkflow } from "../../src/workflow/define/Node.ts"
import * as WorkflowJournal from "../../src/workflow/execute/WorkflowJournal.ts"
import type { WorkflowCommand } from "../../src/workflow/WorkflowCommand.ts"
import * as WorkflowRunner from "../../src/workflow/WorkflowRunner.ts"

export interface Given {
  readonly input?: Json.Value
  readonly sessionState?: Json.Object
  /** What the run has written before. */
  readonly entries?: ReadonlyArray<WorkflowJournal.Entry>
  /** Where its entries are kept, for a run that does not come to an end. */
  readonly kept?: Array<WorkflowJournal.Entry>
  readonly agent?: (command: AgentCommand) => Partial<Run.Output>
}

export interface Ran extends RunResult<WorkflowRun.Output> {
  /** With the last one. */
  readonly events: ReadonlyArray<{ readonly event: string; readonly [key: string]: unknown }>
  readonly kinds: ReadonlyArray<string>
  readonly entries: ReadonlyArray<WorkflowJournal.Entry>
}

const runId = Run.Id.make("34ba501d-7d52-436b-a243-44dd0ac3372c")

const answer = (given: Given): PrepareMember => (command) => {
  if ("team" in command) return Effect.die(new Error("There are no teams here: TeamStep.test.ts has them"))
  const { agent, input, run_id } = command
  const output: Run.Output = {
    run_id,
    agent_id: agent.id,
    session_id: "session",
    content: `${agent.id}: ${Run.textOf(input.input_content)}`,
    content_type: "str",
    created_at: 0,
    status: "COMPLETED",
    metrics: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    ...given.agent?.(command)
  }
  return Effect.succeed({
    component: {
      kind: "agent",
      id: agent.id,
      tags: { agent_id: agent.id, agent_name: agent.name },
      data: {},
      metadata: null
    },
    options: {},
    history: 0,
    isSerialized: false,
    startEvent: { event: "RunStarted", model: "m", model_provider: "p" },
    entries: [],
    run: () => Effect.succeedSome({ output, endEvent: { event: "RunContentCompleted" }, stateChanges: undefined })
  })
}

export const commandOf = (workflow: AnyWorkflow, given: Given): WorkflowCommand => ({
  workflow,
  run_id: runId,
  session_id: Session.Id.make("session"),
  user_id: undefined,
  isolated: false,
  input: { input_content: given.input ?? "go" },
  stream: true,
  background: false,
  session_state: undefined,
  dependencies: {},
  metadata: undefined,
  memory: undefined,
  knowledge_filters: undefined
})

const startOf = (given: Given, createdAt: number): Omit<Start, "emit" | "journal"> => ({
  snapshot: { session_state: given.sessionState ?? {}, history: [] },
  createdAt,
  cancellation: { reason: undefined },
  isContinued: given.entries !== undefined
})

export const run = Effect.fnUntraced(function*(workflow: AnyWorkflow, given: Given = {}) {
  const events: Array<RunEvent.Payload | RunEvent.Inner> = []
  const entries: Array<WorkflowJournal.Entry> = given.kept ?? []
  entries.push(...(given.entries ?? []))
  const runnable = WorkflowRunner.make(commandOf(workflow, given), {
    prepare: answer(given),
    approvalsOf: () => Effect.succeed([]),
    endApprovals: () => Effect.void
  })
  if (given.entries === undefined) events.push(runnable.startEvent)
  const ended = yield* Effect.flatMap(
    runnable.run({
      ...startOf(given, Time.fromMillis(yield* Clock.currentTimeMillis)),
      emit: (event) => events.push(event),
      journal: {
        attempt: 1,
        entries: entries.map(WorkflowJournal.encode),
        underLease: (_, effect) => effect,
        record: (entry) =>
          Effect.map(Effect.orDie(WorkflowJournal.decode([entry])), (decoded) => void entries.push(...decoded))
      }
    }),
    Effect.fromOption
  )
  const all = [...events, ended.endEvent] as unknown as Ran["events"]
  const ran: Ran = { ...ended, events: all, kinds: all.map(({ event }) => event), entries }
  return ran
})

/** The entries that are there when the process dies after so many of them. */
export const die = Effect.fnUntraced(function*(workflow: AnyWorkflow, after: number, given: Given = {}) {
  const entries: Array<Json.Object> = []
  const dead = yield* Deferred.make<void>()
  const runnable = WorkflowRunner.make(commandOf(workflow, given), {
    prepare: answer(given),
    approvalsOf: () => Effect.succeed([]),
    endApprovals: () => Effect.void
  })
  const fiber = yield* Effect.forkChild(runnable.run({
    ...startOf(given, 0),
    emit: () => {},
    journal: {
      attempt: 1,
      entries: [],
      underLease: (_, effect) => effect,
      record: (entry) =>
        entries.length < after
          ? Effect.sync(() => void entries.push(entry))
          : Effect.andThen(Deferred.succeed(dead, undefined), Effect.never)
    }
  }))
  yield* Effect.raceFirst(Deferred.await(dead), Fiber.await(fiber))
  yield* Fiber.interrupt(fiber)
  return yield* Effect.orDie(WorkflowJournal.decode(entries))
})

/** The decision of a person about the last requirement of the run. */
export const decided = (ran: Ran, decision: WorkflowJournal.Decision, name?: string) => {
  const request = ran.entries.findLast((entry) =>
    entry.kind === "asked" && (name === undefined || entry.requirement.step_name === name)
  )
  const step_id = request?.kind === "asked" ? request.requirement.step_id : ""
  const entry: WorkflowJournal.Entry = { kind: "decided", step_id, decision }
  return [...ran.entries, entry]
}

/** Continues with a decision. */
export const go = (workflow: AnyWorkflow, ran: Ran, decision: WorkflowJournal.Decision, given: Given = {}) =>
  run(workflow, { ...given, entries: decided(ran, decision) })

export const namesOf = (outputs: ReadonlyArray<{ readonly step_name: string }> | undefined) =>
  (outputs ?? []).map(({ step_name }) => step_name)
