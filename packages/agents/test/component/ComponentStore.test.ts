import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import * as ComponentStoreSuite from "@svc-runtime/features/components/test/ComponentStoreSuite"
import { Layer } from "effect"

ComponentStoreSuite.suite("in memory", ComponentStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
