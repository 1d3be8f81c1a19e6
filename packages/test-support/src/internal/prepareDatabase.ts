// Writes the files of an embedded database that has all migrations into one file: prepareDatabase.ts FILE.
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as Pglite from "@svc-runtime/postgres/Pglite"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { serialize } from "node:v8"

const [, , file = ""] = process.argv
writeFileSync(file, serialize(await Effect.runPromise(Pglite.prepare(SqlStores.migrate))))
