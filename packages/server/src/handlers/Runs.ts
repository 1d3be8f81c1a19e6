// The runs of all components, the newest first.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { Runs as Endpoints } from "@svc-runtime/api/Runs"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as RunItem from "@svc-runtime/domain/RunItem"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect } from "effect"

export const Runs = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseDatabase(yield* Databases)

    return handlers.handleAll({
      list: Effect.fn("Runs.list")(function*({ query }) {
        const { runs } = yield* choose(query)
        const { component_id, run_id, session_id, sort_by: by, sort_order: order, status, type: kind, user_id } = query
        const { created_after: createdAfter, created_before: createdBefore } = query
        const owner = yield* RequestCaller.ownerOf(user_id)
        const filter = {
          owner,
          kind,
          component_id,
          run_id,
          session_id,
          status,
          createdAfter,
          createdBefore,
          sort: { by, order }
        }
        const found = yield* runs.listAll(filter, query)
        return JsonResponse.of(Pagination.response(query, found.runs.map(RunItem.toItem), found.total))
      }, orUnavailable)
    })
  })
)
