// What every `ContentStore` has to do.
import { layer } from "@effect/vitest"
import type { JobStore } from "@svc/runtime/jobs/JobStore"
import type { ContentStore } from "@svc/runtime/knowledge/ContentStore"
import type { Layer } from "effect"
import { folders } from "./knowledge/folders.ts"
import { keeping } from "./knowledge/keeping.ts"
import { processing } from "./knowledge/processing.ts"

export const suite = <E>(name: string, stores: Layer.Layer<ContentStore | JobStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ContentStore, ${name}`, (it) => {
    keeping(it)
    processing(it)
    folders(it)
  })
