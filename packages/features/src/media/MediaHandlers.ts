// The bytes of media. A medium of another user is not found.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { firstFound } from "@svc-runtime/agents/database/firstFound"
import { ServedDatabases } from "@svc-runtime/agents/database/ServedDatabases"
import { Errors } from "@svc-runtime/api"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { Media as Endpoints } from "./MediaApi.ts"
import * as MediumResponse from "./MediumResponse.ts"

export const Media = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const served = yield* ServedDatabases
    const choose = chooseDatabase(yield* Databases)

    return handlers.handleAll({
      get: Effect.fn("Media.get")(function*({ params: { media_id }, query: { db_id, user_id } }) {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const owner = yield* RequestCaller.ownerOf(user_id)
        const ids = db_id === undefined ? served.ids : [(yield* choose({ db_id })).id]
        const found = yield* firstFound(served, ids, ({ database: { media } }) =>
          Effect.map(
            media.find(media_id, owner),
            Option.map((medium) => ({ medium, media }))
          ))
        if (Option.isNone(found)) return yield* Errors.notFound(`Medium with id '${media_id}' not found`)
        const { media, medium } = found.value
        return MediumResponse.of(headers, medium, (part) => media.readPart(medium, part, owner))
      }, orUnavailable)
    })
  })
)
