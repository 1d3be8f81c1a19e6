// `@svc-runtime/server/channels`: what an adapter of one's own needs. Each platform is an entry of its own, so that a
// service loads the platforms that it has.
export * from "@svc-runtime/channels"
export { message } from "@svc-runtime/features/channels/ChannelJobs"
