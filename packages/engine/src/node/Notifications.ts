// Short texts from one node to all nodes that share a database. They are hints: polling finds what a lost one
// announced.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, Layer, type Scope, type Stream } from "effect"

export interface Channel {
  /** Delivers a text to every node that listens, the sender among them. At most 7,000 bytes. */
  readonly send: (text: string) => Effect.Effect<void, StorageUnavailable>
  /** Listens until the scope is closed. The stream fails when the connection is lost. */
  readonly listen: Effect.Effect<Stream.Stream<string, StorageUnavailable>, StorageUnavailable, Scope.Scope>
}

/** Undefined where one process has the database for itself. */
export class Notifications extends Context.Service<Notifications, Channel | undefined>()(
  "@svc-runtime/engine/node/Notifications"
) {}

/** Nodes send no hints: each finds the changes of others at its next poll. */
export const layerNone: Layer.Layer<Notifications> = Layer.succeed(Notifications, undefined)
