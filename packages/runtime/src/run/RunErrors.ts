// Why a run is not accepted, or not found.
import { Run } from "@svc/domain"
import { Schema } from "effect"

/** A caller may choose a run's id, but not one that is taken. */
export class RunExists extends Schema.TaggedError<RunExists>()("RunExists", { run_id: Run.Id }) {
  override get message() {
    return `Run with id '${this.run_id}' already exists. Choose another run_id, or leave it out.`
  }
}

export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", { run_id: Run.Id }) {
  override get message() {
    return `Run with id '${this.run_id}' not found`
  }
}

/** What a run says that ended with its node. */
export const abandoned = "The service stopped before this run had finished"
