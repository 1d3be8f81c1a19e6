import { ChunkStore } from "@svc-runtime/features/knowledge/ChunkStore"
import * as ChunkStoreSuite from "@svc-runtime/features/knowledge/test/ChunkStoreSuite"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import { Layer } from "effect"
import { make } from "../src/vectorStore.ts"

ChunkStoreSuite.own(
  "of the example",
  Layer.merge(Layer.sync(ChunkStore, make), TestDatabase.layer)
)
