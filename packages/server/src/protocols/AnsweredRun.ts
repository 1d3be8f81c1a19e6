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
import { Effect } from "effect"

type Service = RunService["Service"]

const ambiguous = Errors.conflict(
  "Several runs of this session wait for a call with this id: name the run, or cancel the others"
)

/** Whether the id is that of a run of the session, which does not wait any more. */
const isOther = (service: Service, { caller, component, session_id }: SessionRuns.Query, named: string) =>
  Ids.isExact(named) && Ids.isExact(session_id)
    ? toWire(
      service.get({
        caller,
        component,
        partOf: "continue",
        run_id: Run.Id.make(named),
        session_id: Session.Id.make(caller.principal.session_id ?? session_id)
      }).pipe(
        Effect.as(true),
        Effect.catchTag("RunNotFound", () => Effect.succeed(false))
      )
    )
    : Effect.succeed(false)

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
  const found = PausedRun.waitingFor(waiting, calls)
  if (found.length === 0) return undefined
  if (named !== undefined && (yield* isOther(service, query, named))) return undefined
  if (found.length === 1) return found[0]
  const shown = yield* toWire(SessionRuns.withStatus(service, { ...query, isOnPath: true }, ["PAUSED"]))
  const [first, ...others] = found.filter(({ run }) => shown.some(({ run_id }) => run_id === run.run_id))
  return first !== undefined && others.length === 0 ? first : yield* ambiguous
})
