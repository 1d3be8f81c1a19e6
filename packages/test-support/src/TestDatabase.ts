// The stores of a service on an embedded database in memory.
export * from "@svc-runtime/testing/TestDatabase"
