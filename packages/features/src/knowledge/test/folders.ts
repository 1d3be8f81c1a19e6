// Folders of sources, and their files.
import { assert, type Vitest } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Option } from "effect"
import { ContentStore, type NewContent } from "../ContentStore.ts"
import type * as Knowledge from "../Knowledge.ts"
import { folderLimits } from "../KnowledgeLimits.ts"
import { at, contentId, everything, newContent, newestFirst } from "./SampleKnowledge.ts"

const completed = { status: "completed", status_message: "" } as const

const how = { knowledge_id: "handbook", source_id: "wiki" }

const putFolder = (fields: Partial<NewContent> = {}, folder: Json.Object = how, updated = at) =>
  ContentStore.use((contents) => contents.put(newContent(fields), { folder }, updated))

const putFile = (folder: Knowledge.Content, fields: Partial<NewContent> = {}) => {
  const file = newContent({ instance: folder.instance, user_id: folder.user_id, digest: "1", ...fields })
  return Effect.as(ContentStore.use((contents) => contents.putFile(folder, file, {}, at)), file)
}

const namesIn = (instance: string) =>
  Effect.map(
    ContentStore.use((contents) => contents.list({ instance, owner: Owner.anyone }, everything, newestFirst)),
    ({ contents }) => contents.map(({ name }) => name).toSorted()
  )

export const folders = (it: Vitest.MethodsNonLive<ContentStore | JobStore>) => {
  it.effect("the files of a folder are given in pages, in the order of their ids, with their digests", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const folder = yield* putFolder()
      const other = yield* putFolder({ instance: folder.instance })
      yield* putFile(other)
      const ids = Array.from({ length: folderLimits.files + 1 }, contentId).toSorted()
      yield* Effect.forEach(ids, (content_id) => putFile(folder, { content_id }), { discard: true })
      const first = yield* contents.filesOf(folder, undefined)
      const second = yield* contents.filesOf(folder, first.at(-1)?.content_id)
      assert.deepStrictEqual([...first, ...second].map(({ content_id }) => content_id), ids)
      assert.deepStrictEqual(second, [{ content_id: ids.at(-1)!, digest: "1", status: "processing", updated_at: at }])
      assert.deepStrictEqual(yield* contents.filesOf(folder, ids.at(-1)), [])
    }))

  it.effect("no file is stored in a version of a folder that was replaced or removed, or has ended", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const first = yield* putFolder({ name: "folder" })
      const second = yield* putFolder(first)
      const file = newContent({ instance: first.instance, name: "file" })
      const isStored = (folder: Knowledge.Version) => contents.putFile(folder, file, {}, at)
      assert.isFalse(yield* isStored(first))
      assert.isTrue(yield* isStored(second))
      yield* contents.finish(second, completed, at)
      assert.isFalse(yield* isStored(second))
      const third = yield* putFolder(first)
      yield* contents.remove({ ...first, owner: Owner.anyone })
      assert.isFalse(yield* isStored(third))
      assert.deepStrictEqual(yield* namesIn(first.instance), [])
    }))

  it.effect("a removed folder takes its files with it, and neither those of other folders nor those of other owners", () =>
    Effect.gen(function*() {
      const contents = yield* ContentStore
      const folder = yield* putFolder({ name: "folder", user_id: userId() })
      const { instance } = folder
      const other = yield* putFolder({ instance, name: "other" })
      const file = yield* putFile(folder, { name: "file" })
      yield* putFile(folder, { name: "foreign file", user_id: null })
      yield* putFile(other, { name: "other file" })
      const removed = yield* contents.remove({ ...folder, owner: Owner.anyone })
      assert.deepStrictEqual([removed.count, removed.files], [2, [file.content_id]])
      assert.deepStrictEqual(yield* namesIn(instance), ["foreign file", "other", "other file"])
      yield* contents.removeAll({ instance, owner: Owner.anyone })
      assert.deepStrictEqual(yield* namesIn(instance), [])
    }))

  it.effect("a folder is due when it ended before a time, and begins again with its job once", () =>
    Effect.gen(function*() {
      const [contents, jobs] = [yield* ContentStore, yield* JobStore]
      const folder = yield* putFolder()
      const { instance } = folder
      const due = { instance, ...how, before: at + 10 }
      assert.deepStrictEqual(yield* contents.dueFolders(due), [])
      yield* contents.finish(folder, completed, at + 1)
      const foreign = yield* putFolder({ instance }, { ...how, source_id: "other" })
      yield* contents.finish(foreign, completed, at)
      const [found] = yield* contents.dueFolders(due)
      assert.deepStrictEqual([found?.content.content_id, found?.folder], [folder.content_id, how])
      assert.deepStrictEqual(yield* contents.dueFolders({ ...due, before: at + 1 }), [])
      assert.deepStrictEqual(yield* contents.dueFolders({ ...due, knowledge_id: "other" }), [])
      const jobOf = (): Job.NewJob => ({
        id: Job.Id.make(newId("job")),
        kind: newId("kind"),
        key: null,
        isUnique: false,
        payload: null,
        max_attempts: 1,
        user_id: null,
        session_id: null,
        run_at: undefined
      })
      const [first, second] = [jobOf(), jobOf()]
      assert.isTrue(yield* contents.restart(folder, [first]))
      assert.isFalse(yield* contents.restart(folder, [second]))
      assert.isTrue(Option.isSome(yield* jobs.find(first.id, Owner.anyone)))
      assert.isTrue(Option.isNone(yield* jobs.find(second.id, Owner.anyone)))
      const begun = yield* contents.get({ ...folder, owner: Owner.anyone })
      assert.strictEqual(begun.status, "processing")
      assert.isAbove(begun.generation, folder.generation)
      assert.deepStrictEqual(yield* contents.dueFolders(due), [])
    }))
}
