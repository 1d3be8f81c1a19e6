// The endpoints of channels. Beyond the contract.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import {
  BadRequest,
  Forbidden,
  Invalid,
  NotFound,
  PayloadTooLarge,
  TooManyRequests,
  Unauthenticated,
  Unavailable,
  UnsupportedMediaType
} from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import { owner } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { Changes, requires, requiresCaller } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as ChannelLink from "./ChannelLink.ts"

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
      .annotate(OpenApi.Identifier, "verify_channel"),
    HttpApiEndpoint.post("previewLink", "/channels/links/preview", {
      payload: ChannelLink.Preview,
      success: ChannelLink.Linking,
      error: [Forbidden, NotFound, TooManyRequests, Unavailable]
    })
      .annotateMerge(requiresCaller)
      .annotate(OpenApi.Identifier, "preview_channel_link"),
    HttpApiEndpoint.post("confirmLink", "/channels/links", {
      payload: ChannelLink.Confirm,
      success: ChannelLink.Shown.pipe(HttpApiSchema.status(201)),
      error: [Forbidden, Invalid, NotFound, TooManyRequests, Unavailable]
    })
      .annotateMerge(requiresCaller)
      .annotate(Changes, "channels")
      .annotate(OpenApi.Identifier, "confirm_channel_link"),
    HttpApiEndpoint.get("listLinks", "/channels/links", {
      query: { ...owner, ...Listing.pages({ limit: 20, maximum: 100 }) },
      success: Pagination.page(ChannelLink.Shown, "PaginatedChannelLinks"),
      error: Unavailable
    })
      .annotateMerge(requiresCaller)
      .annotate(OpenApi.Identifier, "list_channel_links"),
    HttpApiEndpoint.delete("removeLink", "/channels/links/:link_id", {
      params: { link_id: Schema.String },
      success: HttpApiSchema.NoContent,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requiresCaller)
      .annotate(Changes, "channels")
      .annotate(OpenApi.Identifier, "delete_channel_link")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
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
    },
    preview_channel_link: {
      method: "previewLink",
      summary: "Show whose account a code links",
      description: "Returns the account on the platform to which the channel has shown this code. It links nothing.",
      body: { code: "K7MPQ-2XWDR" }
    },
    confirm_channel_link: {
      method: "confirmLink",
      summary: "Link an account of a platform",
      description: "The person to whom the channel has shown this code is the caller from now on.",
      body: { code: "K7MPQ-2XWDR" }
    },
    list_channel_links: {
      method: "links",
      summary: "List the linked accounts",
      description: "Returns the accounts of the caller on platforms, the newest first. Admins get those of all users."
    },
    delete_channel_link: {
      method: "unlink",
      summary: "Remove a linked account",
      description: "The channel knows the person no more. What the person has started goes on."
    }
  },
  fields: {
    approves: "Whether the person may decide what runs of others wait for",
    channel: "The id of the channel",
    code: "The code that the channel has shown to the person, within 10 minutes",
    "ChannelLink.id": "The id of the link",
    "ChannelLink.name": "The name of the person on the platform",
    "ChannelLink.scopes": "What the person may do on the channel now",
    "ChannelLinkConfirm.user_id": "The user whose account it is. Counts only if the credential names no user",
    "ChannelLinking.name": "The name of the person on the platform",
    "ChannelLink.expires_at": "From then on the channel asks for another confirmation. Null: never",
    link_id: "The id of the link",
    sender: "What the platform calls the person",
    channel_id: "The id of the channel, such as `slack`"
  }
}
