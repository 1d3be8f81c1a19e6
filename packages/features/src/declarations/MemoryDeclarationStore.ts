// `DeclarationStore` in memory.
import { Clock, Effect, Layer, Semaphore } from "effect"
import type * as Declaration from "./Declaration.ts"
import { DeclarationStore, silentAfter } from "./DeclarationStore.ts"

const make = Effect.gen(function*() {
  const lock = yield* Semaphore.make(1)
  const declarations = new Map<string, Declaration.Stored>()
  const nodes = new Map<string, { readonly hash: string; readonly seenAt: number }>()
  /** The oldest first. */
  const sets: Array<string> = []
  let inForce: string | undefined

  const keyOf = ({ kind, name }: Pick<Declaration.Stored, "kind" | "name">) => `${kind}\n${name}`

  return DeclarationStore.of({
    isUsed: Effect.sync(() => sets.length > 0),
    declare: ({ hash, isAlone, node }) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        if (!sets.includes(hash)) sets.push(hash)
        if (isAlone) nodes.clear()
        nodes.set(node, { hash, seenAt: at })
        const live = new Set(
          [...nodes.values()].filter(({ seenAt }) => seenAt > at - silentAfter * 1000).map(({ hash }) => hash)
        )
        const isNewest = sets.findLast((each) => live.has(each)) === hash
        return { isNewest, isApplied: isNewest && inForce === hash }
      }),
    leave: (node) => Effect.sync(() => void nodes.delete(node)),
    exclusively: (effect) => lock.withPermits(1)(effect),
    all: Effect.sync(() => [...declarations.values()].toSorted((one, other) => keyOf(one) < keyOf(other) ? -1 : 1)),
    ids: (kind) =>
      Effect.sync(() =>
        new Set(
          [...declarations.values()].flatMap((each) => each.kind === kind && each.hash !== null ? [each.id] : [])
        )
      ),
    put: (declared) => Effect.sync(() => void declarations.set(keyOf(declared), declared)),
    remove: (declared) => Effect.sync(() => void declarations.delete(keyOf(declared))),
    applied: (hash) =>
      Effect.sync(() => {
        inForce = hash
      })
  })
})

export const layer: Layer.Layer<DeclarationStore> = Layer.effect(DeclarationStore, make)
