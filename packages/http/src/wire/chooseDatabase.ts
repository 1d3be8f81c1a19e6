// The database that a request selects, or the error of the wire.
import type { DatabaseChoice, Databases } from "@svc-runtime/agents/database/Databases"
import { Effect } from "effect"
import { databaseNotChosen, databaseNotFound, orUnavailable } from "./WireErrors.ts"

export const chooseDatabase = (databases: Databases["Service"]) => (choice: DatabaseChoice) =>
  databases.choose(choice).pipe(
    Effect.catchTags({
      DatabaseNotFound: (error) => Effect.fail(databaseNotFound(error)),
      DatabaseNotChosen: (error) => Effect.fail(databaseNotChosen(error))
    }),
    orUnavailable
  )
