// `DeclarationStore` in memory.
import { Effect, Layer, Semaphore } from "effect"
import type * as Declaration from "./Declaration.ts"
import { DeclarationStore, enoughLooks } from "./DeclarationStore.ts"

const make = Effect.gen(function*() {
  const lock = yield* Semaphore.make(1)
  const declarations = new Map<string, Declaration.Stored>()
  const nodes = new Map<
    string,
    { readonly hash: string; readonly seenAt: number; readonly startedAt: number; readonly looks: number }
  >()
  /** Each look has a later time. */
  let time = 0
  /** The oldest first. */
  const sets: Array<string> = []
  let inForce: string | undefined

  const keyOf = ({ kind, name }: Pick<Declaration.Stored, "kind" | "name">) => `${kind}\n${name}`

  return DeclarationStore.of({
    isUsed: Effect.sync(() => sets.length > 0),
    declare: ({ hash, isAlone, node }) =>
      Effect.sync(() => {
        if (!sets.includes(hash)) sets.push(hash)
        const at = ++time
        const { looks = 0, startedAt = at } = nodes.get(node) ?? {}
        nodes.set(node, { hash, seenAt: at, startedAt, looks: looks + 1 })
        for (const [other, { seenAt }] of nodes) {
          if (other === node) continue
          if (isAlone || (seenAt < startedAt && looks + 1 >= enoughLooks)) nodes.delete(other)
        }
        const live = new Set([...nodes.values()].map(({ hash }) => hash))
        const isNewest = sets.findLast((each) => live.has(each)) === hash
        return { isNewest, isApplied: isNewest && inForce === hash }
      }),
    leave: (node) => Effect.sync(() => void nodes.delete(node)),
    exclusively: (effect) =>
      lock.withPermits(1)(Effect.suspend(() => {
        const [before, setBefore] = [[...declarations], inForce]
        return Effect.onError(effect, () =>
          Effect.sync(() => {
            declarations.clear()
            for (const [key, declared] of before) declarations.set(key, declared)
            inForce = setBefore
          }))
      })),
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
