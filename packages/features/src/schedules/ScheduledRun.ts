// A schedule that runs a component: the run is started in this process, once for each attempt, and awaited by what is
// stored of it. Its payload is read as the form of a request is.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type { Conversations } from "@svc-runtime/agents/runService/Conversations"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import type * as Principal from "@svc-runtime/domain/Principal"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { awaitElsewhere } from "@svc-runtime/engine/run/events/awaitElsewhere"
import { fieldsOf } from "@svc-runtime/http/forms/FormEncodings"
import * as RunForm from "@svc-runtime/http/forms/RunForm"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import { Effect, Option, Struct } from "effect"
import { ended, failed, refused } from "./outcomes.ts"
import type * as Schedule from "./Schedule.ts"
import type { Attempt } from "./Scheduling.ts"

const kinds = new Map(ComponentKind.ComponentKind.literals.map((kind) => [
  ComponentKind.descriptions[kind].resource as string,
  kind
]))

/** The parts of a path as the router reads them. */
const partsOf = Option.liftThrowable((endpoint: string) =>
  endpoint.replace(/\?.*/s, "").split("/").map(decodeURIComponent)
)

/** The component that the request of a schedule runs. Undefined: the request does not run one. */
export const componentOf = ({ endpoint, method }: Pick<Schedule.Schedule, "endpoint" | "method">) => {
  const parts = Option.getOrElse(partsOf(endpoint), () => [])
  const [, resource = "", id = "", runs, end = "", ...others] = parts
  const kind = kinds.get(resource)
  const isRun = method === "POST" && runs === "runs" && end === "" && others.length === 0
  const component: ComponentRef | undefined = isRun && kind !== undefined ? { kind, id } : undefined
  return component
}

const outputOf = ({ content, content_type }: AnyRun.Output) => content === undefined ? null : { content, content_type }

/** What the run waits for. */
const requirementsOf = (output: AnyRun.Output): Schedule.Outcome["requirements"] => {
  if (!AnyRun.isWorkflow(output)) return (output.requirements ?? []).map(Json.of)
  const { error_requirements = [], step_requirements = [] } = output
  return [...error_requirements, ...step_requirements.filter(({ resolved }) => resolved !== true)].map(Json.of)
}

const inputOf = (output: AnyRun.Output): Schedule.Outcome["input"] =>
  output.input === undefined ? null : AnyRun.inputOf(output) as Schedule.Outcome["input"]

const outcomeOf = (output: AnyRun.Output): Schedule.Outcome => {
  const { content = "", run_id, session_id, status } = output
  const known = { status_code: 200, run_id, session_id, input: inputOf(output), output: outputOf(output) }
  const text = Run.textOf(content)
  switch (status) {
    case "COMPLETED":
      return ended({ ...known, status: "success" })
    case "PAUSED":
      return ended({ ...known, status: "paused", requirements: requirementsOf(output) })
    case "CANCELLED":
      return ended({ ...known, status: "failed", error: text === "" ? "Run was cancelled" : text })
    default:
      return ended({ ...known, status: "failed", error: text === "" ? `Run failed with status ${status}` : text })
  }
}

/** What a run of it begins with. */
export const formOf = ({ payload: given }: Pick<Schedule.Schedule, "payload">) => {
  const payload = Struct.omit(given ?? {}, ["stream", "background", "run_id"])
  const fields = { ...fieldsOf(payload), stream: "false", background: "true" }
  return RunForm.decode({ fields, files: [], fingerprint: "" })
}

export const make = (
  service: RunService["Service"],
  schedulerFor: (author: Schedule.Schedule["author"]) => Principal.Principal,
  show: Conversations["Service"]["show"]
) => {
  const start = Effect.fnUntraced(function*(
    component: ComponentRef,
    { run, schedule }: Attempt,
    caller: Caller.Caller
  ) {
    const { factory_input, ...form } = yield* formOf(schedule)
    const request = { ...form, component, caller, factoryInput: FactoryInput.text(factory_input) }
    const key = { key: `schedule ${run.id}`, fingerprint: run.id }
    // waits while the service is full or the database does not reply
    return yield* toWire(AwaitedRun.retryWhile(service.startOnce(request, key), AwaitedRun.isTransient))
  })

  return Effect.fnUntraced(function*(component: ComponentRef, attempt: Attempt) {
    const { isOver, run: { run_id: known_run, session_id: known_session }, schedule, seconds, started } = attempt
    const caller = Caller.make(schedulerFor(schedule.author))
    let current = known_run === null || known_session === null
      ? undefined
      : { run_id: Run.Id.make(known_run), session_id: Session.Id.make(known_session) }

    const cancel = (isLate: boolean) =>
      Effect.suspend(() =>
        current === undefined
          ? Effect.void
          : Effect.ignore(service.cancel({ caller, component, ...current, isLate }), { log: true })
      )

    const awaited = Effect.suspend(() =>
      current === undefined ? Effect.die("The run has not started") : awaitElsewhere(
        AwaitedRun.retryWhile(service.output({ caller, component, ...current }), AwaitedRun.isTransient)
      )
    )

    const executed = Effect.gen(function*() {
      if (current === undefined) {
        const { run: { run_id, session_id } } = yield* start(component, attempt, caller)
        current = { run_id, session_id }
        yield* started(current)
        yield* toWire(show({ component, ...current }))
      }
      return outcomeOf(yield* toWire(awaited))
    }).pipe(Effect.catch((error) => Effect.succeed({ ...refused(error), ...current })))

    const outcome = yield* AwaitedRun.within(executed, { seconds, isOver, cancel })
    if (Option.isSome(outcome)) return outcome.value
    return failed(
      `Polling timed out after ${schedule.timeout_seconds}s for run ${current?.run_id ?? "that has not started"}`,
      current
    )
  })
}
