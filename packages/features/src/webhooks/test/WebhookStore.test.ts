import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import { Layer } from "effect"
import { WebhookStore } from "../WebhookStore.ts"
import * as WebhookStoreSuite from "./WebhookStoreSuite.ts"

WebhookStoreSuite.suite("in memory", WebhookStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
