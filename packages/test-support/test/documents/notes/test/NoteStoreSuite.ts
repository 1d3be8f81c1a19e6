// What every `NoteStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import * as Note from "../Note.ts"
import { NoteStore } from "../NoteStore.ts"

export const noteOf = (fields: Partial<Note.Note> = {}): Note.Note => ({
  id: Note.Id.make(newId("note")),
  user_id: userId(),
  text: "Order 17 is late",
  created_at: 1_000,
  ...fields
})

export const suite = <E>(name: string, stores: Layer.Layer<NoteStore, E>) =>
  layer(stores, { excludeTestServices: true })(`NoteStore, ${name}`, (it) => {
    it.effect("a note is found and removed by its user, and is missing for another user", () =>
      Effect.gen(function*() {
        const store = yield* NoteStore
        const user_id = userId()
        const [note, other] = [noteOf({ user_id }), Owner.user(userId())]
        yield* store.create(note)
        assert.deepStrictEqual(yield* store.find(note.id, Owner.user(user_id)), Option.some(note))
        assert.isTrue(Option.isNone(yield* store.find(note.id, other)))
        assert.isFalse(yield* store.remove(note.id, other))
        assert.isTrue(yield* store.remove(note.id, Owner.user(user_id)))
        assert.isTrue(Option.isNone(yield* store.find(note.id, Owner.anyone)))
      }))

    it.effect("the notes of a user are listed with the newest first and with their number", () =>
      Effect.gen(function*() {
        const store = yield* NoteStore
        const user_id = userId()
        const notes = ["first", "second", "third"].map((text) => noteOf({ user_id, text }))
        for (const note of notes) yield* store.create(note)
        yield* store.create(noteOf())
        const page = yield* store.list(Owner.user(user_id), { page: 1, limit: 2 })
        assert.deepStrictEqual(page, { notes: notes.toReversed().slice(0, 2), total: 3 })
        const past = yield* store.list(Owner.user(user_id), { page: 3, limit: 2 })
        assert.deepStrictEqual(past, { notes: [], total: 3 })
      }))

    it.effect("U+0000 in a text is replaced", () =>
      Effect.gen(function*() {
        const store = yield* NoteStore
        const note = noteOf({ text: "a\0b" })
        yield* store.create(note)
        const found = Option.getOrThrow(yield* store.find(note.id, Owner.anyone))
        assert.strictEqual(found.text, "a\ufffdb")
      }))
  })
