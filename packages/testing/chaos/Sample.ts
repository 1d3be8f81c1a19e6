export * from "@svc/testing/Sample"
