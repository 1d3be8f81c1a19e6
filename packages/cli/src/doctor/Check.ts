// A check of `svc doctor`: what was looked at, what was found, and what to do about it.
export interface Check {
  readonly name: string
  /** `unknown`: it could not be checked. */
  readonly state: "ok" | "warning" | "failed" | "unknown"
  readonly detail: string
  readonly hint: string | null
}

export const ok = (name: string, detail: string): Check => ({ name, state: "ok", detail, hint: null })

export const notOk = (
  name: string,
  state: Exclude<Check["state"], "ok">,
  detail: string,
  hint?: string
): Check => ({ name, state, detail, hint: hint ?? null })
