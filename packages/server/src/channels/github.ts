// `@svc-runtime/server/channels/github`: GitHub as a channel.
export * from "@svc-runtime/channels/github/index"
