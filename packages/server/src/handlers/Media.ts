// The bytes of media. A medium of another user is not found.
import { Api, Errors } from "@svc/api"
import { Databases } from "@svc/runtime/database/Databases"
import { firstFound } from "@svc/runtime/database/firstFound"
import { ServedDatabases } from "@svc/runtime/database/ServedDatabases"
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import * as RequestCaller from "../authorization/RequestCaller.ts"
import * as MediumResponse from "../media/MediumResponse.ts"
import { chooseDatabase } from "../wire/chooseDatabase.ts"
import { orUnavailable } from "../wire/WireErrors.ts"
import { group } from "./group.ts"

export const Media = group(
  Api,
  "media",
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
