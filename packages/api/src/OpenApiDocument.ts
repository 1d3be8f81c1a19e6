// The OpenAPI 3.1 document, as it is served and committed.
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { described } from "./documentation/Described.ts"
import type { JsonObject } from "./documentation/Json.ts"
import { ofWire } from "./documentation/WireDocument.ts"
import { securitySchemes } from "./RequiredScope.ts"

/** The API for pages that are made from it. Its texts are not part of `Api`, which clients load. */
export const documented = Api.annotate(
  OpenApi.Transform,
  ({ components, ...document }) =>
    described(ofWire({ ...document, components: { ...components, securitySchemes } } as JsonObject))
)

export const make = (): JsonObject => OpenApi.fromApi(documented) as unknown as JsonObject
