// The bytes of media that models made.
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Texts } from "./documentation/Texts.ts"
import { BadRequest, NotFound, Unavailable } from "./Errors.ts"
import { Authorization } from "./middleware/Authorization.ts"
import { ContractErrors } from "./middleware/ContractErrors.ts"
import { database, owner } from "./query/DatabaseQuery.ts"
import { requires } from "./RequiredScope.ts"

const bytes = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array())

/** `Content-Range` has the size. */
const NoSuchRange = HttpApiSchema.Empty(416)

export class Media extends HttpApiGroup.make("media")
  .add(
    HttpApiEndpoint.get("get", "/media/:media_id", {
      params: { media_id: Schema.String },
      query: { ...owner, db_id: database.db_id },
      success: [bytes, bytes.pipe(HttpApiSchema.status(206)), HttpApiSchema.Empty(304)],
      error: [BadRequest, NotFound, NoSuchRange, Unavailable]
    })
      .annotateMerge(requires("sessions:read"))
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
