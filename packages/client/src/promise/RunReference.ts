/** A run, as most calls need it. */
export interface RunReference {
  readonly run_id: string
  readonly session_id: string
}
