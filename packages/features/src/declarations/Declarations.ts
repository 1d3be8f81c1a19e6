// Applies what the application declares in code, before the service is ready: what is new is created, what is different
// is changed, and what is declared no more is removed. All of it is one transaction, which does nothing if the same
// declarations are in force.
//
// Nodes of two versions do not undo the declarations of each other. Those of the newest nodes are in force until the
// last of these nodes has stopped, and they are as new as the first node that started with them. So a node of the
// former version that starts again during a deployment changes nothing, and after a rollback it applies its own.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { NewId } from "@svc-runtime/engine/NewId"
import * as BackgroundLoops from "@svc-runtime/engine/node/BackgroundLoops"
import { retryUntilAvailable } from "@svc-runtime/engine/node/retryUntilAvailable"
import { Cause, Effect, Layer, Option, Result, Schema } from "effect"
import * as Declaration from "./Declaration.ts"
import { DeclarationStore } from "./DeclarationStore.ts"

/** Declarations that cannot be used. All of them are named at once. */
export class InvalidDeclarations extends Schema.TaggedError<InvalidDeclarations>()("InvalidDeclarations", {
  message: Schema.String
}) {}

export interface Options {
  readonly node: string
  /** Whether other nodes may use the database. */
  readonly isShared: boolean
  /** Whether the start waits until folders are loaded. */
  readonly awaitsFolders?: boolean | undefined
}

const labels: Readonly<Record<Declaration.KindName, string>> = {
  schedule: "schedule",
  webhook: "webhook",
  dataset: "dataset",
  service_account: "service account",
  folder: "folder",
  budget: "budget",
  prompt: "prompt",
  role: "role"
}

/** Roles of code are not stored. */
const listed = Object.values(labels).filter((label) => label !== labels.role).map((label) => `${label}s`).join(", ")

/** A name that people and the log read. */
const nameRule = /^(?=.*\S)[^\p{Cc}]{1,255}$/u

const problemsOf = ({ items, kind, problems }: Declaration.Kind): ReadonlyArray<string> => [
  ...problems,
  ...items.flatMap(({ name }) =>
    nameRule.test(name) ? [] : [`A ${labels[kind]} has the name '${name}': it must be one line of 1 to 255 characters`]
  ),
  ...Declaration.twice(items.map(({ name }) => name)).map((name) => `Two ${labels[kind]}s are called '${name}'`)
]

interface Change {
  readonly done: "created" | "changed" | "removed" | "kept"
  readonly kind: Declaration.KindName
  readonly name: string
}

/** Between two looks at whether the declarations of this node are the newest ones. */
const every = "15 seconds"

const texts: Readonly<Record<Change["done"], string>> = {
  created: "was created, as the code declares it",
  changed: "was changed, as the code declares it",
  removed: "was removed, because the code does not declare it any more",
  kept: "has no effect any more, because the code does not declare it. It is kept for its records"
}

const log = ({ done, kind, name }: Change) =>
  Effect.annotateLogs(Effect.logInfo(`The ${labels[kind]} '${name}' ${texts[done]}`), { kind, name })

const make = Effect.fnUntraced(function*(kinds: ReadonlyArray<Declaration.Kind>, options: Options) {
  const { awaitsFolders = false, isShared, node } = options
  const problems = kinds.flatMap(problemsOf)
  if (problems.length > 0) {
    return yield* new InvalidDeclarations({
      message: `What the application declares cannot be used. ${problems.map((each) => `${each}.`).join(" ")}`
    })
  }
  // a service without the feature declares nothing
  const store = Option.getOrUndefined(yield* Effect.serviceOption(DeclarationStore))
  if (store === undefined) return
  const isEmpty = kinds.every(({ items }) => items.length === 0)
  if (isEmpty && !(yield* retryUntilAvailable(store.isUsed))) return
  const hash = Declaration.setHashOf(kinds)
  // two processes can have one name
  const process = `${node} ${(yield* NewId)()}`
  const declare = store.declare({ node: process, hash, isAlone: !isShared })

  const applyItem = Effect.fnUntraced(function*(
    kind: Declaration.KindName,
    item: Declaration.Item,
    known: Declaration.Stored | undefined
  ): Effect.fn.Return<ReadonlyArray<Change>, Declaration.DeclarationRefused | StorageUnavailable> {
    const hash = Declaration.hashOf(item)
    if (known?.hash === hash) return []
    const changed = known === undefined ? Option.none<string>() : yield* item.change(known.id)
    const id = Option.isSome(changed) ? changed.value : yield* item.create
    yield* store.put({ kind, name: item.name, id, hash })
    return [{ done: Option.isSome(changed) ? "changed" : "created", kind, name: item.name }]
  })

  const applyKind = Effect.fnUntraced(function*(
    { items, kind, remove }: Declaration.Kind,
    stored: ReadonlyMap<string, Declaration.Stored>
  ) {
    const changes: Array<Change> = []
    const names = new Set(items.map(({ name }) => name))
    // what is removed may have a name or a key that another one has now
    for (const { hash, id, name } of stored.values()) {
      if (names.has(name) || hash === null) continue
      const isRemoved = yield* remove(id)
      yield* isRemoved ? store.remove({ kind, name }) : store.put({ kind, name, id, hash: null })
      changes.push({ done: isRemoved ? "removed" : "kept", kind, name })
    }
    for (const item of items) changes.push(...yield* applyItem(kind, item, stored.get(item.name)))
    return changes
  })

  const applied = Effect.gen(function*() {
    const { isApplied, isNewest } = yield* declare
    if (!isNewest || isApplied) return { changes: [], isNewest }
    const stored = yield* store.all
    const changes: Array<Change> = []
    for (const each of kinds) {
      const own = stored.filter(({ kind }) => kind === each.kind).map((one) => [one.name, one] as const)
      changes.push(...yield* applyKind(each, new Map(own)))
    }
    yield* store.applied(hash)
    return { changes, isNewest }
  })

  const apply = Effect.gen(function*() {
    const { changes, isNewest } = yield* store.exclusively(applied)
    const changed = new Set(changes.map(({ kind }) => kind))
    yield* Effect.forEach(kinds, (each) => changed.has(each.kind) ? each.changed ?? Effect.void : Effect.void)
    yield* Effect.forEach(changes, log)
    return isNewest
  })

  /** Declarations that are refused now are refused again: only the database is waited for. */
  const refusable = apply.pipe(
    Effect.map(Result.succeed),
    Effect.catchTag("DeclarationRefused", ({ message }) =>
      Effect.succeed(
        Result.fail(
          new InvalidDeclarations({ message: `What the application declares cannot be used. ${message}.` })
        )
      ))
  )

  const scope = yield* Effect.scope
  const loaded = Effect.forEach(kinds, (each) => each.loaded ?? Effect.void, { discard: true })
  const load = retryUntilAvailable(loaded).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.logError("A folder of knowledge cannot be loaded. The next start tries it again", cause)
    )
  )
  const loadLater = Effect.asVoid(Effect.forkIn(load, scope))

  // the last word of this node: a node with older declarations need not wait until it counts as gone
  if (isShared) yield* Effect.addFinalizer(() => Effect.ignore(store.leave(process)))
  // a start waits for a silent database, as the engine does
  const isNewest = yield* Effect.fromResult(yield* retryUntilAvailable(refusable))
  if (isNewest) yield* (awaitsFolders ? load : loadLater)
  if (!isShared) return
  if (!isNewest) {
    yield* Effect.logWarning(
      `Another node declares newer ${listed}. Those stay in force until the last such node has stopped`
    )
  }
  const applyAndLoad = Effect.tap(apply, () => loadLater)
  const again = Effect.gen(function*() {
    const { isApplied, isNewest } = yield* declare
    if (isNewest && !isApplied) {
      yield* Effect.catchTag(
        applyAndLoad,
        "DeclarationRefused",
        ({ message }) => Effect.logError(`What the application declares cannot be applied. ${message}`)
      )
    }
  })
  yield* BackgroundLoops.fork({ node }, { declarations: { task: again, when: Effect.sleep(every), every: 0 } })
})

/** Built when the stores and the services of requests are there, and before requests are served. */
export const layer = (kinds: ReadonlyArray<Declaration.Kind>, options: Options) =>
  Layer.effectDiscard(make(kinds, options))
