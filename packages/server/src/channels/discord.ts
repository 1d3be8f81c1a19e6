// `@svc-runtime/server/channels/discord`: Discord as a channel.
export * from "@svc-runtime/channels/discord/index"
