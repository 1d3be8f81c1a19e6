// `Notifications` over LISTEN and NOTIFY, each with its own connection. A transaction that notifies holds a server-wide
// lock until its commit. Therefore no statement of a run is in such a transaction, and the commit does not wait for the
// disk.
import type { PgClient } from "@effect/sql-pg"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Channel } from "@svc-runtime/engine/node/Notifications"
import { Effect, Stream } from "effect"
import { orUnavailable } from "./sql/orUnavailable.ts"

const channel = "svc_signals"

export const make = (client: PgClient.PgClient): Channel => ({
  send: (text) => orUnavailable(client.notify(channel, text)),
  listen: Effect.map(orUnavailable(client.listen(channel)), (texts) =>
    Stream.fromQueue(texts).pipe(
      Stream.map(({ payload }) => payload),
      Stream.mapError((cause) => new StorageUnavailable({ cause }))
    ))
})
