// Follows a run to its end: shows what it does, and at a terminal asks for the decisions that it waits for.
import { decideSteps } from "@svc-runtime/client"
import * as Json from "@svc-runtime/domain/Json"
import type { ErrorRequirement, StepRequirement } from "@svc-runtime/domain/StepRequirement"
import { Deferred, Effect, Fiber, Option } from "effect"
import { CommandFailed } from "../CliError.ts"
import type { Answer } from "../CommandResult.ts"
import type { Outcome } from "../Exit.ts"
import { Mode } from "../Mode.ts"
import type { RunEvents, RunReference } from "../service/RunEvents.ts"
import type { Continuation, Runs } from "../service/Runs.ts"
import * as ServiceClient from "../service/ServiceClient.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"
import * as CallDecisions from "./CallDecisions.ts"
import * as RunText from "./RunText.ts"
import * as Waiting from "./Waiting.ts"

// Decisions about the steps that a paused workflow waits for, by a person at the terminal.

const routes = Effect.fnUntraced(function*(requirement: StepRequirement) {
  const { select, text } = yield* Prompts
  const choices = requirement.available_choices ?? []
  const message = `Choose a route for step '${requirement.step_name}'`
  if (!requirement.allow_multiple_selections) {
    return [yield* select(message, choices.map((choice) => ({ title: choice, value: choice })))]
  }
  const chosenIn = (line: string) => line.split(",").map((word) => word.trim()).filter((word) => word !== "")
  const given = yield* text(`${message}, of ${choices.join(", ")}`, {
    initial: choices.join(", "),
    validate: (line) =>
      chosenIn(line).every((word) => choices.includes(word))
        ? Effect.succeed(line)
        : Effect.fail(`Expected names of ${choices.join(", ")}, with commas`)
  })
  return chosenIn(given)
})

const rejected = Effect.fnUntraced(function*(question: string) {
  const { text } = yield* Prompts
  const feedback = yield* text(question, { initial: "", validate: (line) => Effect.succeed(line) })
  return { confirmed: false, ...(feedback === "" ? {} : { rejection_feedback: feedback }) }
})

const review = Effect.fnUntraced(function*(requirement: StepRequirement) {
  const prompts = yield* Prompts
  const { output_review_message, step_name, step_output } = requirement
  const output = yield* Output
  yield* output.line(typeof step_output === "string" ? step_output : JSON.stringify(step_output ?? null, null, 2))
  if (yield* prompts.confirm(output_review_message ?? `Accept the result of '${step_name}'?`, false)) {
    return { confirmed: true }
  }
  return yield* rejected("What is wrong with it")
})

/** What the step gets: a person cannot decide without it. */
const showInput = Effect.fnUntraced(function*({ step_input }: StepRequirement) {
  const output = yield* Output
  const given = Json.isObject(step_input ?? null) ? step_input as Json.Object : {}
  const shownInput = given["previous_step_content"] ?? given["input"] ?? null
  if (shownInput !== null) yield* output.line(RunText.contentOf(shownInput))
})

const confirmation = Effect.fnUntraced(function*({ confirmation_message, step_name }: StepRequirement) {
  const prompts = yield* Prompts
  if (yield* prompts.confirm(confirmation_message ?? `Execute the step '${step_name}'?`, false)) {
    return { confirmed: true }
  }
  return yield* rejected("Reason (optional)")
})

/** Asks for a decision on a step that waits. */
const decide = Effect.fn("StepDecisions.decide")(function*(requirement: StepRequirement) {
  if (requirement.requires_executor_input === true) {
    const undecided = Waiting.callsOfStep(requirement).filter(CallDecisions.isOpen)
    return { executor_requirements: yield* Effect.forEach(undecided, CallDecisions.decide) }
  }
  if (requirement.requires_output_review) return yield* review(requirement)
  const { requires_confirmation, requires_route_selection, requires_user_input, user_input_message } = requirement
  yield* showInput(requirement)
  const isConfirmed = requires_confirmation || !(requires_route_selection || requires_user_input)
  const verdict: { readonly confirmed?: boolean } = isConfirmed ? yield* confirmation(requirement) : {}
  if (verdict.confirmed === false) return verdict
  if (requires_route_selection) return { ...verdict, selected_choices: yield* routes(requirement) }
  if (!requires_user_input) return verdict
  if (user_input_message !== null) yield* (yield* Output).line(user_input_message)
  const fields = yield* CallDecisions.filled(requirement.user_input_schema)
  return { ...verdict, user_input: Object.fromEntries(fields.map(({ name, value }) => [name, value])) }
})

const decideError = Effect.fn("StepDecisions.decideError")(function*(requirement: ErrorRequirement) {
  const { confirm } = yield* Prompts
  const isRetried = yield* confirm(
    `The ${Waiting.titleOf(requirement)} failed: ${requirement.error_message}. Try it again?`,
    true
  )
  return isRetried ? "retry" : "skip"
})

// Cancels a run when its command is interrupted. The service has little time to respond: the person wants to leave.
const cancelTimeout = "3 seconds"

/** Returns the run. None if the service did not name it in time, so that it could not be cancelled. */
const cancelRun = Effect.fn("CancelledRun.cancel")(
  function*(runs: Runs, begun: Deferred.Deferred<RunReference>) {
    const output = yield* Output
    if (!(yield* Deferred.isDone(begun))) yield* output.note("cancelling the run when the service names it")
    const named = yield* Effect.timeoutOption(Deferred.await(begun), cancelTimeout)
    if (Option.isNone(named)) {
      yield* output.warn("The service did not name the run in time, and may still execute it: see svc runs list.")
      return named
    }
    const run = named.value
    const cancelling = runs.cancel(run)
    yield* Effect.matchEffect(Effect.timeout(cancelling, cancelTimeout), {
      onFailure: () =>
        output.warn(
          `The run ${run.run_id} could not be cancelled, and may still execute. Cancel it with svc runs cancel ${run.run_id}.`
        ),
      onSuccess: () => output.note(`run ${run.run_id} cancelled`)
    })
    return named
  }
)

export type Run = Waiting.Run

interface Following {
  readonly stream: RunEvents
  /** The subject of the sentence about a failure before the first event: `Continuing the run`. */
  readonly request: string
}

/** The run was started: the person has to know which one, and how to see its end. */
const named = (stream: RunEvents) => (error: CommandFailed): CommandFailed => {
  const { run } = stream
  if (run === undefined) return error
  const next = `Then follow the run with svc runs watch ${run.run_id}.`
  return new CommandFailed({
    message: error.message,
    hint: error.hint === undefined ? next : `${error.hint} ${next}`,
    status: error.status
  })
}

/** The events, and the run when they end. `begun` is completed when the service has named the run. */
const followed = Effect.fnUntraced(function*(
  runs: Runs,
  { begun, request, stream }: Following & { readonly begun: Deferred.Deferred<RunReference> }
) {
  const output = yield* Output
  const isJson = (yield* Mode) === "json"
  let hasAnswer = false
  const requests = RunText.requests(() => stream.run?.run_id)
  let action = request
  const fork = Effect.runForkWith(yield* Effect.context())
  // a connection that is cut once is opened again unseen
  stream.onCut = (attempts) => {
    if (attempts === 2) fork(output.note("The service does not respond. The answer continues when it does."))
  }
  yield* stream.forEach((event) => {
    action = "Following the run"
    if (stream.run !== undefined) Deferred.doneUnsafe(begun, Effect.succeed(stream.run))
    if (isJson) return output.jsonLine(Json.of(event))
    const { answer, note } = requests.isRepeated(event)
      ? RunText.repeated
      : RunText.of(event, stream.run?.run_id ?? "")
    if (answer !== undefined) hasAnswer = true
    return answer === undefined ? (note === undefined ? Effect.void : output.note(note)) : output.write(answer)
  }).pipe(Effect.mapError((failure) => named(stream)(ServiceClient.failed(action)(failure))))
  const { run } = stream
  if (run === undefined) return yield* new CommandFailed({ message: "The service started no run" })
  const ended = yield* Effect.mapError(
    runs.get(run),
    (failure) => named(stream)(ServiceClient.failed("Reading the run")(failure))
  )
  if (!isJson) {
    if (!hasAnswer && ended.status === "COMPLETED") yield* output.write(RunText.contentOf(ended.content))
    yield* output.endText
  }
  return { ...ended, ...run } as Run
})

/** The steps that a person decides on now: one that waits for another person can be left out. */
const chosen = Effect.fnUntraced(function*(steps: ReadonlyArray<StepRequirement | ErrorRequirement>) {
  if (steps.length < 2) return steps
  const { select } = yield* Prompts
  return yield* select("Several steps wait. Which do you decide on?", [
    { title: "All of them", value: steps },
    ...steps.map((step) => ({ title: Waiting.titleOf(step), value: [step] }))
  ])
})

/** The decisions of a person. There are none if nothing is left to decide, or the run waits for a time. */
const decisionsFor = Effect.fnUntraced(function*(run: Run) {
  const output = yield* Output
  const { error_requirements: errors = [], requirements = [] } = run
  const calls = requirements.filter(CallDecisions.isOpen)
  const waiting = Waiting.stepsOf(run).filter((step) =>
    step.requires_executor_input !== true || Waiting.callsOfStep(step).some(CallDecisions.isOpen)
  )
  if (errors.length + calls.length + waiting.length === 0) return undefined
  const now = yield* chosen([...errors, ...waiting])
  const ofErrors = new Map<ErrorRequirement, "retry" | "skip">()
  for (const failed of errors) if (now.includes(failed)) ofErrors.set(failed, yield* decideError(failed))
  const ofSteps = new Map<StepRequirement, object>()
  for (const step of waiting) {
    if (!now.includes(step)) continue
    if (waiting.length > 1) yield* output.line(Waiting.titleOf(step).replace(/^s/, "S"))
    ofSteps.set(step, yield* decide(step))
  }
  return {
    ...(calls.length === 0 ? {} : { requirements: yield* Effect.forEach(calls, CallDecisions.decide) }),
    ...decideSteps({ error_requirements: errors, step_requirements: run.step_requirements }, {
      ofStep: (step) => ofSteps.get(step),
      ofError: (failed) => ofErrors.get(failed)
    })
  }
})

/** The hint for a run that is left while it waits. */
const howToContinue = (run: Run): string => {
  const waiting = Waiting.of(run)
  const what = waiting.length === 0 ? "" : `: ${waiting.map(({ text }) => text).join("; ")}`
  return `The run waits for a decision${what}. Continue it with ${Waiting.commandFor(run)}.`
}

/** Like `decisionsFor`. A person who leaves the prompts sees how to continue the run, which stays paused. */
export const decided = (run: Run) =>
  Output.use((output) => Effect.onError(decisionsFor(run), () => output.warn(howToContinue(run))))

interface Stopping {
  /** When it resolves while the run executes, the run is cancelled. */
  readonly stop?: Effect.Effect<void> | undefined
  /** If true, Ctrl-C or another signal cancels the run. By default it only ends the command. */
  readonly cancels?: boolean | undefined
}

const stopped = Effect.fnUntraced(function*(runs: Runs, begun: Deferred.Deferred<RunReference>) {
  const run = Option.getOrUndefined(yield* cancelRun(runs, begun))
  if (run === undefined) return yield* new CommandFailed({ message: "The run was not cancelled" })
  return { ...run, status: "CANCELLED", isStopped: true } satisfies Run
})

/** Tells a person who ended the command, and not the run, how to see the run again. */
const sayLeft = Effect.fnUntraced(function*({ run }: RunEvents) {
  const output = yield* Output
  if (run !== undefined) yield* output.note(`Left the run. Follow it with svc runs watch ${run.run_id}.`)
})

/** The events are read while the run is cancelled: the first of them names it. */
const untilStopped = Effect.fnUntraced(
  function*(runs: Runs, { request, stream }: Following, { cancels = false, stop = Effect.never }: Stopping) {
    const begun = yield* Deferred.make<RunReference>()
    if (stream.run !== undefined) yield* Deferred.succeed(begun, stream.run)
    const following = yield* Effect.forkScoped(followed(runs, { stream, request, begun }))
    const left = Effect.andThen((yield* Output).gone, Deferred.await(begun)).pipe(
      Effect.map((run): Run => ({ ...run, status: "RUNNING", isLeft: true }))
    )
    return yield* Effect.raceFirst(Fiber.join(following), Effect.andThen(stop, stopped(runs, begun))).pipe(
      Effect.raceFirst(left),
      Effect.onInterrupt(() => cancels ? cancelRun(runs, begun) : sayLeft(stream))
    )
  },
  Effect.scoped
)

/** Follows the run across the pauses that a person can end here. */
export const follow = Effect.fn("FollowedRun.follow")(
  function*(runs: Runs, first: Following, stopping: Stopping = {}) {
    const prompts = yield* Prompts
    let run: Run = yield* untilStopped(runs, first, stopping)
    while (run.status === "PAUSED" && (yield* prompts.isInteractive)) {
      const decisions = yield* decided(run)
      if (decisions === undefined) break
      const stream = runs.continueStream(run, decisions as Continuation)
      run = yield* untilStopped(runs, { stream, request: "Continuing the run" }, stopping)
    }
    return run
  }
)

const endings: Readonly<Record<string, Outcome>> = { COMPLETED: "ok", PAUSED: "partial" }

const endingOf = ({ isLeft = false, status }: Run): Outcome => isLeft ? "ok" : endings[status] ?? "failed"

const cutBy: Readonly<Record<string, string>> = {
  length: "The answer is not whole: it was cut off at the token limit of the model.",
  content_filter: "The answer is not whole: the content filter of the provider has ended it."
}

/** The last line for people: how it ended, and where it is. */
export const summary = Effect.fnUntraced(function*(run: Run) {
  const output = yield* Output
  const { isLeft, metrics, run_id, session_id, status, total_metrics: used = metrics } = run
  const figures = [
    ...(metrics?.duration === undefined ? [] : [`${metrics.duration.toFixed(1)} s`]),
    ...(used?.total_tokens === undefined ? [] : [`${used.total_tokens} tokens`]),
    ...(used?.cost === undefined ? [] : [`$${used.cost.toFixed(4)}`])
  ]
  if (isLeft === true) return yield* output.note(`The run continues. Follow it with svc runs watch ${run_id}.`)
  yield* output.note([`run ${run_id} in session ${session_id}`, ...figures].join(", "))
  if (status === "ERROR" || status === "CANCELLED") {
    yield* output.error(`The run ended as ${status}${run.content ? `: ${RunText.contentOf(run.content)}` : ""}`)
  }
  const cut = status === "COMPLETED" && run.finish_reason !== undefined ? cutBy[run.finish_reason] : undefined
  if (cut !== undefined) yield* output.warn(cut)
  const timed = Waiting.timed(run)
  if (timed !== undefined) yield* output.warn(`${timed} See its answer with svc runs show ${run_id}.`)
  else if (status === "PAUSED") yield* output.warn(howToContinue(run))
})

/** The answer of a command that has followed the run. */
export const answer = (run: Run) =>
  Output.useSync((output): Answer => ({
    document: undefined,
    human: Effect.provideService(summary(run), Output, output),
    ending: endingOf(run)
  }))
