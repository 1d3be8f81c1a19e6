// Reads tasks: the runs of a component that the caller may see.
import type { Operation } from "@svc-runtime/agents/runService/RunPermission"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import { IdInput } from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Time from "@svc-runtime/domain/Time"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import type { FoundAt, FoundRun } from "@svc-runtime/engine/run/store/RunReads"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import * as Model from "@svc-runtime/protocols/a2a/Model"
import type { ListQuery, TaskPage } from "@svc-runtime/protocols/a2a/Operation"
import * as Tasks from "@svc-runtime/protocols/a2a/Tasks"
import { Effect, Option, Schema } from "effect"
import { toA2a } from "./failures.ts"
import type { Target } from "./Target.ts"

const encodeToken = ({ position, updated_at }: FoundAt) =>
  Buffer.from(`${updated_at}:${position}`).toString("base64url")

const decodeToken = (token: string): FoundAt | undefined => {
  const [, updated_at, position] = /^(\d{1,15}):(\d{1,15})$/.exec(Buffer.from(token, "base64url").toString()) ?? []
  return updated_at === undefined || position === undefined
    ? undefined
    : { updated_at: Number(updated_at), position: Number(position) }
}

/** Of a timestamp that was decoded. */
const secondsOf = (timestamp: string) => Option.getOrThrow(Time.microsecondsOf(timestamp)) / 1_000_000

const notFound = A2aError.make("TASK_NOT_FOUND")

const isId = Schema.is(IdInput)

/** `responseLimit`: the bytes of one response. */
export const make = (service: RunService["Service"], responseLimit: number) => {
  const find = Effect.fnUntraced(function*({ caller, component }: Target, id: string, partOf?: Operation) {
    // no run has another id
    if (!isId(id)) return yield* notFound
    const { runs: [found] } = yield* toA2a(
      service.search({ caller, component, partOf, run_id: Run.Id.make(id), limit: 1 })
    )
    return found === undefined ? yield* notFound : found
  })

  /** The same permission for a task that may not exist yet. */
  const permit = (...given: Parameters<typeof find>) =>
    Effect.catchIf(find(...given), (error) => error === notFound, () => Effect.void)

  const read = Effect.fnUntraced(function*(
    { caller, component }: Target,
    found: FoundRun,
    shown: Tasks.Shown,
    partOf?: Operation
  ) {
    const { metadata, run_id, session_id, updated_at } = found
    const run = yield* toA2a(ReadLimiter.reading(service.get({ caller, component, partOf, run_id, session_id })))
    return Tasks.of({ run, metadata, updated_at }, shown)
  })

  const list = Effect.fnUntraced(function*(target: Target, query: ListQuery) {
    const { contextId, historyLength, includeArtifacts, pageSize, pageToken, status, statusTimestampAfter } = query
    const after = pageToken === undefined ? undefined : decodeToken(pageToken)
    if (pageToken !== undefined && after === undefined) {
      return yield* A2aError.make("INVALID_PARAMS", "pageToken: this is no token of a page")
    }
    const { caller, component } = target
    const { bytes, runs, total } = yield* toA2a(ReadLimiter.reading(service.search({
      caller,
      component,
      session_id: contextId === undefined ? undefined : Session.Id.make(contextId),
      ...(status === undefined ? {} : Model.runsIn(status)),
      updatedFrom: statusTimestampAfter === undefined ? undefined : secondsOf(statusTimestampAfter),
      after,
      limit: pageSize + 1,
      isReading: true
    })))
    const page = runs.slice(0, pageSize)
    const hasMore = runs.length > pageSize || bytes > responseLimit
    const last = page.at(-1)
    const shown = { historyLength, hasArtifacts: includeArtifacts }
    const result: TaskPage = {
      tasks: page.flatMap(({ metadata, output, updated_at }) =>
        output === undefined ? [] : [Tasks.of({ run: output, metadata, updated_at }, shown)]
      ),
      nextPageToken: last !== undefined && hasMore ? encodeToken(last) : "",
      pageSize,
      totalSize: total
    }
    return result
  })

  return { find, permit, read, list }
}

export type TaskReading = ReturnType<typeof make>
