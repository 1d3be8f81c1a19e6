// The settings of stored traces.
import { retention } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env, Duration } from "effect"

export const traceSettings = Env.all({ retention: retention("TRACE_RETENTION", Duration.days(14)) })

export type TraceSettings = Env.Success<typeof traceSettings>
