// What the components of the service have. It does not change after the start, so it is made once.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { Effect } from "effect"
import { Registry as Endpoints } from "./RegistryApi.ts"
import { resourceParts } from "./resourceParts.ts"
import * as Resources from "./Resources.ts"

export const Registry = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const all = Resources.of(yield* resourceParts)

    return handlers.handleAll({
      list: Effect.fn("Registry.list")(function*({ query }) {
        const begun = yield* Monotonic.millis
        const part = (query.name ?? "").trim().toLowerCase()
        const found = all.filter(({ name, type }) =>
          (query.resource_type ?? type) === type && name.toLowerCase().includes(part)
        )
        const { data, meta } = Pagination.response(query, Pagination.slice(query, found), found.length)
        return JsonResponse.of({ data, meta: { ...meta, search_time_ms: (yield* Monotonic.millis) - begun } })
      })
    })
  })
)
