// The components that a node has made of published versions, which do not change. One that names others without a link
// is made of their current versions, and is used as long as these are current. The name of a component can change.
import type { AnyComponent } from "@svc-runtime/agents/runService/Components"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { Assumption } from "@svc-runtime/engine/ComponentPrecondition"
import { Context, Layer } from "effect"

/** How many built components are kept. The least recently used ones are dropped. */
const maxKept = 1000

/** The bytes of the configs of the kept components. */
const maxBytes = 32 * 1024 * 1024

export interface Built {
  readonly component: AnyComponent
  /** Of the stored component, when it was built. */
  readonly name: string
  /** Executions of components in one of its runs, if each is executed as often as it is named. */
  readonly size: number
  /** The bytes of its config, and of those of the components in it. */
  readonly bytes: number
  /** The stored components in it, by their ids. */
  readonly inside: ReadonlyMap<string, Assumption>
  /** The version of a component that is kept as `current`. */
  readonly version?: number
}

export interface Key {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
  /** `current`: what the node has made of the component last, for a new run. */
  readonly version: number | "current"
}

const textOf = ({ id, kind, version }: Key) => `${kind} ${version} ${id}`

const keeping = () => {
  // the least recently used first
  const kept = new Map<string, Built>()
  let bytes = 0
  const drop = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  return {
    get: (key: Key): Built | undefined => {
      const found = kept.get(textOf(key))
      if (found === undefined) return undefined
      kept.delete(textOf(key))
      kept.set(textOf(key), found)
      return found
    },
    put: (key: Key, built: Built) => {
      drop(textOf(key))
      kept.set(textOf(key), built)
      bytes += built.bytes
      for (const oldest of kept.keys()) {
        if (kept.size <= maxKept && bytes <= maxBytes) break
        drop(oldest)
      }
    }
  }
}

export class BuiltComponents extends Context.Service<BuiltComponents, ReturnType<typeof keeping>>()(
  "@svc-runtime/features/components/BuiltComponents"
) {
  static readonly layer: Layer.Layer<BuiltComponents> = Layer.sync(BuiltComponents, keeping)
}
