// A service with a knowledge base, whose uploads can be awaited.
import type { Database } from "@svc-runtime/engine/database/Database"
import type { End } from "@svc-runtime/engine/jobs/Job"
import { Knowledge } from "@svc-runtime/server"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Queue } from "effect"
import { type Answer, ask, type Fields } from "./Wire.ts"

export const handbook = Knowledge.make({ name: "handbook", description: "How we work" })

/** A service, and the ends of the jobs of its own database. */
export const serveKnowledge = Effect.fnUntraced(function*(options: TestServer.Options = {}) {
  const ends = yield* Queue.unbounded<End["_tag"]>()
  let opened: Database | undefined
  const server = yield* TestServer.make({
    knowledge: [handbook],
    embedder: "demo",
    ...options,
    database: (given) => {
      const database = options.database?.(given) ?? given
      const { jobs } = database
      opened = {
        ...database,
        jobs: {
          ...jobs,
          finish: (lease, end) =>
            Effect.tap(
              jobs.finish(lease, end),
              // the repeating jobs of the service are not awaited
              () => end._tag === "Repeat" ? Effect.void : Queue.offer(ends, end._tag)
            )
        }
      }
      return opened
    }
  })
  return { server, stores: () => opened as Database, jobEnd: Queue.take(ends) }
})

const encoded = Effect.fnUntraced(function*(form: FormData, bearer: string | undefined) {
  const response = new Response(form)
  const headers = {
    "content-type": response.headers.get("content-type") ?? "",
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` })
  }
  return { headers, body: yield* Effect.promise(() => response.arrayBuffer()) }
})

export interface Sent {
  readonly fields?: Fields
  readonly file?: File
  readonly query?: string
  readonly bearer?: string | undefined
  /** `Idempotency-Key` */
  readonly key?: string | undefined
}

/** Uploads a content by a multipart form. */
export const uploadContent = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  { bearer, fields = {}, file, key, query = "" }: Sent
): Effect.fn.Return<Answer> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file !== undefined) form.append("file", file)
  const { body, headers } = yield* encoded(form, bearer)
  return yield* ask(server, `/knowledge/content${query}`, {
    method: "POST",
    headers: { ...headers, ...(key === undefined ? {} : { "idempotency-key": key }) },
    body
  })
})

export const textFile = (name: string, text: string, type = "text/plain") => new File([text], name, { type })
