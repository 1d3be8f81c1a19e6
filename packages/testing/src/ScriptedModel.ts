// The scripted model that authors get.
export * from "@svc/testkit/ScriptedModel"
