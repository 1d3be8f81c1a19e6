// `@svc-runtime/server/channels/slack`: Slack as a channel.
export * from "@svc-runtime/channels/slack/index"
