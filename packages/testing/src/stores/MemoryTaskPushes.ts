// `TaskPushStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import { isSame, maxPerRun, rowOf, type StoredTaskPush, TaskPushesFull } from "@svc-runtime/features/taskPush/TaskPush"
import type { TaskPushStore } from "@svc-runtime/features/taskPush/TaskPushStore"
import { Effect } from "effect"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import { memorySecretRows } from "./memorySecretRows.ts"

export const make = (
  { runs, sessions, taskPushes: all }: MemoryDatabase["Service"]
): TaskPushStore["Service"] => {
  const sessionOf = (run: Run.Id, owner: Owner.Owner): Session.Id | undefined => {
    const id = runs.get(run)?.output.session_id as Session.Id | undefined
    const session = id === undefined ? undefined : sessions.get(id)?.session
    return session !== undefined && Owner.coversIn(owner, session) ? session.session_id : undefined
  }
  const ofRun = (run: Run.Id) => all.get(run) ?? []

  const inOrder = () => [...all.values()].flat()
  const secretRows = memorySecretRows(
    () =>
      inOrder().map((push, index) => ({ seq: index + 1, row: rowOf(push), secrets: [push.token, push.credentials] })),
    (seq, [token = null, credentials = null]) => {
      const changed = inOrder()[seq - 1]
      if (changed === undefined) return
      all.set(
        changed.run_id,
        ofRun(changed.run_id).map((push) => push === changed ? { ...push, token, credentials } : push)
      )
    }
  )

  return {
    ...secretRows,
    put: (push, owner) =>
      Effect.suspend(() => {
        const session_id = sessionOf(push.run_id, owner)
        if (session_id === undefined) return Effect.succeedNone
        const others = ofRun(push.run_id).filter(({ id }) => id !== push.id)
        if (others.length >= maxPerRun) return Effect.fail(new TaskPushesFull())
        const stored: StoredTaskPush = { ...push, session_id, delivered: null }
        all.set(push.run_id, [...others, stored])
        return Effect.succeedSome(stored)
      }),
    list: (run, owner) => Effect.sync(() => sessionOf(run, owner) === undefined ? [] : ofRun(run)),
    remove: (run, id, owner) =>
      Effect.sync(() => {
        const kept = ofRun(run).filter((push) => push.id !== id)
        if (sessionOf(run, owner) === undefined || kept.length === ofRun(run).length) return false
        all.set(run, kept)
        return true
      }),
    delivered: (called, delivered) =>
      Effect.sync(() => {
        const { id, run_id } = called
        const marked = ofRun(run_id).map((push) =>
          push.id === id && isSame(push, called) ? { ...push, delivered } : push
        )
        all.set(run_id, marked)
      })
  }
}
