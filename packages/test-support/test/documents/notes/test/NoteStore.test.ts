import { Layer } from "effect"
import * as MemoryNotes from "../MemoryNotes.ts"
import { NoteStore } from "../NoteStore.ts"
import * as NoteStoreSuite from "./NoteStoreSuite.ts"

NoteStoreSuite.suite("in memory", Layer.sync(NoteStore, () => NoteStore.of(MemoryNotes.make(new Map()))))
