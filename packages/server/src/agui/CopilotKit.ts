// The wire of CopilotKit's runtime: AG-UI requests by the id of an agent, a thread that is read back, and its end.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as SessionRuns from "@svc-runtime/agents/runService/SessionRuns"
import type { Scoped } from "@svc-runtime/agents/runService/VisibleRuns"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import type { FoundRun } from "@svc-runtime/engine/run/store/RunReads"
import { CurrentAccess } from "@svc-runtime/http/authorization/CurrentAccess"
import * as StreamFailure from "@svc-runtime/http/sse/StreamFailure"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import * as AgUiStream from "@svc-runtime/protocols/agui/AgUiStream"
import * as RunAgentInput from "@svc-runtime/protocols/agui/RunAgentInput"
import type { Encoder } from "@svc-runtime/protocols/run/Encoder"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as PieceStream from "../protocols/PieceStream.ts"
import * as RunReplay from "../protocols/RunReplay.ts"
import * as AgUi from "./AgUi.ts"

type Service = RunService["Service"]

/** More runs of a thread are not read back. */
const maxRuns = 100

const shown = ["COMPLETED", "ERROR", "CANCELLED", "PAUSED", "RUNNING", "PENDING"] as const

interface Reading extends PieceStream.Accessed {
  readonly input: RunAgentInput.RunAgentInput
  readonly isLast: boolean
  /** Called when the events of the run begin. */
  readonly onBegin: (encoder: Encoder) => void
}

/** The events of a run, those stored and those to come. Nothing if it was deleted meanwhile. */
const framesOf = (
  service: Service,
  { caller, component }: Scoped,
  { access, input, isLast, onBegin }: Reading,
  { run_id, session_id }: FoundRun
) =>
  Effect.gen(function*() {
    const { events, run } = yield* RunReplay.of(service, { caller, component, run_id, session_id })
    const encoder = AgUiStream.make({
      threadId: input.threadId,
      runId: run_id,
      isVersion1: RunAgentInput.isVersion1(input),
      clientTools: RunAgentInput.toolNamesOf(input),
      input: { id: `${run_id}-input`, content: Run.inputText(AnyRun.inputOf(run)) },
      // clients take nothing after an error
      hidesFailure: !isLast
    })
    onBegin(encoder)
    return PieceStream.frames({ access, run_id, encoder, events })
  }).pipe(
    Effect.catchTags({
      // it was checked when they were listed
      RunForbidden: Effect.die,
      ComponentNotFound: () => Effect.succeed(Stream.empty),
      RunNotFound: () => Effect.succeed(Stream.empty)
    }),
    Stream.unwrap
  )

/** The runs on the path of the thread, one after the other, and then the events of the one that is executing. */
export const connect = (service: Service, target: Scoped) =>
  Effect.fnUntraced(function*(body: Json.Value) {
    const input = yield* AgUi.decode(body)
    const access = yield* CurrentAccess
    const query = { ...target, session_id: input.threadId, isOnPath: true, partOf: "watch" } as const
    const found = yield* toWire(SessionRuns.withStatus(service, query, shown, maxRuns))
    let current = AgUiStream.make({ threadId: input.threadId, runId: input.runId, isVersion1: false })
    // closes what the run that is being read has left open
    const broken = (reason: string) => current.broken(reason)
    const onBegin = (encoder: Encoder) => {
      current = encoder
    }
    const runs = found.toSorted((left, right) => left.position - right.position)
    const frames = Stream.fromIterable(runs).pipe(
      Stream.flatMap((run) => framesOf(service, target, { access, input, isLast: run === runs.at(-1), onBegin }, run)),
      Stream.catchCause((cause) => Stream.fromEffect(Effect.map(StreamFailure.of(cause), ({ text }) => broken(text))))
    )
    return yield* PieceStream.response({ frames, broken })
  })

/** A run that waits for an answer stays. */
export const stop = Effect.fnUntraced(function*(service: Service, target: Scoped, threadId: string) {
  const query = { ...target, session_id: threadId }
  const stopped = yield* toWire(SessionRuns.cancel(service, query, { alsoPaused: false }))
  return HttpServerResponse.jsonUnsafe({ stopped })
})
