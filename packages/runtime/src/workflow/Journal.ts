// What a run of a workflow has done so far, as a list that only grows: which steps are finished and with what, which way
// it went where there were several, what people were asked and what they said. A run that is started again with its list
// does nothing twice that is in it.
//
// Keys are places in the tree: `1/0` is the first step in the second one, `2/#3/0` that of the third round of a loop.
import { Json, Run, StepOutput, StepRequirement, TeamRun } from "@svc/domain"
import { Effect, Schema } from "effect"
import { StateChange } from "../session/StateChange.ts"

export const Decision = Schema.Struct({
  ...StepRequirement.DecisionInput.mapFields(({ step_id: _, ...fields }) => fields).fields,
  /** Who said it, if they may give what needs an approval. */
  approver: Schema.optionalKey(Schema.Struct({ user_id: Schema.NullOr(Schema.String) })),
  /** It came too late: this is done instead of what it says. */
  late: Schema.optionalKey(StepRequirement.OnTimeout),
  /** About a step that has failed. */
  error: Schema.optionalKey(Schema.Literals(["retry", "skip"]))
})
export type Decision = typeof Decision.Type

const Finished = Schema.Struct({
  type: Schema.Literal("finished"),
  key: Schema.String,
  /** Null: the step was left out. */
  output: Schema.NullOr(StepOutput.StepOutput),
  state: Schema.optionalKey(StateChange),
  /** Of the agents, teams and workflows that did it. */
  runs: Schema.optionalKey(Schema.Array(Json.Object))
})
export type Finished = typeof Finished.Type

const Chosen = Schema.Struct({ type: Schema.Literal("chosen"), key: Schema.String, choice: Schema.Json })

/** What must not be done twice is about to be done. */
const Attempted = Schema.Struct({ type: Schema.Literal("undertaken"), key: Schema.String })

const RequirementEntry = Schema.Struct({
  type: Schema.Literal("asked"),
  key: Schema.String,
  requirement: Schema.Union([StepRequirement.StepRequirement, StepRequirement.ErrorRequirement]),
  /** The team's run that asks, as it is then. */
  asker: Schema.optionalKey(TeamRun.Output)
})

const Decided = Schema.Struct({ type: Schema.Literal("decided"), step_id: Schema.String, decision: Decision })

/** What an agent or a team has written into its own journal, while it does a step. */
const Inner = Schema.Struct({
  type: Schema.Literal("inner"),
  run_id: Run.Id,
  entry: Json.Object,
  /** The question whose answer it is. */
  answers: Schema.optionalKey(Schema.String)
})

export const Entry = Schema.Union([Finished, Chosen, Attempted, RequirementEntry, Decided, Inner])
export type Entry = typeof Entry.Type

const codec = Schema.toCodecJson(Entry)

/** What this service has written itself: that it cannot be read is a defect. */
export const decode = Schema.decodeUnknownEffect(Schema.Array(codec))
const encodeEntry = Schema.encodeSync(codec)
export const encode = (entry: Entry): Json.Object => encodeEntry(entry) as Json.Object

export interface Journal {
  readonly finished: (key: string) => Finished | undefined
  readonly chosen: (key: string) => Json.Value | undefined
  /** Whether it was about to be done: nobody knows how far that has come. */
  readonly isAttempted: (key: string) => boolean
  readonly requirementOf: (
    key: string
  ) => StepRequirement.StepRequirement | StepRequirement.ErrorRequirement | undefined
  /** The team's run that has asked, as it was then. */
  readonly requesterOf: (key: string) => TeamRun.Output | undefined
  readonly decisionOf: (key: string) => Decision | undefined
  /** Whether whoever has asked was told the answer. */
  readonly isForwarded: (key: string) => boolean
  /** Whether anything in the step is there already. */
  readonly hasStarted: (key: string) => boolean
  /** What agents and teams wait for that were told no answer. */
  readonly pendingExecutors: () => ReadonlyArray<
    { readonly key: string; readonly requirement: StepRequirement.StepRequirement }
  >
  /** What agents, teams and workflows said in one workflow: the outermost, or the one whose keys begin with this. */
  readonly runsIn: (prefix: string) => ReadonlyArray<Json.Object>
  /** What steps have changed in the state of the session since the run was last resumed, in their order. */
  readonly unstoredChanges: () => ReadonlyArray<StateChange>
  /** Everything that people were asked, in that order, with what they said. */
  readonly requirements: () => ReadonlyArray<StepRequirement.StepRequirement>
  readonly inner: (run: Run.Id) => ReadonlyArray<Json.Object>
  readonly append: (entry: Entry) => Effect.Effect<void>
}

type Requirement = typeof RequirementEntry.Type["requirement"]

const isError = (requirement: Requirement): requirement is StepRequirement.ErrorRequirement =>
  "error_message" in requirement

/** A requirement with what was decided in it. */
export const withDecision = (
  requirement: StepRequirement.StepRequirement,
  { approver: _, error: __, executor_requirements, late: ___, ...said }: Decision
): StepRequirement.StepRequirement => ({
  ...requirement,
  ...said,
  ...(executor_requirements === undefined || executor_requirements === null ? {} : { executor_requirements }),
  confirmed: said.confirmed ?? requirement.confirmed,
  user_input: said.user_input ?? requirement.user_input,
  selected_choices: said.selected_choices ?? requirement.selected_choices,
  rejection_feedback: said.rejection_feedback ?? requirement.rejection_feedback
})

/** The places that a key is in. */
const above = (key: string): ReadonlyArray<string> => {
  const parts = key.split("/")
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"))
}

/** `store` keeps an entry for good; what happens with it is told to nobody before that. `resumedAt` as in `RunJournal`. */
export const make = (
  entries: ReadonlyArray<Entry>,
  store: (entry: Entry) => Effect.Effect<void>,
  resumedAt = 0
): Journal => {
  const finished = new Map<string, Finished>()
  const choices = new Map<string, Json.Value>()
  const undertaken = new Set<string>()
  const questions = new Map<string, Requirement>()
  const askers = new Map<string, TeamRun.Output>()
  const decisions = new Map<string, Decision>()
  const handed = new Set<string>()
  const begun = new Set<string>()
  const inner = new Map<Run.Id, Array<Json.Object>>()
  /** The questions that nobody has answered, by the step they are about. */
  const open = new Map<string, string>()

  const take = (entry: Entry) => {
    if (entry.type === "inner") {
      inner.set(entry.run_id, [...inner.get(entry.run_id) ?? [], entry.entry])
      if (entry.answers !== undefined) handed.add(entry.answers)
      return
    }
    if (entry.type === "decided") {
      const key = open.get(entry.step_id)
      if (key === undefined) return
      open.delete(entry.step_id)
      decisions.set(key, entry.decision)
      return
    }
    for (const key of above(entry.key)) begun.add(key)
    if (entry.type === "finished") finished.set(entry.key, entry)
    else if (entry.type === "chosen") choices.set(entry.key, entry.choice)
    else if (entry.type === "undertaken") undertaken.add(entry.key)
    else {
      questions.set(entry.key, entry.requirement)
      if (entry.asker !== undefined) askers.set(entry.key, entry.asker)
      open.set(entry.requirement.step_id, entry.key)
    }
  }
  entries.forEach(take)

  return {
    finished: (key) => finished.get(key),
    chosen: (key) => choices.get(key),
    isAttempted: (key) => undertaken.has(key),
    requirementOf: (key) => questions.get(key),
    requesterOf: (key) => askers.get(key),
    decisionOf: (key) => decisions.get(key),
    isForwarded: (key) => handed.has(key),
    pendingExecutors: () =>
      [...questions].flatMap(([key, requirement]) =>
        !isError(requirement) && requirement.requires_executor_input === true && !handed.has(key)
          ? [{ key, requirement }]
          : []
      ),
    hasStarted: (key) => begun.has(key),
    inner: (run) => inner.get(run) ?? [],
    runsIn: (prefix) =>
      [...finished.values()].flatMap(({ key, runs = [] }) =>
        key.startsWith(prefix) && !key.slice(prefix.length).includes("/>/") ? runs : []
      ),
    // what nobody has agreed to yet changes nothing
    unstoredChanges: () => {
      const stored = new Set(entries.slice(0, resumedAt))
      return [...finished.values()].flatMap((entry) =>
        entry.state === undefined || entry.key.endsWith("=") || stored.has(entry) ? [] : [entry.state]
      )
    },
    requirements: () =>
      [...questions].flatMap(([key, requirement]) => {
        if (isError(requirement)) return []
        const decision = decisions.get(key)
        return [decision === undefined ? requirement : withDecision(requirement, decision)]
      }),
    append: (entry) => Effect.map(store(entry), () => take(entry))
  }
}
