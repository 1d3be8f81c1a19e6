// The endpoints of channels. Beyond the contract.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import {
  BadRequest,
  NotFound,
  PayloadTooLarge,
  TooManyRequests,
  Unauthenticated,
  Unavailable,
  UnsupportedMediaType
} from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { requires } from "@svc-runtime/api/RequiredScope"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const channel = { channel_id: Schema.String }

const refusals = [
  BadRequest,
  Unauthenticated,
  NotFound,
  PayloadTooLarge,
  UnsupportedMediaType,
  TooManyRequests,
  Unavailable
] as const

export class Channels extends HttpApiGroup.make("channels")
  .add(
    HttpApiEndpoint.post("receive", "/channels/:channel_id/events", {
      params: channel,
      success: Schema.Unknown,
      error: refusals
    })
      .annotateMerge(requires("none"))
      .annotate(OpenApi.Identifier, "receive_channel_events"),
    HttpApiEndpoint.get("verify", "/channels/:channel_id/events", {
      params: channel,
      success: Schema.Unknown,
      error: refusals
    })
      .annotateMerge(requires("none"))
      .annotate(OpenApi.Identifier, "verify_channel")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({
      title: "Channels",
      description: "Platforms on which agents answer. Beyond the contract"
    })
  )
{}

export const texts: Texts = {
  operations: {
    receive_channel_events: {
      summary: "Receive events of a platform",
      description: "Stores what people did on the platform, which signs its requests. The response is as it asks for."
    },
    verify_channel: {
      method: "verify",
      summary: "Verify the address of a channel",
      description: "Responds to a platform that checks the address before it sends events."
    }
  },
  fields: {
    channel_id: "The id of the channel, such as `slack`"
  }
}
