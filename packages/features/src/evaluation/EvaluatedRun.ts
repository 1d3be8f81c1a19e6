// One run of the evaluated component. It is an ordinary run with an id that is derived from the evaluation, so an
// evaluation that is resumed after a crash waits for the run that it had started. It neither reads nor writes memories.
// It starts by the engine: the component has a fixed version, which RunService would resolve again.
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import type { AnyComponent } from "@svc-runtime/agents/runService/Components"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import * as StartCommand from "@svc-runtime/agents/runService/StartCommand"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Component from "@svc-runtime/domain/Component"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as RunOption from "@svc-runtime/domain/RunOption"
import * as Session from "@svc-runtime/domain/Session"
import type { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { awaitElsewhere, isHandedOver } from "@svc-runtime/engine/run/events/awaitElsewhere"
import { Effect, Option } from "effect"
import type * as EvalRun from "./EvalRun.ts"

export interface Evaluated {
  readonly component: AnyComponent
  /** Of a stored component. */
  readonly component_versions: Component.Versions | undefined
  readonly request: Pick<EvalRun.Request, "input" | "is_isolated" | "model" | "user_id"> & {
    readonly kind: ComponentKind.ComponentKind
  }
  readonly engine: RunEngine["Service"]
  /** Of a run that is taking longer. */
  readonly seconds: number
  /** Of the message, if the component takes JSON. */
  readonly maxValues: number
  /** Whether the evaluation has ended: a run that is interrupted is cancelled then. */
  readonly isOver: Effect.Effect<boolean>
}

/** A run that failed can have an output as well. */
export type Outcome =
  | {
    readonly _tag: "Completed"
    readonly output: AnyRun.Output
    /** The last one. */
    readonly attempt: number
  }
  | { readonly _tag: "Failed"; readonly reason: string; readonly output: AnyRun.Output | undefined }

const failed = (reason: string, output?: AnyRun.Output): Outcome => ({ _tag: "Failed", reason, output })

/** The answer as text. */
export const textOf = ({ content = "" }: AnyRun.Output): string => Run.textOf(content)

const withDetail = (text: string, detail: string): string => detail === "" ? text : `${text}: ${detail}`

/** The content of an agent or a team is its question. That of a workflow is the result of the step before. */
const pauseOf = (output: AnyRun.Output): string =>
  AnyRun.isWorkflow(output)
    ? `The run paused at the step '${output.paused_step_name ?? ""}', and no person decides in an evaluation`
    : withDetail("The run paused, and no person decides in an evaluation", textOf(output))

const outcomeOf = (output: AnyRun.Output, attempt: number): Outcome => {
  switch (output.status) {
    case "COMPLETED":
      return { _tag: "Completed", output, attempt }
    case "PAUSED":
      return failed(pauseOf(output), output)
    case "CANCELLED":
      return failed("The run was cancelled", output)
    default:
      return failed(withDetail("The run failed", textOf(output)), output)
  }
}

/** The names of the run and its session. Runs that are timed are not continued, and have a name for each attempt. */
export const idsOf = (id: string, number: number, attempt?: number) => {
  const session_id = `eval_${id}_${number}${attempt === undefined || attempt === 1 ? "" : `_${attempt}`}`
  return { run_id: Run.Id.make(`${session_id}_run`), session_id: Session.Id.make(session_id) }
}

export const execute = Effect.fnUntraced(function*(
  evaluated: Evaluated,
  { run_id, session_id }: { readonly run_id: Run.Id; readonly session_id: Session.Id },
  isTimed = false
) {
  const { component, component_versions, engine, isOver, maxValues, request, seconds } = evaluated
  const { input, is_isolated, kind, model, user_id } = request
  const options: RunOptions.RunOptions = { ...RunOptions.defaults, ...RunOption.evaluated }
  const resolved = { component, component_versions, lifetime: undefined, factory_input: undefined }
  const command = yield* StartCommand.make(resolved, {
    component: { kind, id: component.id },
    user_id: (user_id ?? undefined) as Ids.UserId | undefined,
    isRepeated: !isTimed,
    message: input,
    options
  }, { run_id, session_id, isolated: is_isolated, maxValues })
  const owner = user_id === null ? Owner.anyone : Owner.user(user_id)
  const run = { run_id, session_id, filter: { owner } }
  const cancel = (isLate: boolean) => Effect.ignore(engine.cancel({ ...run, isLate }), { log: true })
  let isResumed = false
  const awaitAgain = Effect.suspend(() => {
    isResumed = true
    return Effect.map(awaitElsewhere(engine.output(run)), Option.getOrUndefined)
  })
  const given = { ...command, ...(model === null ? {} : { model }), hasOwnTrace: true }
  const awaited = AwaitedRun.retryWhile(engine.start(given as typeof command), AwaitedRun.isBusy).pipe(
    Effect.flatMap((handle) => handle.output),
    Effect.catchTags({ ComponentOutdated: Effect.die, RunExists: () => awaitAgain }),
    Effect.catchIf(isHandedOver, () => awaitAgain)
  )
  const output = yield* AwaitedRun.within(awaited, { seconds, isOver, cancel })
  if (Option.isNone(output)) return failed(`The run took longer than ${seconds} s (EVALUATION_RUN_TIMEOUT)`)
  if (output.value === undefined) return failed("The run was deleted")
  if (output.value.status === "PAUSED") yield* cancel(false)
  const attempt = isResumed ? yield* engine.attemptOf(session_id, run_id) : Option.some(1)
  return outcomeOf(output.value, Option.getOrElse(attempt, () => 1))
}, (effect) =>
  Effect.catchTags(effect, {
    InvalidInput: ({ issues }) =>
      Effect.succeed(failed(`The input does not fit the component: ${issues[0]?.message ?? "it is invalid"}`)),
    InputTooLarge: ({ message }) => Effect.succeed(failed(message)),
    LimitReached: ({ message }) => Effect.succeed(failed(message)),
    OptionNotOffered: ({ message }) => Effect.succeed(failed(message)),
    RunNotFound: ({ message }) => Effect.succeed(failed(message)),
    RunHandedOver: ({ message }) => Effect.succeed(failed(message)),
    SessionBusy: ({ message }) => Effect.succeed(failed(message)),
    SessionNotFound: ({ message }) => Effect.succeed(failed(message)),
    TooManyRuns: ({ message }) => Effect.succeed(failed(message))
  }))
