// The scripted model that authors get.
export * from "@svc-runtime/testing/ScriptedModel"
