// The background tasks of sessions. A session of another user is not found.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import * as BackgroundTask from "./BackgroundTask.ts"
import { BackgroundTasks as Endpoints } from "./BackgroundTasksApi.ts"

export const BackgroundTasks = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseDatabase(yield* Databases)

    return handlers.handleAll({
      list: Effect.fn("BackgroundTasks.list")(function*({ params: { session_id }, query }) {
        const { backgroundTasks } = yield* choose(query)
        const owner = yield* RequestCaller.ownerOf(undefined)
        const found = yield* backgroundTasks.list(session_id, owner, query)
        if (Option.isNone(found)) return yield* Errors.notFound(`Session with id '${session_id}' not found`)
        const { tasks, total } = found.value
        return JsonResponse.of(Pagination.response(query, tasks.map(BackgroundTask.toTask), total))
      }, orUnavailable)
    })
  })
)
