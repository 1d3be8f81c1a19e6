// One event of AG-UI.
export interface Event {
  readonly type: string
  readonly [key: string]: unknown
}
