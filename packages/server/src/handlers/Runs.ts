// The runs of all components, the newest first.
import { Api } from "@svc/api"
import * as Pagination from "@svc/domain/Pagination"
import * as RunItem from "@svc/domain/RunItem"
import { Databases } from "@svc/runtime/database/Databases"
import { Effect } from "effect"
import * as RequestCaller from "../authorization/RequestCaller.ts"
import { chooseDatabase } from "../wire/chooseDatabase.ts"
import * as JsonResponse from "../wire/JsonResponse.ts"
import { orUnavailable } from "../wire/WireErrors.ts"
import { group } from "./group.ts"

export const Runs = group(
  Api,
  "runs",
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseDatabase(yield* Databases)

    return handlers.handleAll({
      list: Effect.fn("Runs.list")(function*({ query }) {
        const { runs } = yield* choose(query)
        const { component_id, run_id, session_id, status, type: kind, user_id } = query
        const owner = yield* RequestCaller.ownerOf(user_id)
        const filter = { owner, kind, component_id, run_id, session_id, status }
        const found = yield* runs.listAll(filter, query)
        return JsonResponse.of(Pagination.response(query, found.runs.map(RunItem.toItem), found.total))
      }, orUnavailable)
    })
  })
)
