// `WorkspaceStore` in memory, for services of tests.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Layer, Option } from "effect"
import type * as WorkspaceFile from "./WorkspaceFile.ts"
import { foldersOf, full, inTheWay, WorkspaceStore } from "./WorkspaceStore.ts"

interface Stored {
  /** Another session can have the id later. */
  readonly created_at: number
  readonly revision: number
  readonly files: ReadonlyMap<string, WorkspaceFile.Whole>
}

const empty = (created_at: number): Stored => ({ created_at, revision: 0, files: new Map() })

const listed = ({ content: _, ...file }: WorkspaceFile.Whole): WorkspaceFile.Listed => file

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.map(SessionStore, (sessions) => {
    const workspaces = new Map<Session.Id, Stored>()
    const found = (session: Session.Id, owner: Owner.Owner) =>
      Effect.map(
        sessions.find(session, owner),
        Option.map(({ created_at }) => {
          const stored = workspaces.get(session)
          return stored?.created_at === created_at ? stored : empty(created_at)
        })
      )
    return WorkspaceStore.of({
      state: (session, owner) =>
        Effect.map(
          found(session, owner),
          Option.map(({ files, revision }) => ({
            revision,
            files: [...files.values()].map(listed).toSorted((a, b) => a.path < b.path ? -1 : 1)
          }))
        ),
      read: (session, path, owner) =>
        Effect.map(found(session, owner), Option.flatMap(({ files }) => Option.fromUndefinedOr(files.get(path)))),
      save: Effect.fnUntraced(function*(session, { at, files: changed, removed }, quota, owner) {
        const before = yield* found(session, owner)
        if (Option.isNone(before)) return Option.none()
        const files = new Map(before.value.files)
        for (const path of removed) files.delete(path)
        for (const file of changed) {
          files.set(file.path, { ...file, content: file.content.slice(), size: file.content.length, updated_at: at })
        }
        const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0)
        if (changed.length > 0 && (files.size > quota.files || bytes > quota.bytes)) return yield* full(quota)
        const folders = new Set([...files.keys()].flatMap(foldersOf))
        const conflict = [...folders].find((folder) => files.has(folder))
        if (conflict !== undefined) return yield* inTheWay(conflict)
        const revision = before.value.revision + 1
        workspaces.set(session, { ...before.value, revision, files })
        return Option.some(revision)
      }),
      copySession: Effect.fnUntraced(function*(from, to) {
        const [source, copy] = [workspaces.get(from), yield* found(to, Owner.anyone)]
        if (source === undefined || Option.isNone(copy) || copy.value.revision > 0) return
        workspaces.set(to, { ...copy.value, files: source.files, revision: 1 })
      })
    })
  })
)
