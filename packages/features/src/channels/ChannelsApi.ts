// The endpoints of channels. Beyond the contract.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import {
  BadRequest,
  Conflict,
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
import * as ChannelMessage from "./ChannelMessage.ts"
import * as ShownChannel from "./ShownChannel.ts"
import * as StoredChannel from "./StoredChannel.ts"

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

const one = { params: channel, error: [NotFound, Unavailable] } as const

export class Channels extends HttpApiGroup.make("channels")
  .add(
    HttpApiEndpoint.get("list", "/channels", {
      query: Listing.pages({ limit: 20, maximum: 100 }),
      success: Pagination.page(ShownChannel.Shown, "PaginatedChannels"),
      error: Unavailable
    })
      .annotateMerge(requires("channels:read"))
      .annotate(OpenApi.Identifier, "list_channels"),
    HttpApiEndpoint.get("get", "/channels/:channel_id", { ...one, success: ShownChannel.Shown })
      .annotateMerge(requires("channels:read"))
      .annotate(OpenApi.Identifier, "get_channel"),
    HttpApiEndpoint.post("create", "/channels", {
      payload: StoredChannel.Create,
      success: ShownChannel.Shown.pipe(HttpApiSchema.status(201)),
      error: [Conflict, Forbidden, Invalid, NotFound, Unavailable]
    })
      .annotateMerge(requires("channels:write"))
      .annotate(Changes, "channels")
      .annotate(OpenApi.Identifier, "create_channel"),
    HttpApiEndpoint.patch("update", "/channels/:channel_id", {
      params: channel,
      payload: StoredChannel.Patch,
      success: ShownChannel.Shown,
      error: [Conflict, Forbidden, Invalid, NotFound, Unavailable]
    })
      .annotateMerge(requires("channels:write"))
      .annotate(Changes, "channels")
      .annotate(OpenApi.Identifier, "update_channel"),
    HttpApiEndpoint.delete("remove", "/channels/:channel_id", {
      params: channel,
      success: HttpApiSchema.NoContent,
      error: [Conflict, Forbidden, NotFound, Unavailable]
    })
      .annotateMerge(requires("channels:delete"))
      .annotate(Changes, "channels")
      .annotate(OpenApi.Identifier, "delete_channel"),
    HttpApiEndpoint.post("test", "/channels/:channel_id/test", {
      params: channel,
      success: ShownChannel.Tested,
      error: [Forbidden, NotFound, Unavailable]
    })
      .annotateMerge(requires("channels:write"))
      .annotate(OpenApi.Identifier, "test_channel"),
    HttpApiEndpoint.post("send", "/channels/:channel_id/messages", {
      params: channel,
      payload: ChannelMessage.Send,
      success: ChannelMessage.Shown.pipe(HttpApiSchema.status(202)),
      error: [BadRequest, Conflict, Invalid, NotFound, TooManyRequests, Unavailable]
    })
      .annotateMerge(requires("channels:write"))
      .annotate(OpenApi.Identifier, "send_channel_message"),
    HttpApiEndpoint.get("getMessage", "/channels/:channel_id/messages/:channel_message_id", {
      params: { ...channel, channel_message_id: Schema.String },
      success: ChannelMessage.Shown,
      error: [NotFound, Unavailable]
    })
      .annotateMerge(requires("channels:read"))
      .annotate(OpenApi.Identifier, "get_channel_message"),
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
    list_channels: {
      summary: "List the channels",
      description: "Returns the channels by their ids, with what they did last. A tenant gets its own and those of all."
    },
    get_channel: { summary: "Get a channel", description: "Returns one channel, with what it did last." },
    create_channel: {
      method: "create",
      summary: "Make a channel",
      description: "Stores a channel, which all nodes serve at once. Its secrets are stored sealed, and never shown.",
      body: {
        platform: "telegram",
        component_kind: "agent",
        component_id: "assistant",
        settings: { token: "123456:the-token-of-the-bot-of-thirty-five", secret: "a-secret_of-the-webhook" }
      }
    },
    update_channel: {
      method: "update",
      summary: "Change a channel",
      description:
        "Changes what is given. A setting that is null is removed. Declared channels are changed in the code.",
      body: { when_busy: "interrupt" }
    },
    delete_channel: {
      method: "remove",
      summary: "Delete a channel",
      description: "Removes a channel with its secrets, its linked accounts and its conversations. Sessions stay."
    },
    test_channel: {
      summary: "Test a channel",
      description: "Calls the platform with the settings of the channel. It writes nothing to people."
    },
    send_channel_message: {
      method: "send",
      summary: "Write to a person on a platform",
      description:
        "Stores a message, which is written soon. With an `Idempotency-Key`, a repeated request writes none.",
      body: { to: { user_id: "ann" }, text: "Your order is on its way." }
    },
    get_channel_message: {
      method: "message",
      summary: "Get a message",
      description: "Says whether a message that was sent is written."
    },
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
      body: { code: "K7MPQ-2XWDR", user_id: "ann" }
    },
    list_channel_links: {
      method: "links",
      summary: "List the linked accounts",
      description: "Returns the accounts of the caller on platforms, the newest first. Admins get those of all users."
    },
    delete_channel_link: {
      method: "unlink",
      summary: "Remove a linked account",
      description: "The channel knows the person no more. What the person has started continues."
    }
  },
  fields: {
    access: "`linked`: people link their accounts. `open`: the channel says who may talk to the component",
    component_kind: "The kind of the component that answers",
    events_path: "Where the platform sends events. Null: the service listens over a connection",
    health: "What the channel did last. Null: it is not of the tenant of the caller",
    channel_message_id: ["The id of the message", "6f1c0f5e-3a8e-4a7e-9a59-2f4bb0a7c0de"],
    identity: "Who the agent is on the platform",
    last_event_at: "When something arrived last, in epoch seconds",
    last_post_at: "When something was written last, in epoch seconds",
    ok: "Whether the platform accepts the settings",
    platform: "The platform, such as `slack`",
    approvers: "The people on the platform who may decide what runs wait for",
    senders: "The people on the platform who may talk to the component. Everybody, when left out",
    "Channel.secrets": "The names of its stored secrets",
    "Channel.settings": "The settings of a stored channel that are not secret. Null: the code has them",
    "ChannelCreate.access": "Who may talk to the component. People with linked accounts, when left out",
    "ChannelCreate.component_id": "The id of the component that answers",
    "ChannelCreate.id": "A part of the address. The name of the platform, when left out",
    "ChannelCreate.platform": "`discord`, `github`, `slack`, `telegram`, `twilio` or `whatsapp`",
    "ChannelCreate.settings": "The settings of the platform, also the secret ones, by their names",
    "ChannelUpdate.access": "Who may talk to the component",
    "ChannelUpdate.component_id": "The id of the component that answers",
    "ChannelUpdate.settings": "The settings to change. Null removes one",
    waiting_events: "What has arrived and is not handled yet",
    waiting_replies: "What is to be written yet",
    when_busy: "What a message does that arrives while a run of its session executes",
    "Channel.component_id": "The id of the component that answers",
    "Channel.id": "The id of the channel",
    "ChannelMessage.error": "Why it could not be written",
    "ChannelMessage.id": "The id of the message",
    "ChannelMessage.status": "`waiting` until it is written",
    "ChannelMessageSend.thread": "A conversation in which one of the caller's people has written",
    "ChannelProblem.at": "When it happened last, in epoch seconds",
    "ChannelProblem.message": "What has failed",
    "ChannelTest.error": "Why the platform refuses the settings, or cannot be reached",
    "ChannelTest.message": "What the platform says",
    "Channel.declared": "Whether the code of the service declares the channel",
    "Channel.tenant": "The tenant whose users the channel is for. Null: users of all",
    "ChannelMessage.thread": "The conversation in which it is written",
    "ChannelMessage.written_at": "When it was written, in epoch seconds",
    "ChannelMessageSend.text": "What is written, in Markdown",
    "ChannelMessageSend.to": "A user who has linked an account, what the platform calls a person, or a conversation",
    approves: "Whether the person may decide what runs of others wait for",
    channel: "The id of the channel",
    code: "The code that the channel has shown to the person, within 10 minutes",
    "ChannelLink.id": "The id of the link",
    "ChannelLink.name": "The name of the person on the platform",
    "ChannelLink.scopes": "What the person may do on the channel now",
    "ChannelLinkConfirm.user_id": "The user whose account it is. Counts only if the credential names no user",
    "ChannelLinking.name": "The name of the person on the platform",
    "ChannelLink.expires_at": "From then on the channel asks for another confirmation. Null: never",
    link_id: ["The id of the link", "6f1c0f5e-3a8e-4a7e-9a59-2f4bb0a7c0de"],
    sender: "What the platform calls the person",
    channel_id: ["The id of the channel", "slack"]
  }
}
