// `@svc-runtime/server/channels/twilio`: SMS by Twilio as a channel.
export * from "@svc-runtime/channels/twilio/index"
