// `--server-name`: the name of an entry.
import { Option } from "effect"
import { Flag } from "effect/cli"
import * as Flags from "../Flags.ts"
import { entryNameRule, isEntryName } from "./EntryName.ts"

export const serverName = (description: string) =>
  Flags.text("server-name", "NAME", description).pipe(
    Flag.filterMap(
      (name) => name === undefined || isEntryName(name) ? Option.some(name) : Option.none(),
      (name) => `Invalid --server-name: ${name}. ${entryNameRule}`
    )
  )
