// Services whose agents remember and learn, for tests of what their jobs store.
import { UserId } from "@svc-runtime/domain/Ids"
import * as Memory from "@svc-runtime/domain/Memory"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Database } from "@svc-runtime/engine/database/Database"
import type { End } from "@svc-runtime/engine/jobs/Job"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Queue } from "effect"
import { at, get } from "../Wire.ts"

export const [ann, bob] = [UserId.make("ann"), UserId.make("bob")]

/** A service whose database can be looked at, with the ends of its jobs. */
export const open = Effect.fnUntraced(
  function*(options: TestServer.Options, changeEnd: (end: End) => End = (end) => end) {
    const ends = yield* Queue.unbounded<End["_tag"]>()
    let database: Database | undefined
    const server = yield* TestServer.make({
      ...options,
      database: (given) => {
        const opened = options.database?.(given) ?? given
        database = opened
        const { jobs } = opened
        return {
          ...opened,
          jobs: {
            ...jobs,
            finish: (lease, end) =>
              Effect.suspend(() => {
                // of a job of the service that is executed again and again
                if (end._tag === "Repeat") return jobs.finish(lease, end)
                const stored = changeEnd(end)
                return Effect.tap(jobs.finish(lease, stored), () => Queue.offer(ends, stored._tag))
              })
          }
        }
      }
    })
    const stores = () => database as Database
    const jobsOf = (kind: string) =>
      Effect.suspend(() => stores().jobs.list({ owner: Owner.anyone, kind }, { page: 1, limit: 100 }))
    return {
      server,
      stores,
      /** The end of the next attempt of a job. */
      jobEnd: Queue.take(ends),
      memoriesOf: (user: UserId) =>
        Effect.map(
          stores().memories.relevant(user, { maxBytes: 1_000_000, maxCount: 1000 }),
          (found) => found.map(({ memory }) => memory)
        ),
      add: (user_id: UserId, memory: string) =>
        stores().memories.create({
          memory_id: Memory.Id.make(`of-${user_id}`),
          memory,
          topics: [],
          user_id,
          agent_id: null,
          team_id: null,
          run_id: null,
          session_id: null,
          created_at: 1,
          updated_at: 1
        }),
      jobs: jobsOf("memory-extraction"),
      learningJobs: jobsOf("learning-extraction"),
      summaryJobs: jobsOf("session-summary")
    }
  }
)

/** Of a request of a background model. */
export const usage = Script.usage({ input: 7, output: 3 })

/** What the session "s" counts for a role of models. */
export const usageOf = (server: TestServer.TestServer, role: string) =>
  Effect.map(get(server, "/sessions/s?type=agent"), ({ json }) => at(json, "metrics", "details", role, "0") as object)
