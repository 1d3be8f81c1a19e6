// The background job that rates a sampled run after its end. The scores are feedback from scorers: an attempt that is
// repeated replaces them.
import * as OnlineScoring from "@svc-runtime/agents/agent/define/OnlineScoring"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { NewId } from "@svc-runtime/engine/NewId"
import * as CurrentWork from "@svc-runtime/engine/node/CurrentWork"
import { now } from "@svc-runtime/engine/now"
import { RunReading } from "@svc-runtime/engine/run/store/RunReading"
import { ModelCatalog } from "@svc-runtime/models/ModelCatalog"
import * as UnusableModel from "@svc-runtime/models/UnusableModel"
import { Effect, Option } from "effect"
import * as Feedback from "../feedback/Feedback.ts"
import { FeedbackStore } from "../feedback/FeedbackStore.ts"
import * as EvaluatedComponent from "./EvaluatedComponent.ts"
import { EvaluationLimits } from "./EvaluationLimits.ts"
import * as Rating from "./Rating.ts"

/** None in a service without feedback, which the scores would be. */
export const kinds = Effect.flatMap(
  Effect.serviceOption(FeedbackStore),
  Option.match({ onNone: () => Effect.succeed([]), onSome: (store) => Effect.map(kindOf(store), (kind) => [kind]) })
)

const kindOf = Effect.fnUntraced(function*(feedback: FeedbackStore["Service"]) {
  const [runs, models] = [yield* RunReading, yield* ModelCatalog]
  const { concurrency, judgeSeconds: seconds } = yield* EvaluationLimits
  const newId = yield* NewId
  const paidBy = yield* CurrentWork.payers

  const handle = Effect.fnUntraced(function*(
    { run_id, scorers, session_id }: OnlineScoring.Payload,
    { guard, job }: JobKind.JobContext
  ) {
    const found = yield* runs.find(session_id, run_id, { owner: Owner.anyone })
    if (Option.isNone(found)) return
    const [run, { user_id }] = [found.value, job]
    const paid = paidBy({ id: job.id, isJob: true, attempt: job.lease, user_id, component: AnyRun.componentOf(run) })
    const judge = yield* UnusableModel.resolve(models, EvaluatedComponent.judgeOf(models))
    const input = Run.inputText(AnyRun.inputOf(run))
    const { scores } = yield* Rating.rate({
      scorers,
      input,
      run,
      attempt: undefined,
      user_id,
      database: undefined,
      expectation: {},
      judge,
      seconds,
      source: "online"
    }).pipe(paid)
    for (const { reason, score, scorer } of scores) {
      // a judge without a verdict
      if (score === null) continue
      yield* guard(feedback.put({
        id: Feedback.Id.make(newId()),
        run_id,
        user_id: null,
        source: "scorer",
        key: scorer,
        score,
        comment: reason,
        at: yield* now
      }, Owner.anyone)).pipe(Effect.catchTag("FeedbackFull", () => Effect.void))
    }
  })

  return JobKind.make({ ...OnlineScoring.shape, concurrency, handle })
})
