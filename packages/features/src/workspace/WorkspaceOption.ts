// The option `workspace` of agents and teams.
import { mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { Predicate } from "effect"
import * as Workspace from "./Workspace.ts"
import type { Settings } from "./WorkspaceSettings.ts"

/** Undefined: the agent has no files. */
export const make = (owner: string, given: boolean | Workspace.Workspace | undefined): Settings | undefined => {
  if (given === undefined || given === false) return undefined
  if (given === true) return Workspace.make().settings
  if (Predicate.isTagged(given, "Workspace")) return given.settings
  if (Predicate.isObject(given)) {
    throw new Mistake(`${owner}: workspace is made by Workspace.make, as in workspace: Workspace.make({ … })`)
  }
  throw mismatch(`${owner}: workspace`, "true, or made by Workspace.make", given)
}
