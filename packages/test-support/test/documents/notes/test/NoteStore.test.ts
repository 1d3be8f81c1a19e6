import * as MemoryNoteStore from "../MemoryNoteStore.ts"
import * as NoteStoreSuite from "./NoteStoreSuite.ts"

NoteStoreSuite.suite("in memory", MemoryNoteStore.layer)
