// The service in memory that authors get, with all of its parts.
export * from "@svc-runtime/testing/TestServer"
