// The background job that rates a sampled run after its end. The scores are feedback from scorers: an attempt that is
// repeated replaces them.
import * as AnyRun from "@svc/domain/AnyRun"
import * as Feedback from "@svc/domain/Feedback"
import * as Owner from "@svc/domain/Owner"
import * as Run from "@svc/domain/Run"
import { ModelCatalog } from "@svc/models/ModelCatalog"
import * as UnusableModel from "@svc/models/UnusableModel"
import { Effect, Option } from "effect"
import * as OnlineScoring from "../agent/scoring/OnlineScoring.ts"
import { FeedbackStore } from "../feedback/FeedbackStore.ts"
import * as JobKind from "../jobs/JobKind.ts"
import { NewId } from "../NewId.ts"
import { now } from "../now.ts"
import { RunStore } from "../run/store/RunStore.ts"
import * as EvaluatedComponent from "./EvaluatedComponent.ts"
import { EvaluationLimits } from "./EvaluationLimits.ts"
import * as Rating from "./Rating.ts"

export const kind = Effect.gen(function*() {
  const [runs, feedback, models] = [yield* RunStore, yield* FeedbackStore, yield* ModelCatalog]
  const { concurrency, judgeSeconds: seconds } = yield* EvaluationLimits
  const newId = yield* NewId

  const handle = Effect.fnUntraced(function*(
    { run_id, scorers, session_id }: OnlineScoring.Payload,
    { guard, job: { user_id } }: JobKind.JobContext
  ) {
    const found = yield* runs.find(session_id, run_id, { owner: Owner.anyone })
    if (Option.isNone(found)) return
    const run = found.value
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
    })
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
