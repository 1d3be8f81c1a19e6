// How the suites of the run store find runs, for any owner unless the filter says else.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import type { RunFilter } from "@svc-runtime/engine/run/store/RunReads"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect, Option } from "effect"

export type Given = Partial<RunFilter>

export const find = ({ run_id, session_id }: Pick<NewRun, "run_id" | "session_id">, filter: Given = {}) =>
  RunStore.use((store) => store.find(session_id, run_id, { owner: Owner.anyone, ...filter })).pipe(
    Effect.map(Option.getOrUndefined)
  )

export const idsOf = (id: Session.Id, filter: Given = {}) =>
  RunStore.use((store) => store.list(id, { owner: Owner.anyone, ...filter })).pipe(
    Effect.map(Option.map((runs) => runs.map(({ run_id }) => run_id))),
    Effect.map(Option.getOrUndefined)
  )
