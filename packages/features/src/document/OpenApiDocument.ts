// The OpenAPI 3.1 document, as it is served and committed.
import type { JsonObject } from "@svc-runtime/api/documentation/Json"
import { securitySchemes } from "@svc-runtime/api/RequiredScope"
import { type AnyApi, untyped } from "@svc-runtime/api/ServiceApi"
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../Api.ts"
import { described } from "./Described.ts"
import { ofWire } from "./WireDocument.ts"

/** An API for pages that are made from it. Its texts are not part of `Api`, which clients load. */
export const documentedOf = (api: AnyApi): AnyApi =>
  api.annotate(
    OpenApi.Transform,
    ({ components, ...document }) =>
      described(ofWire({ ...document, components: { ...components, securitySchemes } } as JsonObject))
  )

const decode = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.MutableJson))

export const make = (): JsonObject => decode(OpenApi.fromApi(documentedOf(untyped(Api))))
