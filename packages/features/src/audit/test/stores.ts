// The store of the audit log, for the tests that call all stores. Its table belongs to service accounts.
import * as Owner from "@svc-runtime/domain/Owner"
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { AuditStore } from "../AuditStore.ts"
import { change } from "./AuditStoreSuite.ts"

export const stores: CheckedStores = {
  history: {},
  tables: [],
  calls: Effect.map(AuditStore, (audit) => {
    const owner = Owner.user(userId())
    const page = { page: 1, limit: 1 }
    return {
      "audit.begin": audit.begin(change(), 1),
      "audit.end": audit.end(1, { status: 200, subject_ids: [] }),
      "audit.list": audit.list({}, Owner.anyone, page),
      "audit.list, of an actor": audit.list({ since: 1, until: 2 }, owner, page),
      "audit.after": audit.after(0, {}, Owner.anyone, 10)
    }
  }),
  unbounded: {
    "audit.list": "counts the entries of all callers for the total of a page without a filter"
  }
}
