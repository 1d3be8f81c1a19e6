import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Layer } from "effect"
import * as MemoryWorkspaceStore from "../MemoryWorkspaceStore.ts"
import * as WorkspaceStoreSuite from "./WorkspaceStoreSuite.ts"

WorkspaceStoreSuite.suite(
  "in memory",
  MemoryWorkspaceStore.layer.pipe(Layer.provideMerge(InMemory.SessionStore), Layer.provide(MemoryDatabase.layer))
)
