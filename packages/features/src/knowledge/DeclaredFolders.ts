// Folders whose files are contents of a knowledge base: the option `folder`. A node whose declarations are in force
// stores the files that are new or changed, each with a job that processes it, and removes the others. The start does
// not wait for it: a folder whose status is `processing` is loaded by the next start too. A file is the same content in
// all versions of the application, so unchanged files are not processed again.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { DatabaseIds } from "@svc-runtime/engine/database/DatabaseIds"
import { now } from "@svc-runtime/engine/now"
import { Effect, Option, Schema } from "effect"
import type { Item, Kind } from "../declarations/Declaration.ts"
import { ContentStore, type NewContent, type StoredFile } from "./ContentStore.ts"
import * as ContentUpload from "./ContentUpload.ts"
import * as IngestionJob from "./IngestionJob.ts"
import * as Knowledge from "./Knowledge.ts"
import { type Instance, KnowledgeRegistry } from "./KnowledgeRegistry.ts"
import { KnowledgeStores, type Stores } from "./KnowledgeStores.ts"
import * as LocalFolder from "./LocalFolder.ts"

const idOf = ContentUpload.folderIdOf

/** Whether the code declares the content. */
export const has = ({ content_id, instance, origin }: Knowledge.Content): Effect.Effect<boolean> =>
  Effect.map(
    Effect.all([idOf(instance), idOf(instance, origin ?? "")]),
    (ids) => ids.includes(content_id)
  )

/** As the id of the resource is stored: its database may have to be found without its knowledge base. */
const Place = Schema.fromJsonString(Schema.Tuple([Ids.DatabaseId, Schema.String, Knowledge.ContentId]))
const encodePlace = Schema.encodeSync(Place)
const decodePlace = Schema.decodeUnknownEffect(Place)

const remove = Effect.fnUntraced(function*(
  { chunks, contents }: Pick<Stores, "chunks" | "contents">,
  instance: string,
  content_id: Knowledge.ContentId
) {
  const key = { instance, content_id, owner: Owner.anyone }
  const { count, files, generation } = yield* contents.remove(key)
  if (count > 0) yield* chunks.remove({ ...key, generation })
  yield* Effect.forEach(files, (content_id) => chunks.remove({ ...key, content_id, generation }), { discard: true })
})

const storedFiles = Effect.fnUntraced(function*({ contents }: Stores, folder: Knowledge.Content) {
  const stored = new Map<Knowledge.ContentId, StoredFile>()
  let last: Knowledge.ContentId | undefined
  do {
    const page = yield* contents.filesOf(folder, last)
    for (const file of page) stored.set(file.content_id, file)
    last = page.at(-1)?.content_id
  } while (last !== undefined)
  return stored
})

const folderOf = (instance: Instance, content_id: Knowledge.ContentId, folder: string): NewContent => ({
  instance: instance.name,
  content_id,
  user_id: null,
  name: folder.split(/[/\\]/).findLast((part) => part !== "") ?? folder,
  description: "A folder of the code of the service",
  type: ContentUpload.types.folder,
  size: null,
  metadata: null,
  origin: null,
  digest: null
})

/** Milliseconds between two looks at what is processed. */
const pause = "100 millis"

/** Looks between two lines of the log: ten seconds. */
const looksPerLine = 100

/**
 * Stores what is new or changed, removes what the folder does not have, and returns when all is processed. Each file is
 * a transaction. A load of the same folder that begins later ends this one.
 */
const load = Effect.fnUntraced(
  function*(stores: Stores, instance: Instance, files: ReadonlyArray<LocalFolder.LocalFile>) {
    const { contents, signal } = stores
    const { chunkOverlap, chunkSize, chunker, folder: path = "" } = instance.knowledge
    const chunking = { chunker, chunk_size: chunkSize, chunk_overlap: chunkOverlap }
    const subject = `The folder of knowledge '${instance.name}'`
    const [at, id] = [yield* now, yield* idOf(instance.name)]
    yield* Effect.logInfo(`${subject} is being loaded: ${files.length} files. Until then, searches miss some of them`)
    const folder = yield* contents.put(folderOf(instance, id, path), { folder: {} }, at)
    const stored = yield* storedFiles(stores, folder)
    let changed = 0

    /** False: another load has begun. */
    const storeFile = Effect.fnUntraced(function*(file: LocalFolder.LocalFile) {
      const content_id = yield* idOf(instance.name, file.path)
      const before = stored.get(content_id)
      stored.delete(content_id)
      const read = yield* LocalFolder.read(file)
      const source = {
        _tag: "File",
        bytes: typeof read === "string" ? new Uint8Array() : read,
        name: file.path,
        type: ""
      } as const
      const upload: ContentUpload.Upload = {
        name: file.path,
        description: undefined,
        metadata: undefined,
        source,
        reader_id: undefined,
        chunking,
        user_id: null
      }
      const { body, content: prepared } = yield* ContentUpload.prepare(instance, upload)
      const content = { ...prepared, content_id, size: file.size }
      if (typeof read === "string") {
        yield* Effect.logWarning(
          `A file of the folder of knowledge '${instance.name}' is left out: ${file.path}. ${read}`
        )
        if (!(yield* contents.putFile(folder, { ...content, digest: null }, {}, at))) return false
        const version = yield* Effect.orDie(
          contents.get({ instance: instance.name, content_id, owner: Owner.anyone })
        )
        return yield* contents.finish(version, { status: "failed", status_message: read }, at)
      }
      if (before?.digest === content.digest && before.status !== "failed") return true
      changed++
      const job = yield* Effect.orDie(
        IngestionJob.of(instance, content, { source, reader_id: undefined, chunking }, "folderFile")
      )
      const isStored = yield* contents.putFile(folder, content, { body, jobs: [job] }, at)
      yield* signal
      return isStored
    })

    for (const file of files) if (!(yield* storeFile(file))) return
    yield* Effect.forEach(stored.keys(), (content_id) => remove(stores, instance.name, content_id), { discard: true })
    for (let looks = 1;; looks++) {
      const all = [...(yield* storedFiles(stores, folder)).values()]
      const left = all.filter(({ status }) => status === "processing").length
      if (left === 0) break
      if (looks % looksPerLine === 0) {
        yield* Effect.logInfo(`${subject} is being loaded: ${left} of ${files.length} files are left`)
      }
      yield* Effect.sleep(pause)
    }
    const count = files.length === 1 ? "1 file" : `${files.length} files`
    if (yield* contents.finish(folder, { status: "completed", status_message: count }, yield* now)) {
      yield* Effect.logInfo(`${subject} is loaded: ${count}, ${changed} new or changed, ${stored.size} removed`)
    }
  },
  // its ids are those of no other content, and its jobs are new
  Effect.catchTags({ ContentExists: Effect.die, ContentStoredBefore: Effect.die })
)

/** Files that are read at once while they are compared. */
const concurrency = 4

export const kind = Effect.gen(function*() {
  const [registry, databases] = [yield* KnowledgeRegistry, yield* KnowledgeStores]
  const served: ReadonlyArray<string> = yield* DatabaseIds
  const problems: Array<string> = []
  const items: Array<Item> = []
  const loads: Array<Effect.Effect<void, StorageUnavailable>> = []

  for (const instance of registry.all) {
    const { chunkOverlap, chunkSize, chunker = null, folder } = instance.knowledge
    if (folder === undefined) continue
    const { files, problem, skipped } = yield* LocalFolder.scan(folder)
    if (problem !== undefined) problems.push(`Knowledge '${instance.name}': ${problem}`)
    for (const reason of skipped) {
      yield* Effect.logWarning(`A file of the folder of knowledge '${instance.name}' is left out: ${reason}`)
    }
    const hashes = yield* Effect.forEach(
      files,
      (file) => Effect.map(LocalFolder.hashOf(file), (hash) => [file.path, hash] as const),
      { concurrency }
    )
    const content_id = yield* idOf(instance.name)
    const id = encodePlace([instance.database, instance.name, content_id])
    // what is left to do is seen by a start after a crash, too
    const begun = Effect.gen(function*() {
      const { contents } = yield* databases.of(instance)
      yield* Effect.orDie(contents.put(folderOf(instance, content_id, folder), { folder: {} }, yield* now))
    })
    items.push({
      name: `${instance.database}/${instance.name}`,
      content: { files: hashes, chunker, chunkSize, chunkOverlap },
      create: Effect.as(begun, id),
      change: () => Effect.as(begun, Option.some(id))
    })
    loads.push(Effect.gen(function*() {
      const stores = yield* databases.of(instance)
      const found = yield* ContentStore.found(stores.contents, {
        instance: instance.name,
        content_id,
        owner: Owner.anyone
      })
      if (found?.status === "processing") yield* load(stores, instance, files)
    }))
  }

  const kind: Kind = {
    kind: "folder",
    items,
    problems,
    remove: Effect.fnUntraced(function*(given) {
      const [database, name, content_id] = yield* Effect.orDie(decodePlace(given))
      // with a database that the service does not have any more, its contents are gone too
      if (!served.includes(database)) return true
      const known = registry.all.find((each) => each.database === database && each.name === name)
      const stores = known === undefined ? databases.opened.get(database) : databases.of(known)
      yield* remove(yield* stores, name, content_id)
      return true
    }),
    loaded: Effect.forEach(loads, (each) => each, { discard: true })
  }
  return [kind]
})
