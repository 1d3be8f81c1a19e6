import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import { WebhookStore } from "@svc/runtime/webhook/WebhookStore"
import * as WebhookStoreSuite from "@svc/testing/suites/WebhookStoreSuite"
import { Layer } from "effect"

WebhookStoreSuite.suite("in memory", WebhookStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
