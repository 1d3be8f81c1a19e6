// The job that looks whether a paused run, which a conversation shows, is decided elsewhere, such as in the console. It
// is due when the run resumes, and looks by itself in case the node that has resumed it was killed before.
import * as Caller from "@svc-runtime/agents/runService/Caller"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { now } from "@svc-runtime/engine/now"
import { followResumes } from "@svc-runtime/engine/signals/followResumes"
import { JobSignal, RunResumeSignal } from "@svc-runtime/engine/signals/Signals"
import { Effect, Option } from "effect"
import { type PausedRun, pauseShape } from "./ChannelJobs.ts"
import { ChannelStore } from "./ChannelStore.ts"
import * as Deciding from "./Deciding.ts"
import { LiveChannels } from "./LiveChannels.ts"

/** Seconds until the next look at a run that has been paused for `age` seconds. */
const delayOf = (age: number): number => Math.min(600, Math.max(2, Math.ceil(age / 10)))

/** Seconds until the event that waits in the conversation is handled, or a run that continues waits again. */
const soon = 2

/** Seconds until another look at a run whose component is not here. */
const absent = 600

export const kind = Effect.gen(function*() {
  const [store, channels, signal] = [yield* ChannelStore, yield* LiveChannels, yield* JobSignal]

  return JobKind.make({
    ...pauseShape,
    concurrency: 16,
    handle: Effect.fnUntraced(
      function*(of: PausedRun, { postpone }: JobKind.JobContext) {
        // it can be the decision, of which an attempt was cut off: the conversation continues with it
        if (Option.isSome(yield* store.next(of))) return yield* postpone(soon)
        const [asking] = yield* store.askingIn(of)
        if (asking === undefined || asking.run === null) return
        const { id, kind, run_id, session_id } = asking.run
        const runs = yield* channels.runs
        const query = { caller: Caller.internal(), component: { kind, id }, run_id, session_id }
        const run = yield* Effect.catchTag(runs.get(query), "RunNotFound", () => Effect.succeed("gone" as const))
        if (run !== "gone" && Deciding.isOpen(run, asking)) {
          return yield* postpone(delayOf((yield* now) - asking.created_at))
        }
        const decided = run === "gone"
          ? run
          : yield* Effect.catchTag(runs.decided(query), "RunNotFound", () => Effect.succeed("gone" as const))
        if (decided !== "gone" && Deciding.isKept(decided, asking)) return yield* postpone(soon)
        const replies = yield* Deciding.repliesOf(Deciding.elsewhere(asking, asking.run, decided), asking)
        yield* store.decided(asking.id, { at: yield* now, replies })
        signal.notify()
      },
      (effect, { channel, run_id, thread }, { postpone }) =>
        effect.pipe(
          Effect.catchTags({ ComponentNotFound: () => postpone(absent), StorageUnavailable: () => postpone(5) }),
          Effect.annotateLogs({ channel, thread, run_id })
        )
    )
  })
})

/** Makes the job of a run due when it resumes, in whichever database. The jobs are in the service's own. */
export const hastenOnResumes = Effect.fnUntraced(function*(isOwn: boolean) {
  const { resumes } = yield* LiveChannels
  const resumed = yield* RunResumeSignal
  resumed.follow(resumes.notify)
  if (!isOwn) return
  const [jobs, signal] = [yield* JobStore, yield* JobSignal]
  yield* followResumes(
    "channelPauses",
    resumes,
    (run) => Effect.andThen(jobs.hasten(pauseShape.name, run), Effect.sync(() => signal.notify()))
  )
})
