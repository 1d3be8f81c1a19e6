import { features } from "@svc-runtime/features/features"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { everyDatabase } from "@svc-runtime/test-support/stores/everyStore"
import { Layer } from "effect"
import { notes } from "../feature.ts"
import * as MemoryNoteStore from "../MemoryNoteStore.ts"
import { NoteStore } from "../NoteStore.ts"
import * as NoteStoreSuite from "./NoteStoreSuite.ts"

// for a feature of the list, everyStore(NoteStoreSuite.suite) is the whole file
NoteStoreSuite.suite("in memory", MemoryNoteStore.layer)

everyDatabase((name, database) => {
  const stores = SqlStores.layerOf([...features, notes]).pipe(Layer.provide(database))
  NoteStoreSuite.suite(name, Layer.provide(Layer.effect(NoteStore, NoteStore), stores))
})
