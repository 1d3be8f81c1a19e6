import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as MemoryChannelStore from "../MemoryChannelStore.ts"
import * as ChannelStoreSuite from "./ChannelStoreSuite.ts"

ChannelStoreSuite.suite(
  "in memory",
  Layer.provideMerge(MemoryChannelStore.layer, InMemory.JobStore).pipe(Layer.provide(MemoryDatabase.layer))
)
