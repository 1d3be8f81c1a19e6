// Jobs as the tests of their store need them. Each test has a kind of its own, because tests share the database.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { type JobFilter, JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Effect, Option } from "effect"
import { newId } from "../Samples.ts"

export const everything = { page: 1, limit: 1_000 }

export const job = (fields: Partial<Job.NewJob> = {}): Job.NewJob => ({
  id: Job.Id.make(newId("job")),
  kind: newId("kind"),
  key: null,
  isUnique: false,
  payload: { text: "\u0000 ü", list: [1, null] },
  max_attempts: 3,
  user_id: null,
  session_id: null,
  run_at: undefined,
  ...fields
})

export const enqueue = (...jobs: ReadonlyArray<Job.NewJob>) =>
  JobStore.use((store) => Effect.forEach(jobs, store.enqueue))

export const find = (id: Job.Id) =>
  Effect.flatMap(JobStore.use((store) => store.find(id, Owner.anyone)), Effect.fromOption)

export const statusOf = (id: Job.Id) =>
  Effect.map(
    JobStore.use((store) => store.find(id, Owner.anyone)),
    (found) => Option.getOrUndefined(Option.map(found, ({ status }) => status))
  )

export const list = (filter: Partial<JobFilter>) =>
  JobStore.use((store) => store.list({ owner: Owner.anyone, ...filter }, everything))

export const acquire = (kind: string, limit = 1, node = "node") =>
  JobStore.use((store) => store.acquire({ node, slots: { [kind]: limit } }))

export const finish = (lease: Job.Lease, end: Job.End = { _tag: "Completed" }) =>
  JobStore.use((store) => store.finish(lease, end))

/** The keys in the order in which one worker executes the jobs of a kind. */
export const keysInOrder = Effect.fnUntraced(function*(kind: string) {
  const keys: Array<string | null> = []
  for (;;) {
    const [acquired] = yield* acquire(kind)
    if (acquired === undefined) return keys
    keys.push(acquired.key)
    yield* finish(acquired)
  }
})
