// `@svc-runtime/server/channels/telegram`: Telegram as a channel.
export * from "@svc-runtime/channels/telegram/index"
