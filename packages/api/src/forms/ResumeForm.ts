// The form that resumes watching a run.
import * as Session from "@svc-runtime/domain/Session"
import { Schema } from "effect"
import { IntText } from "../query/IntText.ts"

export const ResumeForm = Schema.Struct({
  last_event_index: Schema.optionalKey(
    IntText.annotate({
      description: "The index of the last event that was seen. Default: none, which requests all events"
    })
  ),
  session_id: Schema.optionalKey(Session.Id)
}).annotate({ identifier: "ResumeForm" })
export type ResumeForm = typeof ResumeForm.Type
