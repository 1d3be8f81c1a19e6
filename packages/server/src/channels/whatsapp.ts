// `@svc-runtime/server/channels/whatsapp`: WhatsApp as a channel.
export * from "@svc-runtime/channels/whatsapp/index"
