import * as ComponentStoreSuite from "@svc-runtime/features/components/test/ComponentStoreSuite"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"

ComponentStoreSuite.suite("in memory", InMemory.ComponentStore.pipe(Layer.provide(MemoryDatabase.layer)))
