// What every `RunStore` has to do. The layer also gives the `SessionStore` of the same database, to see what runs do to
// their session. Tests share the database: each looks only at what it made itself.
import { layer } from "@effect/vitest"
import type { RunStore, SessionStore } from "@svc/runtime"
import type { Layer } from "effect"
import { acceptance } from "./runs/acceptance.ts"
import { cancelling } from "./runs/cancelling.ts"
import { ends } from "./runs/ends.ts"
import { eventLog } from "./runs/events.ts"
import { forking } from "./runs/forking.ts"
import { forkingTeams } from "./runs/forkingTeams.ts"
import { hands } from "./runs/hands.ts"
import { history } from "./runs/history.ts"
import { inner } from "./runs/inner.ts"
import { journal } from "./runs/journal.ts"
import { largeTexts } from "./runs/largeTexts.ts"
import { leases } from "./runs/leases.ts"
import { lifecycle } from "./runs/lifecycle.ts"
import { ownership } from "./runs/ownership.ts"
import { reading } from "./runs/reading.ts"
import { recalling } from "./runs/recalling.ts"
import { turns } from "./runs/turns.ts"

export const suite = <E>(name: string, stores: Layer.Layer<SessionStore | RunStore, E>) =>
  layer(stores, { excludeTestServices: true, timeout: 60_000 })(`RunStore, ${name}`, (it) => {
    acceptance(it)
    history(it)
    ends(it)
    reading(it)
    ownership(it)
    cancelling(it)
    eventLog(it)
    journal(it)
    hands(it)
    largeTexts(it)
    leases(it)
    lifecycle(it)
    turns(it)
    forking(it)
    forkingTeams(it)
    inner(it)
    recalling(it)
  })
