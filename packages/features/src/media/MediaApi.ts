// The bytes of media that models made.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, NotFound, RangeNotSatisfiable, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { database, owner } from "@svc-runtime/api/query/DatabaseQuery"
import { requires } from "@svc-runtime/api/RequiredScope"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

const inSessions = { admitsSessionTokens: true }

const bytes = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array())

export class Media extends HttpApiGroup.make("media")
  .add(
    HttpApiEndpoint.get("get", "/media/:media_id", {
      params: { media_id: Schema.String },
      query: { ...owner, db_id: database.db_id },
      success: [bytes, bytes.pipe(HttpApiSchema.status(206)), HttpApiSchema.Empty(304)],
      error: [BadRequest, NotFound, RangeNotSatisfiable, Unavailable]
    })
      .annotateMerge(requires("sessions:read", inSessions))
      .annotate(OpenApi.Identifier, "get_media")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Media", description: "Images and clips that models made" }))
{}

export const texts: Texts = {
  operations: {
    get_media: {
      summary: "Get the bytes of a medium",
      description: "Returns an image or a clip that a model made in a run. A request may ask for a range of bytes."
    }
  }
}
