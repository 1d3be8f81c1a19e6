import { ComponentStore } from "@svc/runtime/component/ComponentStore"
import { MemoryDatabase } from "@svc/runtime/inMemory/MemoryDatabase"
import * as ComponentStoreSuite from "@svc/testing/suites/ComponentStoreSuite"
import { Layer } from "effect"

ComponentStoreSuite.suite("in memory", ComponentStore.layerMemory.pipe(Layer.provide(MemoryDatabase.layer)))
