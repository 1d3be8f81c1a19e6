// The journal of a workflow run: finished steps and their results, decisions of functions, requirements and decisions
// of people. A replay repeats nothing that is in it. `StepKey` has the grammar of its keys.
import * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as StepOutput from "@svc-runtime/domain/StepOutput"
import * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import * as TeamRun from "@svc-runtime/domain/TeamRun"
import type { DurableJournal } from "@svc-runtime/engine/durable/DurableJournal"
import { StateChange } from "@svc-runtime/engine/session/StateChange"
import { Effect, Option, Schema } from "effect"
import * as StartedRun from "./StartedRun.ts"
import * as StepKey from "./StepKey.ts"

export const Decision = Schema.Struct({
  ...StepRequirement.DecisionInput.mapFields(({ id: _, step_id: __, ...fields }) => fields).fields,
  /** The caller, if they may approve. */
  approver: Schema.optionalKey(Schema.Struct({ user_id: Schema.NullOr(Schema.String) })),
  /** The decision was late: this happens instead. */
  late: Schema.optionalKey(StepRequirement.OnTimeout),
  /** A decision on a failed step. */
  error: Schema.optionalKey(Schema.Literals(["retry", "skip"]))
})
export type Decision = typeof Decision.Type

/** What a step was when the run began it. */
const Begun = Schema.Struct({
  name: Schema.String,
  /** Requirements of failed steps have none. */
  type: Schema.optionalKey(StepOutput.StepType),
  executor: Schema.optionalKey(StepOutput.ExecutorType)
})
export type Begun = typeof Begun.Type

/** The steps that the run has begun since the entry before, by their keys. Stored journals have none. */
const steps = Schema.optionalKey(Schema.Record(Schema.String, Begun))

const Finished = Schema.Struct({
  kind: Schema.Literal("finished"),
  key: Schema.String,
  /** Null: the step was skipped. */
  output: Schema.NullOr(StepOutput.StepOutput),
  state: Schema.optionalKey(StateChange),
  /** The runs of its executors. */
  runs: Schema.optionalKey(Schema.Array(Json.Object)),
  steps
})
export type Finished = typeof Finished.Type

const Chosen = Schema.Struct({ kind: Schema.Literal("chosen"), key: Schema.String, choice: Schema.Json, steps })

/** A `once` function is about to start. */
const Attempted = Schema.Struct({ kind: Schema.Literal("undertaken"), key: Schema.String, steps })

/** Stored journals have the kind `asked` for it. */
const RequirementEntry = Schema.Struct({
  kind: Schema.Literal("asked"),
  key: Schema.String,
  requirement: Schema.Union([StepRequirement.StepRequirement, StepRequirement.ErrorRequirement]),
  /** The paused team run. */
  asker: Schema.optionalKey(TeamRun.MemberResponse),
  /** Another paused run. */
  run: Schema.optionalKey(Json.Object),
  steps,
  /** The function of the step has asked something else before, which is still open. */
  beside: Schema.optionalKey(Schema.Literal(true))
})

const DecisionOfStep = Schema.Struct({
  step_id: Schema.String,
  /** Of the requirement, if it is not the open one of the step. */
  key: Schema.optionalKey(Schema.String),
  decision: Decision
})
export type DecisionOfStep = typeof DecisionOfStep.Type

const Decided = Schema.Struct({
  kind: Schema.Literal("decided"),
  ...DecisionOfStep.fields,
  /** Decisions about other steps, by the same request. */
  others: Schema.optionalKey(Schema.Array(DecisionOfStep)),
  /** Of the run from here on. */
  metadata: Schema.optionalKey(Json.Object)
})

/** All decisions of the request. */
export const decisionsIn = (entry: typeof Decided.Type): ReadonlyArray<DecisionOfStep> => [
  entry,
  ...entry.others ?? []
]

/** An entry of an executor's own journal. */
const Executor = Schema.Struct({
  kind: Schema.Literal("executor"),
  /** Its run. */
  key: Run.Id,
  entry: Json.Object,
  /** The requirement that it answers. */
  answers: Schema.optionalKey(Schema.String)
})

/** An entry of the durable calls of the function of a step. */
const DurableEntry = Schema.Struct({
  kind: Schema.Literal("durable"),
  key: Schema.String,
  entry: Json.Object,
  steps
})

export const Entry = Schema.Union([Finished, Chosen, Attempted, RequirementEntry, Decided, Executor, DurableEntry])
export type Entry = typeof Entry.Type

const codec = Schema.toCodecJson(Entry)

/** What the requests that continued the run have changed of its metadata. */
export const metadataIn = (entries: ReadonlyArray<Entry>): Json.Object =>
  Object.assign({}, ...entries.map((entry) => entry.kind === "decided" ? entry.metadata : undefined))

/** Written by this service, so a decoding failure is a defect. */
export const decode = Schema.decodeUnknownEffect(Schema.Array(codec))
const encodeEntry = Schema.encodeSync(codec)
export const encode = (entry: Entry): Json.Object => encodeEntry(entry) as Json.Object

export interface WorkflowJournal {
  readonly finished: (key: string) => Finished | undefined
  readonly chosen: (key: string) => Json.Value | undefined
  /** Whether it had started: its outcome is then unknown. */
  readonly isAttempted: (key: string) => boolean
  readonly requirementOf: (
    key: string
  ) => StepRequirement.StepRequirement | StepRequirement.ErrorRequirement | undefined
  /** All requirements with their keys, in order. */
  readonly asked: () => ReadonlyArray<readonly [key: string, requirement: Requirement]>
  /** The paused team run. */
  readonly requesterOf: (key: string) => TeamRun.MemberResponse | undefined
  readonly decisionOf: (key: string) => Decision | undefined
  /** Whether a requirement waits for a decision, and its step can still get it. */
  readonly isOpen: (key: string) => boolean
  /** Whether the executor got the decision. */
  readonly isForwarded: (key: string) => boolean
  /** The run begins the step: the next entry says so. */
  readonly begin: (key: string, step: Begun) => void
  /** The steps of one workflow that the run has begun. What is inside of an ended step is left out. */
  readonly begunIn: (prefix: StepKey.Prefix) => ReadonlyArray<BegunStep>
  /** Whether the journal has any entry of the step. */
  readonly hasStarted: (key: string) => boolean
  /** The requirements of executors without a decision. */
  readonly pendingExecutors: () => ReadonlyArray<
    { readonly key: string; readonly requirement: StepRequirement.StepRequirement }
  >
  /** Whether the run failed or was cancelled. The next attempt of its step has another one. */
  readonly hasFailed: (run: Run.Id) => boolean
  /** The runs that ended or paused, those of nested workflows last. */
  readonly runs: () => ReadonlyArray<Json.Object>
  /** Those of one workflow: the outermost, or the one with this key prefix. */
  readonly runsIn: (prefix: StepKey.Prefix) => ReadonlyArray<Json.Object>
  readonly startedRuns: () => ReadonlyArray<StartedRun.StartedRun>
  /** Changes of the session state by steps since the last resume, in order. */
  readonly unstoredChanges: () => ReadonlyArray<StateChange>
  /** The failed steps that wait for a decision, in order. */
  readonly openErrors: () => ReadonlyArray<StepRequirement.ErrorRequirement>
  /** All requirements in order, with their decisions. */
  readonly requirements: () => ReadonlyArray<
    { readonly key: string; readonly requirement: StepRequirement.StepRequirement }
  >
  readonly inner: (run: Run.Id) => ReadonlyArray<Json.Object>
  /** The entries of the durable calls of a step. */
  readonly durable: (key: string) => ReadonlyArray<Json.Object>
  /** The key of the open requirement of a step. */
  readonly openOf: (step_id: string) => string | undefined
  /** From now on the step has an open requirement: one at a time. */
  readonly reserve: (step_id: string, key: string) => void
  /** `emit` emits the events of the entry, which are stored with it. */
  readonly append: (entry: Entry, emit?: () => void) => Effect.Effect<void>
}

type Requirement = typeof RequirementEntry.Type["requirement"]

const isError = (requirement: Requirement): requirement is StepRequirement.ErrorRequirement =>
  "error_message" in requirement

export interface BegunStep {
  readonly key: string
  readonly step: Begun
  /** It has a result, or was left out. */
  readonly isEnded: boolean
  /** What it has asked people, without the questions of its executor. */
  readonly requirements: ReadonlyArray<StepRequirement.StepRequirement>
}

/** What an entry of any version says of its step. */
const begunOf = (entry: Entry): readonly [string, Begun] | undefined => {
  if (entry.kind === "finished" && entry.output !== null) {
    const { step_name: name, step_type: type } = entry.output
    return [StepKey.ofEntry(entry.key), { name, type }]
  }
  if (entry.kind !== "asked") return undefined
  const { key, requirement } = entry
  const { step_name: name } = requirement
  if (isError(requirement)) return [StepKey.ofEntry(key), { name }]
  const { executor_type: executor, step_type: type } = requirement
  const isOfExecutor = executor !== undefined && !StepKey.isOfDurableCall(key)
  return [StepKey.ofEntry(key), { name, type, ...(isOfExecutor ? { executor } : {}) }]
}

/** The requirement of a call with what was sent about it: that can be its id and the decision alone. */
const withSent = (stored: Json.Object, sent: Json.Object): Json.Object => ({
  ...stored,
  ...sent,
  ...(Json.isObject(stored["tool_execution"])
    ? { tool_execution: { ...stored["tool_execution"], ...sent["tool_execution"] as Json.Object | undefined } }
    : {})
})

/** Those without a decision stay as they are. */
const callsWith = (
  stored: ReadonlyArray<Json.Value>,
  sent: ReadonlyArray<Json.Value>
): ReadonlyArray<Json.Value> =>
  stored.map((each) => {
    if (!Json.isObject(each)) return each
    const call = each["tool_execution"]
    const of = sent.find((one): one is Json.Object =>
      Json.isObject(one) && (typeof one["id"] === "string"
        ? one["id"] === each["id"]
        : Json.isObject(one["tool_execution"]) && Json.isObject(call) &&
          one["tool_execution"]["tool_call_id"] === call["tool_call_id"])
    )
    return of === undefined ? each : withSent(each, of)
  })

/** A requirement with its decision. */
export const withDecision = (
  requirement: StepRequirement.StepRequirement,
  { approver: _, error: __, executor_requirements, late: ___, ...given }: Decision
): StepRequirement.StepRequirement => ({
  ...requirement,
  ...given,
  ...(executor_requirements === undefined || executor_requirements === null ||
      requirement.executor_requirements === undefined
    ? {}
    : { executor_requirements: callsWith(requirement.executor_requirements, executor_requirements) }),
  confirmed: given.confirmed ?? requirement.confirmed,
  user_input: given.user_input ?? requirement.user_input,
  selected_choices: given.selected_choices ?? requirement.selected_choices,
  rejection_feedback: given.rejection_feedback ?? requirement.rejection_feedback
})

/** Of the function of a step. */
export const durableCalls = (
  { append, decisionOf, durable }: WorkflowJournal,
  key: string
): DurableJournal => ({
  entries: () => durable(key),
  record: (entry) => append({ kind: "durable", key, entry }),
  decisions: () => {
    for (let round = 0;; round++) if (decisionOf(StepKey.attempt(key, round))?.error !== "retry") return round
  }
})

/** `store` persists an entry; its effects are shown only afterwards. `resumedAt` as in `RunJournal`. */
export const make = (
  entries: ReadonlyArray<Entry>,
  store: (entry: Entry, emit?: () => void) => Effect.Effect<void>,
  resumedAt = 0
): WorkflowJournal => {
  const finished = new Map<string, Finished>()
  const choices = new Map<string, Json.Value>()
  const undertaken = new Set<string>()
  const questions = new Map<string, Requirement>()
  const askers = new Map<string, TeamRun.MemberResponse>()
  const decisions = new Map<string, Decision>()
  const handed = new Set<string>()
  const begun = new Set<string>()
  const inner = new Map<Run.Id, Array<Json.Object>>()
  const durable = new Map<string, Array<Json.Object>>()
  const started = new Map<string, StartedRun.StartedRun>()
  const failed = new Set<Run.Id>()
  /** By their ids, in the order of their ends. */
  const runs = new Map<Json.Value | undefined, { readonly key: string; readonly run: Json.Object }>()
  const steps = new Map<string, Begun>()
  /** What they have asked people, without the questions of their executors. */
  const questionsOf = new Map<string, ReadonlyArray<StepRequirement.StepRequirement>>()
  /** No entry has them yet. */
  const unwritten = new Map<string, Begun>()
  /** The open requirements, by step. */
  const open = new Map<string, string>()
  /** Those of functions that have failed while they waited: they are open again after the decision on the failure. */
  const beneath = new Map<string, string>()

  const keep = (key: string, run: Json.Object) => {
    runs.delete(run["run_id"])
    runs.set(run["run_id"], { key, run })
  }

  const choose = ({ choice, key }: typeof Chosen.Type) => {
    choices.set(key, choice)
    if (StepKey.isFailedRun(key) && Json.isObject(choice)) {
      keep(key, choice)
      failed.add(Run.Id.make(String(choice["run_id"])))
    }
    const run = StepKey.isExecutorRun(key) ? StartedRun.decode(choice) : Option.none()
    if (Option.isSome(run)) started.set(run.value.run_id, run.value)
  }

  const request = ({ asker, beside, key, requirement, run }: typeof RequirementEntry.Type) => {
    const { step_id } = requirement
    const waiting = open.get(step_id)
    questions.set(key, requirement)
    if (!isError(requirement) && !StepKey.isOfDurableCall(key) && !StepKey.isOfRun(key)) {
      const step = StepKey.ofEntry(key)
      questionsOf.set(step, [...questionsOf.get(step) ?? [], requirement])
    }
    if (beside === true) return
    open.set(step_id, key)
    if (isError(requirement) && waiting !== undefined) beneath.set(step_id, waiting)
    if (asker !== undefined) askers.set(key, asker)
    const paused = run ?? (asker && Json.of(asker) as Json.Object)
    if (paused !== undefined) keep(key, paused)
    // stored journals do not have the runs of failed steps
    const attempted = isError(requirement) ? choices.get(StepKey.executorRun(StepKey.attempted(key))) : undefined
    const begun = StartedRun.decode(attempted)
    if (Option.isSome(begun)) failed.add(begun.value.run_id)
  }

  const identify = (entry: Exclude<Entry, { readonly kind: "decided" | "executor" }>) => {
    for (const [key, step] of Object.entries(entry.steps ?? {})) steps.set(key, step)
    const known = begunOf(entry)
    if (known !== undefined && !steps.has(known[0])) steps.set(...known)
  }

  /** Its steps are not visited any more. */
  const isOver = (key: string) =>
    [key, StepKey.unreviewed(key), StepKey.withoutRepetition(key)].some((each) => finished.has(each)) ||
    choices.has(StepKey.failure(key))

  const isOpen = (key: string) =>
    !decisions.has(key) && !handed.has(key) &&
    !finished.has(StepKey.withoutRepetition(StepKey.ofEntry(key))) && !StepKey.containing(key).some(isOver)

  /** With the steps that the run has begun since the last entry. The result of a step says itself which it is. */
  const written = (entry: Entry): Entry => {
    if (entry.kind === "decided" || entry.kind === "executor" || unwritten.size === 0) return entry
    if (entry.kind === "finished" && entry.output !== null) unwritten.delete(entry.key)
    const steps = Object.fromEntries(unwritten)
    unwritten.clear()
    return Object.keys(steps).length === 0 ? entry : { ...entry, steps }
  }

  const take = (entry: Entry) => {
    if (entry.kind === "executor") {
      inner.set(entry.key, [...inner.get(entry.key) ?? [], entry.entry])
      if (entry.answers !== undefined) handed.add(entry.answers)
      return
    }
    if (entry.kind === "durable") {
      const entries = durable.get(entry.key) ?? []
      durable.set(entry.key, entries)
      entries.push(entry.entry)
      begun.add(entry.key)
      identify(entry)
      return
    }
    if (entry.kind === "decided") {
      for (const { decision, key: named, step_id } of decisionsIn(entry)) {
        const key = open.get(step_id)
        if (named !== undefined && named !== key) decisions.set(named, decision)
        if (key === undefined || (named !== undefined && named !== key)) continue
        const waiting = beneath.get(step_id)
        beneath.delete(step_id)
        if (waiting === undefined) open.delete(step_id)
        else open.set(step_id, waiting)
        decisions.set(key, decision)
      }
      return
    }
    for (const key of StepKey.containing(entry.key)) begun.add(key)
    identify(entry)
    if (entry.kind === "finished") {
      finished.set(entry.key, entry)
      for (const run of entry.runs ?? []) keep(entry.key, run)
    } else if (entry.kind === "chosen") choose(entry)
    else if (entry.kind === "undertaken") undertaken.add(entry.key)
    else request(entry)
  }
  entries.forEach(take)

  return {
    finished: (key) => finished.get(key),
    chosen: (key) => choices.get(key),
    isAttempted: (key) => undertaken.has(key),
    requirementOf: (key) => questions.get(key),
    asked: () => [...questions],
    requesterOf: (key) => askers.get(key),
    decisionOf: (key) => decisions.get(key),
    isOpen,
    isForwarded: (key) => handed.has(key),
    pendingExecutors: () =>
      [...questions].flatMap(([key, requirement]) =>
        !isError(requirement) && requirement.requires_executor_input === true && !handed.has(key)
          ? [{ key, requirement }]
          : []
      ),
    begin: (key, step) => {
      if (!steps.has(key)) unwritten.set(key, step)
    },
    begunIn: (prefix) =>
      [...steps].flatMap(([key, step]) =>
        !StepKey.isIn(prefix, key) || StepKey.containing(key).some(isOver)
          ? []
          : [{ key, step, isEnded: isOver(key), requirements: questionsOf.get(key) ?? [] }]
      ),
    hasStarted: (key) => begun.has(key),
    inner: (run) => inner.get(run) ?? [],
    durable: (key) => durable.get(key) ?? [],
    openOf: (step_id) => open.get(step_id),
    reserve: (step_id, key) => void open.set(step_id, key),
    hasFailed: (run) => failed.has(run),
    runs: () =>
      [...runs.values()]
        .toSorted((left, right) => StepKey.depth(left.key) - StepKey.depth(right.key))
        .map(({ run }) => run),
    runsIn: (prefix) => [...runs.values()].flatMap(({ key, run }) => StepKey.isIn(prefix, key) ? [run] : []),
    startedRuns: () => [...started.values()],
    // changes under review have no effect
    unstoredChanges: () => {
      const stored = new Set(entries.slice(0, resumedAt))
      return [...finished.values()].flatMap((entry) =>
        entry.state === undefined || StepKey.isUnreviewed(entry.key) || stored.has(entry) ? [] : [entry.state]
      )
    },
    openErrors: () => {
      const keys = new Set(open.values())
      return [...questions].flatMap(([key, requirement]) =>
        isError(requirement) && keys.has(key) && isOpen(key) ? [requirement] : []
      )
    },
    requirements: () =>
      [...questions].flatMap(([key, requirement]) => {
        if (isError(requirement)) return []
        const decision = decisions.get(key)
        return [{ key, requirement: decision === undefined ? requirement : withDecision(requirement, decision) }]
      }),
    append: (entry, emit) =>
      Effect.suspend(() => {
        const whole = written(entry)
        return Effect.map(store(whole, emit), () => take(whole))
      })
  }
}
