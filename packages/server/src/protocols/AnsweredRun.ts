// The paused run of a session for which an answer is. Models repeat the ids of calls, so that several runs can wait for
// one id, and an answer that is late must not count for another run.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as SessionRuns from "@svc-runtime/agents/runService/SessionRuns"
import { Errors } from "@svc-runtime/api"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import * as PausedRun from "@svc-runtime/protocols/pause/PausedRun"
import { Effect, Option } from "effect"

type Service = RunService["Service"]

const ambiguous = Errors.conflict(
  "Several runs of this session wait for a call with this id: name the run, or cancel the others"
)

/** The run of the session with this id. */
const runOf = (service: Service, { caller, component, session_id }: SessionRuns.Query, named: string) =>
  Ids.isExact(named) && Ids.isExact(session_id)
    ? toWire(
      service.get({
        caller,
        component,
        partOf: "continue",
        run_id: Run.Id.make(named),
        session_id: Session.Id.make(caller.principal.session_id ?? session_id)
      }).pipe(
        Effect.asSome,
        Effect.catchTag("RunNotFound", () => Effect.succeedNone)
      )
    )
    : Effect.succeedNone

export interface Sought {
  /** The run that the client names, or another id that it has given. Undefined: it names none. */
  readonly named?: string | undefined
  /** The calls that are answered, as the client was shown them. */
  readonly calls: ReadonlySet<string>
}

/** Undefined: none waits for them. */
export const find = Effect.fnUntraced(function*(
  service: Service,
  query: SessionRuns.Query,
  waiting: ReadonlyArray<PausedRun.PausedRun>,
  { calls, named }: Sought
) {
  const known = waiting.find(({ run }) => run.run_id === named)
  if (known !== undefined) return known
  const other = named === undefined ? Option.none() : yield* runOf(service, query, named)
  // it is older than all that were read, or does not wait any more
  if (Option.isSome(other)) return other.value.status === "PAUSED" ? PausedRun.of(other.value) : undefined
  const found = PausedRun.waitingFor(waiting, calls)
  if (found.length === 0) return undefined
  if (found.length === 1) return found[0]
  const shown = yield* toWire(SessionRuns.withStatus(service, { ...query, isOnPath: true }, ["PAUSED"]))
  const [first, ...others] = found.filter(({ run }) => shown.some(({ run_id }) => run_id === run.run_id))
  return first !== undefined && others.length === 0 ? first : yield* ambiguous
})
