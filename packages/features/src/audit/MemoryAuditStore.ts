// `AuditStore` in memory, for services of tests. It has the changes of requests.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { storableText } from "@svc-runtime/domain/storableText"
import { Effect, Layer } from "effect"
import type * as AuditEntry from "./AuditEntry.ts"
import { AuditStore } from "./AuditStore.ts"

const isMatch = ({ since, until, ...texts }: AuditEntry.Filter) => (entry: AuditEntry.AuditEntry): boolean =>
  Object.entries(texts).every(([name, value]) =>
    value === undefined || entry[name as keyof typeof texts] === storableText(value)
  ) && (since === undefined || entry.at >= since) && (until === undefined || entry.at <= until)

const isCovered = (owner: Owner.Owner) => ({ actor }: AuditEntry.AuditEntry): boolean =>
  Owner.covers(owner, actor === null ? null : Ids.UserId.make(actor))

export const layer: Layer.Layer<AuditStore> = Layer.sync(AuditStore, () => {
  const entries: Array<AuditEntry.AuditEntry> = []
  const matching = (filter: AuditEntry.Filter, owner: Owner.Owner) =>
    entries.filter(isMatch(filter)).filter(isCovered(owner))
  return AuditStore.of({
    begin: ({ path, subject_id, ...change }, at) =>
      Effect.sync(() => {
        const id = entries.length + 1
        const texts = { path: storableText(path), subject_id: storableText(subject_id) }
        entries.push({ id, at, ...change, ...texts, status: null, counts: null })
        return id
      }),
    end: (id, { counts = null, status, subject_ids }) =>
      Effect.sync(() => {
        const begun = entries[id - 1]
        if (begun === undefined) return
        const [subject_id = begun.subject_id, ...others] = subject_ids.map(storableText)
        const ended = { ...begun, status, counts: counts ?? begun.counts, subject_id }
        entries[id - 1] = ended
        for (const subject_id of others) entries.push({ ...ended, id: entries.length + 1, subject_id })
      }),
    list: (filter, owner, page) =>
      Effect.sync(() => {
        const found = matching(filter, owner).toSorted((one, other) => other.at - one.at || other.id - one.id)
        return { entries: Pagination.slice(page, found), total: found.length }
      }),
    after: (id, filter, owner, limit) =>
      Effect.sync(() => matching(filter, owner).filter((entry) => entry.id > id).slice(0, limit))
  })
})
