// What the adapter of a channel is written with. It is loaded by what imports it, and not by the service.
export * from "@svc-runtime/channels"
