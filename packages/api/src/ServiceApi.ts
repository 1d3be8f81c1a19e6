// The API of a service before its groups are added. `Api` of `features` is the whole list of groups. The handlers of
// one group need only their group.
import * as Service from "@svc-runtime/domain/Service"
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"

/** An API with any groups. A service serves the groups of its features. */
export type AnyApi = HttpApi.HttpApi<"svc", HttpApiGroup.Constraint>

/** The same API without the types of its groups. */
export const untyped = (api: HttpApi.Constraint): AnyApi => api as AnyApi

export const empty = HttpApi.make("svc")
  // report all invalid fields of a request at once
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(OpenApi.annotations({
    title: "Svc",
    version: Service.apiVersion,
    description: "A self-hosted runtime service for AI agents, teams and workflows"
  }))
