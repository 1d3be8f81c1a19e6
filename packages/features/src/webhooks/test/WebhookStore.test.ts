import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as WebhookStoreSuite from "./WebhookStoreSuite.ts"

WebhookStoreSuite.suite("in memory", InMemory.WebhookStore.pipe(Layer.provide(MemoryDatabase.layer)))
