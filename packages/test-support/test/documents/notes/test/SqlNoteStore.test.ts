import { features } from "@svc-runtime/features/features"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import { notes } from "../feature.ts"
import { NoteStore } from "../NoteStore.ts"
import * as NoteStoreSuite from "./NoteStoreSuite.ts"

// the tables are made by the record, at the end of the others; a feature of the list takes Migrations.layer
const stores = SqlStores.layerOf([...features, notes]).pipe(Layer.provide(PgliteLayer.layer))

NoteStoreSuite.suite("on PGlite", Layer.provide(Layer.effect(NoteStore, NoteStore), stores))
